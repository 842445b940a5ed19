/** `fw format`: writes templates in one form, or lists those that are not. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import { fw } from '../../src/tools/cli/program.ts'
import { testProject, type TestProject } from '../view/project.ts'

const page = 'src/main/webapp/WEB-INF/views/page.html.ssp'
const other = 'src/main/webapp/WEB-INF/views/other.html.ssp'

let project: TestProject
beforeAll(() => {
  project = testProject()
  project.write('src/main/bootstrap.ts', 'export {}\n')
  project.write(page, '<p>${ 1 }</p>\n')
  project.write(other, '<p>${2}</p>\n')
})
afterAll(() => project.remove())
afterEach(() => vi.restoreAllMocks())

async function format(...words: readonly string[]): Promise<{ output: string; code: unknown }> {
  let output = ''
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => (output += String(text)) !== '')
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => (output += String(text)) !== '')
  await fw(['format', ...words, '--app', project.root])
  const code = process.exitCode
  process.exitCode = undefined
  return { output, code }
}

const read = (file: string): string => readFileSync(join(project.root, file), 'utf8')

test('--check lists what is not formatted, and writes nothing', async () => {
  expect(await format('--check')).toEqual({
    output: `${page}\n2 templates, 1 not formatted\n`,
    code: 1,
  })
  expect(read(page)).toBe('<p>${ 1 }</p>\n')
})

test('only the named files are formatted', async () => {
  expect((await format(join(project.root, other))).output).toBe('1 template, 0 formatted\n')
  expect(read(page)).toBe('<p>${ 1 }</p>\n')
})

test('all templates are formatted, once', async () => {
  expect(await format()).toEqual({
    output: `${page}\n2 templates, 1 formatted\n`,
    code: undefined,
  })
  expect(read(page)).toBe('<p>${1}</p>\n')
  expect((await format('--json')).output).toBe('{\n  "changed": [],\n  "mistakes": []\n}\n')
})

test('a template with a mistake stays, and fails the command', async () => {
  project.write(other, '<p>${ 1 </p>\n')
  const { output, code } = await format()
  expect(output).toContain(`${other}:1:4 `)
  expect(output).toContain('2 templates, 0 formatted, 1 mistake\n')
  expect(code).toBe(1)
  expect(read(other)).toBe('<p>${ 1 </p>\n')
})

test('a file that is no template is refused', async () => {
  const { output, code } = await format(join(project.root, 'src/main/bootstrap.ts'))
  expect(output).toContain('is no template of the application')
  expect(code).toBe(1)
})

/** `fw check`: corrects what has one right form (`--fix`), gives editors the same edits (`--json`), and prints warnings. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import { fw } from '../../src/tools/cli/program.ts'
import { fwCommand, visibleEnvironment } from '../support/environment.ts'
import { testProject, type TestProject } from '../view/project.ts'

const page = 'src/main/webapp/WEB-INF/views/page.html.ssp'
const other = 'src/main/webapp/WEB-INF/views/other.html.ssp'
const wrong = '<%@val a: number[] %>\n<script>f(`${x}`)+${JSON.stringify(a)}\ng(`${y}`)</script>\n'

let project: TestProject
beforeAll(() => {
  project = testProject()
  project.write('src/main/resources/messages.yml', 'a: b\n')
  project.write('src/main/bootstrap.ts', 'export {}\n')
})
afterAll(() => project.remove())
afterEach(() => vi.restoreAllMocks())

async function check(...options: readonly string[]): Promise<{ output: string; code: unknown }> {
  let output = ''
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => (output += String(text)) !== '')
  await fw(['check', '--app', project.root, ...options])
  const code = process.exitCode
  process.exitCode = undefined
  return { output, code }
}

const read = (file: string): string => readFileSync(join(project.root, file), 'utf8')

test('fw check reports each place, and names the command that corrects them', async () => {
  project.write(page, wrong)
  project.write(other, '<p>${1}</p>\n')
  const { output, code } = await check()
  expect(code).toBe(1)
  for (const place of ['2:12', '2:21', '3:4']) expect(output).toContain(`${page}:${place} `)
  expect(output.trimEnd().split('\n').at(-1)).toBe(
    '2 templates, 3 mistakes; fw check --fix corrects 3',
  )
})

test('fw check --json contains the edits', async () => {
  const { output } = await check('--json')
  expect(JSON.parse(output)).toMatchObject([
    {
      line: 2,
      column: 12,
      fix: [{ start: { line: 2, column: 12 }, end: { line: 2, column: 12 }, text: '\\' }],
    },
    {
      fix: [{ start: { line: 2, column: 19 }, end: { line: 2, column: 39 }, text: '${a}' }],
    },
    { line: 3, column: 4 },
  ])
})

test('fw check --fix corrects the files, and reports what is left', async () => {
  project.write(other, '<b>${nowhere}</b>\n')
  const { output, code } = await check('--fix')
  expect(read(page)).toBe(wrong.replaceAll('`${', '`\\${').replace('JSON.stringify(a)', 'a'))
  expect(output).toContain("Cannot find name 'nowhere'")
  expect(output.trimEnd().split('\n').at(-1)).toBe('2 templates, 1 mistake, 3 corrected')
  expect(code).toBe(1)
})

test('fw check --fix writes no file without a mistake', async () => {
  project.write(other, '<b>a</b>\n')
  const { output, code } = await check('--fix')
  expect(output).toBe('2 templates, 0 mistakes\n')
  expect(code).toBeUndefined()
})

test('a warning is printed and counted, and does not fail the check', async () => {
  project.write(other, '<p onclick="f()">a</p>\n')
  const { output, code } = await check()
  expect(output).toContain(`${other}:1:4 warning: the Content-Security-Policy blocks the handler`)
  expect(output.trimEnd().split('\n').at(-1)).toBe('2 templates, 0 mistakes, 1 warning')
  expect(code).toBeUndefined()
  expect(JSON.parse((await check('--json')).output)).toMatchObject([{ severity: 'warning' }])
})

test('fw check refuses --watch with --fix, because it would correct files while they are edited', async () => {
  let message = ''
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => (message += String(text)) !== '')
  project.write(page, wrong)
  const { code } = await check('--watch', '--fix')
  expect(message).toContain('run fw check --fix, then fw check --watch. (cli.option-invalid)')
  expect(code).toBe(1)
  expect(read(page)).toBe(wrong)
})

test('fw check --watch prints the mistakes again after each change', async () => {
  project.write(page, '<p>${1}</p>\n')
  project.write(other, '<b>a</b>\n')
  const args = [...fwCommand, 'check', '--watch', '--app', project.root]
  const child = spawn(process.execPath, args, { env: visibleEnvironment() })
  onTestFinished(async () => {
    child.kill()
    await once(child, 'exit')
  })
  const summaries: string[] = []
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    summaries.push(...(text.match(/^2 templates, .*$/gm) ?? []))
  })
  const wait = { timeout: 60_000, interval: 50 }
  await expect.poll(() => summaries, wait).toEqual(['2 templates, 0 mistakes'])
  for (const [text, expected] of [
    ['<p>${nowhere}</p>\n', '2 templates, 1 mistake'],
    ['<p>${nowhere}</p><p>${nothing}</p>\n', '2 templates, 2 mistakes'],
    ['<p>${1}</p>\n', '2 templates, 0 mistakes'],
  ] as const) {
    project.write(page, text)
    await expect.poll(() => summaries.at(-1), wait).toBe(expected)
  }
}, 120_000)

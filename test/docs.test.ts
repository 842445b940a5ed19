/** The pages about forms, messages and settings: their code compiles and runs as an application's, their table is the schema's. */
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, describe, expect, test } from 'vitest'
import { generateSources } from '../src/app.ts'
import { settingsTable } from './support/settings-table.ts'

const repository = resolve(import.meta.dirname, '..')
const read = (page: string) => readFileSync(join(repository, 'docs', page), 'utf8')
const blocks = (page: string, language: string) =>
  [...read(page).matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, 'gm'))].map(
    (found) => found[1]!,
  )

const { PATH, NODE_COMPILE_CACHE } = process.env
const env = { PATH, NODE_COMPILE_CACHE, FW_ENV: 'test' }

const folders: string[] = []
afterAll(() => folders.forEach((folder) => rmSync(folder, { recursive: true, force: true })))

/** `value // => expected` becomes an assertion. */
const asserting = (code: string) =>
  code.replace(/^(\S.*?) \/\/ => (.*)$/gm, 'checks.deepEqual($1, $2)')

/** An application of the files and programs that a page shows. */
function application(page: string): { folder: string; programs: readonly string[] } {
  const folder = mkdtempSync(join(tmpdir(), 'fw-docs-'))
  folders.push(folder)
  const write = (path: string, text: string): string => {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), text)
    return join(folder, path)
  }
  symlinkSync(join(repository, 'node_modules'), join(folder, 'node_modules'))
  const imports = { '#controller/*': './src/main/controller/*.ts' }
  write('package.json', JSON.stringify({ type: 'module', imports }))
  const base = join(repository, 'test/support/tsconfig.app.json')
  const tsconfig = { extends: base, include: ['src', '.fw/**/*'] }
  write('tsconfig.json', JSON.stringify(tsconfig))
  for (const yaml of blocks(page, 'yaml')) {
    const name = /^# (\S+\.yml)$/m.exec(yaml)![1]!
    write(`src/main/resources/${name}`, yaml)
  }
  for (const template of blocks(page, 'ssp')) {
    const [line, file] = /^<%-- (\S+) --%>\n/.exec(template)!
    write(`src/main/webapp/WEB-INF/${file}`, template.slice(line.length))
  }
  const programs = blocks(page, 'ts').map((code, at) =>
    write(`src/main/${at}.ts`, `import checks from 'node:assert/strict'\n${asserting(code)}`),
  )
  write('src/main/controller/controllers.ts', 'export const controllers = {}\n')
  generateSources(folder)
  return { folder, programs }
}

describe.each([
  'configuration.md',
  'controllers.md',
  'lifecycle.md',
  'messages.md',
  'openapi.md',
  'routing.md',
  'validation.md',
  'versioning.md',
  'views.md',
])('%s', (page) => {
  const { folder, programs } = application(page)

  test('its code compiles', () => {
    const tsc = join(repository, 'node_modules/.bin/tsc')
    const { stdout } = spawnSync(tsc, ['-p', folder], { encoding: 'utf8' })
    expect(stdout).toBe('')
  })

  test('its code runs', () => {
    expect(programs).not.toEqual([])
    const all = programs.map((file) => `await import(${JSON.stringify(pathToFileURL(file).href)})`)
    const { status, stderr } = spawnSync(
      process.execPath,
      ['--conditions=fwjs-source', '--input-type=module', '--eval', all.join('\n')],
      { cwd: folder, encoding: 'utf8', env },
    )
    expect({ status, stderr }).toMatchObject({ status: 0 })
  })
})

test('the table of settings is the schema’s', () => {
  const lines = read('configuration.md').split('\n')
  expect(
    settingsTable()
      .split('\n')
      .filter((line) => !lines.includes(line)),
  ).toEqual([])
  expect(lines.filter((line) => /^\| `[\w.*]+` \|/.test(line)).length).toBe(
    settingsTable().match(/^\| `/gm)!.length,
  )
})

/** The pages of docs/: their code compiles and runs in an application, and the table of settings matches the schema. */
import { spawnSync } from 'node:child_process'
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, describe, expect, test } from 'vitest'
import { generateSources } from '../src/templates/compile.ts'
import { applicationSettings } from '../src/runtime/app/settings.ts'
import { previewConfiguration, readSettings } from '../src/runtime/config.ts'
import { sourceFlags } from './support/environment.ts'
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

/** Converts `value // => expected` to an assertion. */
const addAssertions = (code: string) =>
  code.replace(/^(\S.*?) \/\/ => (.*)$/gm, 'checks.deepEqual($1, $2)')

interface Application {
  readonly folder: string
  /** Program files by page. */
  readonly programs: ReadonlyMap<string, readonly string[]>
}

/** Creates an application from the files and programs of these pages. */
function createApplication(pages: readonly string[]): Application {
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
  for (const yaml of pages.flatMap((page) => blocks(page, 'yaml'))) {
    const name = /^# (\S+\.yml)$/m.exec(yaml)![1]!
    write(`src/main/resources/${name}`, yaml)
  }
  for (const template of pages.flatMap((page) => blocks(page, 'ssp'))) {
    const [line, file] = /^<%-- (\S+) --%>\n/.exec(template)!
    write(`src/main/webapp/WEB-INF/${file}`, template.slice(line.length))
  }
  const programs = pages.map((page) => {
    const files = blocks(page, 'ts').map((code, at) =>
      write(
        `src/main/${page}/${at}.ts`,
        `import checks from 'node:assert/strict'\n${addAssertions(code)}`,
      ),
    )
    return [page, files] as const
  })
  write('src/main/controller/controllers.ts', 'export const controllers = {}\n')
  generateSources(folder)
  return { folder, programs: new Map(programs) }
}

/** Each list of pages is one application; pages in a list with others have no settings, messages or views. */
const applications = [
  ['configuration.md'],
  [
    'controllers.md',
    'lifecycle.md',
    'openapi.md',
    'responses.md',
    'routing.md',
    'validation.md',
    'versioning.md',
  ],
  ['fragments.md'],
  ['messages.md'],
  ['security.md'],
  ['sessions.md'],
  ['views.md'],
]

/** The tests that run the code of the other pages. */
const elsewhere = new Map([
  ['apis.md', 'generate/apis-page.test.ts'],
  ['command-line.md', 'cli/runner.test.ts'],
  ['data.md', 'docs-data.test.ts'],
  ['mail.md', 'docs-mail.test.ts'],
  ['development.md', 'generate/new-application.test.ts'],
  ['accounts.md', 'docs-accounts.test.ts'],
  ['coming-from.md', 'docs-coming-from.test.ts'],
  ['generators.md', 'generate/distributed-application.ts'],
  ['jobs.md', 'docs-jobs.test.ts'],
  ['mounting.md', 'example/mounted.test.ts'],
  ['resources.md', 'generate/new-application.test.ts'],
  ['tenants.md', 'docs-tenants.test.ts'],
  ['testing.md', 'generate/new-application.test.ts'],
  ['transactions.md', 'docs-data.test.ts'],
  ['guides.md', 'clone.test.ts'],
  ['tutorial.md', 'clone.test.ts'],
])

describe.each(applications)('%s', (...pages) => {
  const { folder, programs } = createApplication(pages)

  test('the code compiles', () => {
    const tsc = join(repository, 'node_modules/.bin/tsc')
    const { stdout } = spawnSync(tsc, ['-p', folder], { encoding: 'utf8' })
    expect(stdout).toBe('')
  })

  test('the settings are valid', () => {
    const configuration = previewConfiguration({ root: folder, env: 'test' })
    expect(readSettings(configuration, applicationSettings)).toBeDefined()
  })

  test.each([...programs])('%s has code', (_page, files) => expect(files).not.toEqual([]))

  // One process imports all programs; the stack of an error contains the path.
  test('the code runs', () => {
    const all = [...programs.values()]
      .flat()
      .map((file) => `await import(${JSON.stringify(pathToFileURL(file).href)})`)
    const { status, stderr } = spawnSync(
      process.execPath,
      [...sourceFlags, '--input-type=module', '--eval', all.join('\n')],
      { cwd: folder, encoding: 'utf8', env },
    )
    expect({ status, stderr }).toMatchObject({ status: 0 })
  })
})

test('a test runs the code of every page', () => {
  const withCode = readdirSync(join(repository, 'docs'))
    .filter((name) => name.endsWith('.md'))
    .filter((page) => /^```ts\b/m.test(read(page)))
    .toSorted()
  expect([...applications.flat(), ...elsewhere.keys()].toSorted()).toEqual(withCode)
  const untested = [...elsewhere].filter(([page, file]) => {
    const text = readFileSync(join(import.meta.dirname, file), 'utf8')
    return !text.includes(`'${page}'`) && !text.includes(`docs/${page}'`)
  })
  expect(untested).toEqual([])
})

test('the table of settings matches the schema', () => {
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

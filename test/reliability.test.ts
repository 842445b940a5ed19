/** docs/reliability.md: each row R01 to R64 has a command whose test exists, or a reason. */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const repository = join(import.meta.dirname, '..')
const page = readFileSync(join(repository, 'docs/reliability.md'), 'utf8')
const rows = [...page.matchAll(/^\| (R\d\d) +\| (.+?) +\| (.+?) +\| (.+?) +\|$/gm)].map(
  ([, id, fault, behaviour, command]) => ({ id: id!, fault, behaviour, command: command! }),
)
const commandSyntax = /^`npx vitest run --project unit (\S+\.test\.ts)(?: -t '([^']+)')?`$/
const untested = ['R50', 'R51']

test('the page has each row once, in order', () => {
  const ids = Array.from({ length: 66 }, (_, at) => `R${String(at + 1).padStart(2, '0')}`)
  expect(rows.map(({ id }) => id)).toEqual(ids)
  expect(rows.filter(({ command }) => command === 'no test').map(({ id }) => id)).toEqual(untested)
})

test.each(rows.filter(({ id }) => !untested.includes(id)))(
  'the test of $id exists: $fault',
  ({ command }) => {
    const [, file = '', title = ''] = commandSyntax.exec(command) ?? []
    expect(file).not.toBe('')
    expect(readFileSync(join(repository, file), 'utf8')).toContain(title)
  },
)

test('the page lists the tests that end with the five checks', () => {
  const [, list = ''] =
    /In `test\/fault`, the tests of ([^.]+)\send with five checks/.exec(page) ?? []
  const folder = join(repository, 'test/fault')
  const checking = readdirSync(folder)
    .filter((file) =>
      /\b(?:serveData|prepareChecks)\(/.test(readFileSync(join(folder, file), 'utf8')),
    )
    .map((file) => file.replace('.test.ts', ''))
  expect([...list.matchAll(/`([^`]+)`/g)].map(([, name]) => name)).toEqual(checking.toSorted())
})

test('the other commands name existing files', () => {
  const files = [...page.matchAll(/`[^`]*?((?:test|scripts|src)\/[\w/.-]+)[^`]*`/g)]
  for (const [, file] of files) expect(existsSync(join(repository, file!))).toBe(true)
  for (const [, name] of page.matchAll(/npm run bench -- (\w+)/g))
    expect(statSync(join(repository, 'bench', name!, 'main.ts')).isFile()).toBe(true)
})

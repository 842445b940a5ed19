/** `fw runner`: scripts with the models, arguments and checked types of an application. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { fw, generate, linkSources, newFolder, removeFolder } from '../generate/folder.ts'

const root = newFolder()
const write = (path: string, text: string) => {
  mkdirSync(join(root, path, '..'), { recursive: true })
  writeFileSync(join(root, path), text)
}
const runner = (...args: readonly string[]) => fw(root, 'runner', ...args)

beforeAll(async () => {
  linkSources(root)
  generate(root, 'model note text:String')
  const { code, said } = await fw(root, 'db:migrate')
  if (code !== 0) throw new Error(said)
})
afterAll(() => removeFolder(root))

const page = readFileSync(join(import.meta.dirname, '../../docs/command-line.md'), 'utf8')
/** The script of the page. */
const [, script = ''] = /^```ts\n(\/\/ scripts\/add-notes\.ts\n[^`]+)```$/m.exec(page) ?? []

test('a script gets the models, the database and its arguments', async () => {
  write('scripts/add-notes.ts', script)
  const { code, said } = await runner('scripts/add-notes.ts', 'Sow', '--water')
  expect({ code, said }).toEqual({ code: 0, said: '2\n' })
})

test('a script runs in the folder of the application', async () => {
  write('scripts/where.ts', 'console.log(process.cwd())\n')
  expect(await runner('scripts/where.ts')).toEqual({ code: 0, said: `${root}\n` })
})

test('a script with a mistake does not run, except with --no-check', async () => {
  // The folder is not part of the application's tsconfig.json.
  write('tmp/wrong.ts', script.replace('count()', 'coumt?.()'))
  const checked = await runner('tmp/wrong.ts', 'Never')
  expect(checked.code).toBe(1)
  expect(checked.said).toMatch(/^tmp\/wrong\.ts:6:\d+ .*coumt/m)
  const unchecked = await runner('tmp/wrong.ts', '--no-check')
  expect(unchecked).toEqual({ code: 0, said: 'undefined\n' })
  expect((await runner('scripts/add-notes.ts')).said).toBe('2\n')
})

test('the check of the application covers scripts/ and db/', async () => {
  write('scripts/wrong.ts', "export const wrong: number = 'text'\n")
  write('db/seed.ts', "export const seed: number = 'text'\n")
  const { code, said } = await fw(root, 'check')
  expect(code).toBe(1)
  expect(said).toMatch(/^scripts\/wrong\.ts:1:/m)
  expect(said).toMatch(/^db\/seed\.ts:1:/m)
  for (const path of ['scripts/wrong.ts', 'db/seed.ts']) write(path, 'export {}\n')
})

test('a script that throws, and a script that does not exist, are failures', async () => {
  write('scripts/fails.ts', "throw new Error('no rows')\n")
  const failed = await runner('scripts/fails.ts')
  expect(failed.code).toBe(1)
  expect(failed.said).toMatch(/^fw: Error: no rows\n {4}at .*scripts\/fails\.ts:1:/m)
  const missing = await runner('scripts/none.ts')
  expect(missing.code).toBe(1)
  expect(missing.said).toContain(`There is no file ${join(root, 'scripts/none.ts')}`)
})

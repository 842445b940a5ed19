/** A test file that does not load to its end fails the run of `fw test`, although Node's test runner drops the error. */
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { moduleFile } from '../../runtime/base.ts'

const complete = `import { it } from 'node:test'\nit('passes', () => {})\n`
const broken = `${complete}throw new Error('a mistake at the top level')\nit('is missing', () => {})\n`
const late = `${complete}await new Promise((resolve) => setImmediate(resolve))\nthrow new Error('a mistake at the top level')\n`

const node = ['--conditions=fwjs-source', '--disable-warning=ExperimentalWarning']

/** Runs `fw test` in an application with these test files. */
function run(files: Readonly<Record<string, string>>, ...args: readonly string[]) {
  const root = mkdtempSync(join(tmpdir(), 'fw-test-run-'))
  onTestFinished(() => rmSync(root, { recursive: true }))
  for (const folder of ['src/main', 'src/test']) mkdirSync(join(root, folder), { recursive: true })
  writeFileSync(join(root, 'src/main/bootstrap.ts'), '')
  writeFileSync(join(root, 'package.json'), '{ "name": "tried", "type": "module" }')
  for (const [name, text] of Object.entries(files))
    writeFileSync(join(root, 'src/test', name), text)
  const env = { ...process.env, NODE_OPTIONS: '', VITEST: undefined, NODE_TEST_CONTEXT: undefined }
  const main = resolve(moduleFile('tools/cli/main'))
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [...node, main, 'test', '--app', root, ...args],
    { encoding: 'utf8', env, cwd: root },
  )
  return { status, output: stdout + stderr }
}

test('a complete file passes', () => {
  const { status, output } = run({ 'a.test.ts': complete })
  expect([status, output]).toEqual([0, expect.stringMatching(/pass 1/)])
}, 60_000)

test.each([
  ['an error after the first test', broken],
  ['an error after an await', late],
])(
  '%s fails the run and is shown with the file',
  (_case, text) => {
    const { status, output } = run({ 'a.test.ts': complete, 'b.test.ts': text })
    expect([status, output]).toEqual([1, expect.stringContaining('a mistake at the top level')])
    expect(output).toMatch(/src\/test\/b\.test\.ts was not loaded to its end, so tests are missing/)
  },
  60_000,
)

test('a file that ends the process fails the run', () => {
  const files = { 'a.test.ts': `${complete}process.exit(0)\n`, 'b.test.ts': complete }
  const { status, output } = run(files)
  expect(status).toBe(1)
  expect(output).toMatch(/ended before its tests/)
}, 60_000)

test('a file that the command line names fails as well; the others are not loaded', () => {
  const files = { 'a.test.ts': complete, 'b.test.ts': broken }
  expect(run(files, 'src/test/b.test.ts').status).toBe(1)
  expect(run(files, 'src/test/a.test.ts').status).toBe(0)
}, 60_000)

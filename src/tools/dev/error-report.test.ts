/** describeError: locates an error in the application. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { ConfigurationError } from '../../runtime/config.ts'
import { describeError } from './error-report.ts'

const root = mkdtempSync(join(tmpdir(), 'fw-report-'))
mkdirSync(join(root, 'src'))
writeFileSync(join(root, 'src/a.ts'), "// a\nimport { b } from './gone.ts'\nexport const c = (\n")
afterAll(() => rmSync(root, { recursive: true, force: true }))

/** Errors of Node itself; the loader of the test runner throws others. */
function failing(name: string, message: string, stack: string, code?: string): Error {
  return Object.assign(new Error(message), { name, stack, ...(code === undefined ? {} : { code }) })
}

test.each([
  [
    'code that Node does not read',
    failing(
      'SyntaxError',
      'Expression expected',
      `file://${root}/src/a.ts:3\nexport const c = (\n                  ^\n\nSyntaxError: x\n    at parse (node:internal/x:1:2)`,
    ),
    { file: 'src/a.ts', line: 3, column: 19 },
  ],
  [
    'a module that is not there',
    failing(
      'Error',
      `Cannot find module '${root}/src/gone.ts' imported from ${root}/src/a.ts`,
      'Error\n    at resolve (node:internal/x:1:2)',
      'ERR_MODULE_NOT_FOUND',
    ),
    { file: 'src/a.ts', line: 2 },
  ],
  [
    'an error of a package that the application has called',
    failing(
      'Error',
      'x',
      `Error: x\n    at f (${root}/node_modules/p/i.js:1:1)\n    at async g (file://${root}/src/a.ts?v=1:2:3)`,
    ),
    { file: 'src/a.ts', line: 2, column: 3 },
  ],
])('%s', (_name, error, place) => {
  const report = describeError(error, root)
  expect(report.place).toMatchObject(place)
  expect(report.place!.frame).toMatch(new RegExp(`^> ${place.line} \\| \\S`, 'm'))
  expect(report.stack.filter(({ own }) => own)).toHaveLength(_name.startsWith('an error') ? 1 : 0)
})

test('the cause gives the line when the error has none; other thrown values are named as such', () => {
  const cause = failing('Error', 'deep', `Error: deep\n    at h (${root}/src/a.ts:1:2)`)
  const error = failing('Error', 'x', 'Error: x\n    at k (node:internal/x:1:2)')
  error.cause = cause
  const report = describeError(error, root)
  expect(report.place).toMatchObject({ file: 'src/a.ts', line: 1 })
  expect(report.causes).toMatchObject([{ message: 'Error: deep', stack: [{ own: true }] }])
  expect(describeError('text', root).message).toBe('A value that is not an error was thrown: text')
  expect(describeError(undefined, root).place).toBeUndefined()
})

test('a column named `at` in the message is no stack frame', () => {
  const message = 'syntax error in: create table x (\n    at timestamptz,\n    at /src/a.ts:1:1\n)'
  const stack = `Error: ${message}\n    at h (${root}/src/a.ts:1:2)`
  const report = describeError(failing('Error', message, stack), root)
  expect(report.stack).toEqual([{ text: 'h (src/a.ts:1:2)', own: true }])
})

test('invalid YAML has an excerpt', () => {
  writeFileSync(join(root, 'src/application.yml'), 'server:\n  hosts: [a\nlimits: 1\n')
  const origin = { file: join(root, 'src/application.yml'), line: 2, column: 10 }
  const report = describeError(new ConfigurationError([{ origin, text: 'is no list' }]), root)
  expect(report.place).toMatchObject({ file: 'src/application.yml', line: 2, column: 10 })
  expect(report.place!.frame).toContain('> 2 |   hosts: [a\n    |          ^')
})

/** `fw test:from-error`: its JSON, and how it compares the failure of a test with that of the request. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, onTestFinished, test, vi } from 'vitest'
import { describeError, requestRecords, type RequestRecord } from '../dev.ts'
import { failureReason, testFromError } from './test-from-error.ts'

afterEach(() => {
  vi.restoreAllMocks()
  process.exitCode = undefined
})

test.each([
  [new TypeError('no cart\nof 7'), 'no cart'],
  [new RangeError(''), 'RangeError'],
  ['a text', 'a text'],
])('the reason of %s is %s', (thrown, reason) => {
  expect(failureReason(describeError(thrown, '/app'))).toBe(reason)
})

const record: RequestRecord = {
  id: 'LNJNTPKWeIhshmDH',
  at: '2026-01-02T03:04:05.000Z',
  error: { name: 'TypeError', message: 'no cart of 7' },
  method: 'GET',
  path: '/cart',
  query: [],
  headers: [],
  session: [],
  flash: [],
  token: false,
  omitted: ['header authorization'],
  tables: [],
  rows: [],
}

/** The JSON of the command, in an application with this record only. */
async function runCommand(
  options: { readonly run: boolean; readonly pretend?: boolean },
  kept: object = record,
) {
  const root = mkdtempSync(join(tmpdir(), 'fw-error-test-'))
  onTestFinished(() => rmSync(root, { recursive: true, force: true }))
  writeFileSync(join(root, 'package.json'), '{ "type": "module" }')
  mkdirSync(join(root, 'src/main'), { recursive: true })
  writeFileSync(join(root, 'src/main/bootstrap.ts'), 'export class Bootstrap {}\n')
  requestRecords(root).keep(record.id, kept)
  let said = ''
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => (said += String(text)) !== '')
  await testFromError(undefined, { app: root, json: true, ...options })
  return { code: process.exitCode ?? 0, document: JSON.parse(said) as object }
}

const path = expect.stringMatching(/^src\/test\/error\/get-cart-\w+\.test\.ts$/) as string

test('a record of an older version, without rows and descriptions, becomes a test', async () => {
  const { rows: _rows, omitted: _omitted, ...older } = record
  const { document } = await runCommand({ run: false }, { ...older, tables: ['carts'] })
  expect(document).toMatchObject({ files: [{ path, done: 'created' }] })
})

test('--json prints one document', async () => {
  expect(await runCommand({ run: false })).toEqual({
    code: 0,
    document: { files: [{ path, done: 'created' }], omitted: record.omitted, tried: null },
  })
})

test('a test that fails with another error: its output is printed, and the exit code is 1', async () => {
  expect(await runCommand({ run: true })).toEqual({
    code: 1,
    document: {
      files: [{ path, done: 'created' }],
      omitted: record.omitted,
      tried: {
        result: 'otherwise',
        reason: 'no cart of 7',
        output: expect.stringContaining('ERR_MODULE_NOT_FOUND') as string,
      },
    },
  })
})

/** `fw test:from-error`: what it tells programs, and what shows that a test fails as its request did. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, onTestFinished, test, vi } from 'vitest'
import { describeError, recordsOf, type RequestRecord } from '../dev.ts'
import { reasonOf, testFromError } from './test-from-error.ts'

afterEach(() => {
  vi.restoreAllMocks()
  process.exitCode = undefined
})

test.each([
  [new TypeError('no cart\nof 7'), 'no cart'],
  [new RangeError(''), 'RangeError'],
  ['a text', 'a text'],
])('of %s it is %s', (thrown, reason) => {
  expect(reasonOf(describeError(thrown, '/app'))).toBe(reason)
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
  left: ['header authorization'],
  tables: [],
}

/** What the command says as JSON, in an application that has nothing but this record. */
async function told(options: { readonly run: boolean; readonly pretend?: boolean }) {
  const root = mkdtempSync(join(tmpdir(), 'fw-error-test-'))
  onTestFinished(() => rmSync(root, { recursive: true, force: true }))
  writeFileSync(join(root, 'package.json'), '{ "type": "module" }')
  mkdirSync(join(root, 'src/main'), { recursive: true })
  writeFileSync(join(root, 'src/main/bootstrap.ts'), 'export class Bootstrap {}\n')
  recordsOf(root).keep(record.id, record)
  let said = ''
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => (said += String(text)) !== '')
  await testFromError(undefined, { app: root, json: true, ...options })
  return { code: process.exitCode ?? 0, document: JSON.parse(said) as object }
}

const path = expect.stringMatching(/^src\/test\/error\/get-cart-\w+\.test\.ts$/) as string

test('for programs it is one document', async () => {
  expect(await told({ run: false })).toEqual({
    code: 0,
    document: { files: [{ path, done: 'created' }], left: record.left, tried: null },
  })
})

test('a test that fails otherwise is told with its output, and the exit code is 1', async () => {
  expect(await told({ run: true })).toEqual({
    code: 1,
    document: {
      files: [{ path, done: 'created' }],
      left: record.left,
      tried: {
        result: 'otherwise',
        reason: 'no cart of 7',
        output: expect.stringContaining('ERR_MODULE_NOT_FOUND') as string,
      },
    },
  })
})

/** The test that is generated from a failed request: valid code for any request. */
import { parseSync } from 'oxc-parser'
import { expect, test } from 'vitest'
import type { RequestRecord } from '../../src/tools/dev.ts'
import { generateErrorTest } from '../../src/tools/generate.ts'

const record: RequestRecord = {
  id: '-_Ab12cd34ef',
  at: '2026-01-02T03:04:05.000Z',
  error: { name: 'TypeError', message: "*/ process.exit() /* it's", place: 'src/main/a.ts:1' },
  method: 'POST',
  path: "/members/it's*/${1}/\\u0000",
  query: [
    ['a', '1'],
    ['a', '2'],
    ['__proto__', "'"],
  ],
  headers: [
    ['accept', 'text/html'],
    ['content-type', 'application/json'],
    ['x-mode', "'); process.exit(('"],
  ],
  json: "{ since: Temporal.PlainDate.from('2000-01-02') }",
  session: [['userId', '7']],
  flash: [['notice', "'Saved'"]],
  token: true,
  omitted: ['header authorization', '*/'],
  tables: ['members', 'orders'],
  rows: [
    { table: 'orders', rows: [{ id: 7, note: "it's", paid: true, sent: null }] },
    { table: 'long', rows: [{ name: 'x'.repeat(90) }] },
  ],
}

test('is valid code for any request', () => {
  const { path, text } = generateErrorTest(record)
  expect(path).toBe('src/test/error/post-members-it-s-1-u0000-ab12cd.test.ts')
  const { program, errors, comments } = parseSync('a.ts', text)
  expect(errors).toEqual([])
  expect(comments).toHaveLength(2)
  expect(comments[0]!.value).toContain('header authorization, * /')
  expect(comments[0]!.value).toContain('queried members, whose rows')
  expect(program.body.map(({ type }) => type)).toEqual([
    'ImportDeclaration',
    'ImportDeclaration',
    'ImportDeclaration',
    'ImportDeclaration',
    'ImportDeclaration',
    'VariableDeclaration',
    'ExpressionStatement',
  ])
  expect(text).toContain(
    "  await app.insertRows('orders', [\n    { id: 7, note: 'it\\'s', paid: true, sent: null },\n  ])",
  )
  expect(text).toMatch(/'long', \[\n {4}\{\n {6}name: 'x{90}',\n {4}\},\n {2}\]\)/)
  expect(text).toContain("app.session({ attributes: { userId: 7 }, flash: { notice: 'Saved' } })")
  expect(text).toContain(`query: { a: ['1', '2'], ['__proto__']: '\\'' },`)
  expect(text).toContain(`headers: { accept: 'text/html', 'x-mode': '\\'); process.exit((\\'' },`)
  expect(text).toContain("json: { since: Temporal.PlainDate.from('2000-01-02') },")
})

test('without a session, the application sends the request', () => {
  const plain = {
    ...record,
    session: [],
    flash: [],
    token: false,
    omitted: [],
    tables: [],
    rows: [],
  }
  const { text } = generateErrorTest({ ...plain, method: 'GET', path: '/', query: [], headers: [] })
  expect(text).toContain("const page = await app.request('GET', '/', {")
  expect(text).not.toMatch(/Omitted|queried|insertRows/)
})

/** literal: evaluating the code returns an equal value. */
import { runInThisContext } from 'node:vm'
import { expect, test } from 'vitest'
import { Temporal } from '../../runtime/base.ts'
import { literal } from './code-literal.ts'
import { redactMembers } from './redact-request.ts'

const made = (code: string): unknown => {
  const make = runInThisContext(`(Temporal) => (${code})`) as (temporal: typeof Temporal) => unknown
  return make(Temporal)
}

test.each([
  ['plain values', [1, -0, 1.5e300, true, null, undefined, 12n, '']],
  ['texts', ["it's", '"quoted"', '\\\\"', "\\'", 'a\nb\u2028c\0', '</script>*/', '${x}`']],
  ['names of members', JSON.parse('{"__proto__":{"a":1},"a-b":2,"constructor":3,"1":4}')],
  ['dates', [new Date(0), Temporal.PlainDate.from('2000-01-02'), Temporal.Duration.from('PT1H')]],
  ['collections', [new Map<unknown, unknown>([['a', new Set([1])]]), Uint8Array.from([1, 255])]],
])('%s', (_name, value) => {
  expect(made(literal(value)!)).toEqual(value)
})

test('a value without a literal is undefined', () => {
  let deep: unknown = 1
  for (let n = 0; n < 100; n++) deep = [deep]
  class Own {}
  for (const value of [() => 1, Symbol('s'), new Own(), { a: new Own() }, deep])
    expect(literal(value)).toBeUndefined()
})

test('secrets are redacted at any depth, and listed by their paths', () => {
  const paths: string[] = []
  const value = { name: 'Ann', login: [{ password: 'hush', apiToken: null }], cookie: { a: 1 } }
  expect(redactMembers(value, 'json', paths)).toEqual({
    name: 'Ann',
    login: [{ password: '[redacted]', apiToken: null }],
    cookie: '[redacted]',
  })
  expect(paths).toEqual(['json.login[0].password', 'json.cookie'])
})

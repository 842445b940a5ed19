/** The calls that make a column optional are removed, and nothing else. */
import { expect, test } from 'vitest'
import { requiredColumn } from './required-column.ts'

test.each([
  ['a: ParamType.optional(ParamType.Long),', 'a: ParamType.Long,'],
  ['a: defaulted(ParamType.optional(list(ParamType.Int))), b', 'a: list(ParamType.Int), b'],
  ['a: P.optional(P.Long),', 'a: P.Long,'],
  ['a: ParamType.String,', 'a: ParamType.String,'],
  ['a: ParamType.optional(ParamType.Long', 'a: ParamType.optional(ParamType.Long'],
  ['a, b', 'a, b'],
  ["a': ParamType.optional(ParamType.Long),", "a': ParamType.Long,"],
])('%s', (code, expected) => {
  const removed = requiredColumn(code, 1).toSorted((a, b) => b.start - a.start)
  const text = removed.reduce(
    (rest, { start, end }) => rest.slice(0, start) + rest.slice(end),
    code,
  )
  expect(text).toBe(expected)
})

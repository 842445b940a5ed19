/** The type of a JSON column accepts only texts that PostgreSQL can store. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { json } from '../model.ts'

test.each([
  ['{"a":"\\u0000"}', undefined],
  ['{"\\u0000":1}', undefined],
  ['["\\ud800"]', undefined],
  ['["\\\\\\u0000"]', undefined],
  ['["\\\\u0000"]', ['\\u0000']],
  ['["\\ud83d\\ude00"]', ['😀']],
  ['{', undefined],
  ['null', null],
])('a JSON column takes %s as %j', (text, value) => {
  expect(json().parse(text)).toEqual(value)
})

test('any other JSON is stored unchanged', () => {
  const unit = fc.constantFrom('\\', 'u', '0', 'd', '8', '"', 'é', '😀')
  fc.assert(
    fc.property(fc.array(fc.string({ unit })), (value) => {
      expect(json().parse(JSON.stringify(value))).toEqual(value)
    }),
  )
})

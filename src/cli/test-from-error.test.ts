/** What tells that a written test fails as its request did. */
import { expect, test } from 'vitest'
import { describeError } from '../dev.ts'
import { reasonOf } from './test-from-error.ts'

test.each([
  [new TypeError('no cart\nof 7'), 'no cart'],
  [new RangeError(''), 'RangeError'],
  ['a text', 'a text'],
])('of %s it is %s', (thrown, reason) => {
  expect(reasonOf(describeError(thrown, '/app'))).toBe(reason)
})

/** Suggestions for misspelt names. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { didYouMean } from './did-you-mean.ts'

const names = ['index', 'show', 'create', 'newInput', 'timeouts']

test.each([
  ['idnex', 'index'],
  ['indx', 'index'],
  ['indexx', 'index'],
  ['Show', 'show'],
  ['newinput', 'newInput'],
  ['timeoust', 'timeouts'],
  ['shwo', 'show'],
  ['zzz', undefined],
  ['', undefined],
  ['show', undefined],
])('%s: %s', (word, expected) => {
  expect(didYouMean(word, names)).toBe(expected)
})

test('returns the most similar name, within an optional limit', () => {
  expect(didYouMean('membre', ['number', 'member'])).toBe('member')
  expect(didYouMean('creat', names, 0)).toBeUndefined()
})

test('finds a name at a distance of one edit', () => {
  const name = fc.stringMatching(/^[a-z]{4,20}$/)
  fc.assert(
    fc.property(name, fc.nat(19), (word, at) => {
      const dropped = word.slice(0, at % word.length) + word.slice((at % word.length) + 1)
      expect(didYouMean(dropped, [word])).toBe(word)
    }),
  )
})

test('very long words are not compared', () => {
  expect(didYouMean('x'.repeat(100_000), ['x'.repeat(99_999)])).toBeUndefined()
})

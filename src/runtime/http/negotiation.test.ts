import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { bestEncoding, FormatTable, parsePreferences } from './negotiation.ts'

const formats = new FormatTable()
const browser = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8'

describe('preferred: the known type with the highest weight', () => {
  test.each([
    ['application/xml', 'xml'],
    ['application/json; q=0.4, application/xml; q=0.8, text/plain, */*', 'txt'],
    [browser, 'html'],
    ['*/*', undefined],
    ['text/html;level=1;q=0.5, application/json;q=0.6', 'json'],
    ['application/json;q=abc, text/xml', 'xml'],
    ['application/json;q=0', undefined],
    ['TEXT/HTML', 'html'],
    ['', undefined],
  ])('%s', (accept, expected) => expect(formats.preferred(accept)).toBe(expected))
})

describe('best: the offered format with the highest weight', () => {
  test.each([
    [undefined, ['html', 'json'], 'html'],
    ['*/*', ['json', 'html'], 'json'],
    [browser, ['json', 'html'], 'html'],
    [browser, ['json'], 'json'],
    ['text/*', ['json', 'html'], 'html'],
    ['text/*;q=0.5, application/json;q=0.4', ['json', 'txt'], 'txt'],
    ['text/html;q=0, */*', ['html', 'json'], 'json'],
    ['text/*;q=0, */*', ['html', 'json'], 'json'],
    ['image/png', ['html', 'json'], undefined],
    ['application/problem+json', ['html', 'json'], 'json'],
    ['application/geo+json;q=0.5, application/json;q=0, text/html;q=0.1', ['html', 'json'], 'html'],
    ['application/json;q=0.1, application/geo+json, text/html;q=0.5', ['html', 'json'], 'html'],
    ['*/*', [], undefined],
  ])('%s of %o', (accept, offered, expected) =>
    expect(formats.best(accept, offered)).toBe(expected),
  )
})

test('a table can be extended without changing other tables', () => {
  const own = new FormatTable()
  own.add('parquet', 'text/parquet')
  expect([
    own.typeOf('parquet'),
    own.preferred('text/parquet'),
    own.best('text/parquet', ['html', 'parquet']),
  ]).toEqual(['text/parquet', 'parquet', 'parquet'])
  expect([
    formats.typeOf('parquet'),
    formats.typeOf('html5'),
    formats.preferred('text/html'),
  ]).toEqual([undefined, 'text/html', 'html'])
})

describe('bestEncoding', () => {
  test.each([
    [undefined, undefined],
    ['gzip', 'gzip'],
    ['br;q=0.5, gzip;q=0.8', 'gzip'],
    ['gzip, br', 'br'],
    ['br;q=0, *', 'gzip'],
    ['*;q=0', undefined],
    ['identity', undefined],
    ['', undefined],
  ])('%s', (header, expected) => expect(bestEncoding(header, ['br', 'gzip'])).toBe(expected))
})

test('a long header takes little time', () => {
  for (let i = 0; i < 2; i++) expect(parsePreferences('text/html, '.repeat(3000))).toHaveLength(64)
  expect(parsePreferences(`a/b;q="${'\\\\'.repeat(8000)}`)).toEqual([])
})

test('property: entries are sorted by weight, and keep their order within a weight', () => {
  const entry = fc.record({
    type: fc.constantFrom('a/b', 'c/d', 'e/f', '*/*'),
    tenths: fc.integer({ min: 0, max: 10 }),
  })
  fc.assert(
    fc.property(fc.array(entry, { maxLength: 30 }), (entries) => {
      const header = entries.map(({ type, tenths }) => `${type};q=${tenths / 10}`).join(', ')
      const expected = entries.map(({ type, tenths }) => ({ value: type, quality: tenths / 10 }))
      expect(parsePreferences(header)).toEqual(
        expected.toSorted((left, right) => right.quality - left.quality),
      )
    }),
  )
})

test('property: no header throws, and best returns an offered format', () => {
  fc.assert(
    fc.property(fc.string(), (header) => {
      const offered = ['html', 'json']
      const best = formats.best(header, offered)
      expect(best === undefined || offered.includes(best)).toBe(true)
      bestEncoding(header, offered)
    }),
  )
})

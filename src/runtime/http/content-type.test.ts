import fc from 'fast-check'
import { expect, test } from 'vitest'
import { cachedByHeader, charsetOf, parseContentType } from './content-type.ts'

test.each([
  ['text/html', 'text/html', {}],
  [' Text/HTML ; Charset="UTF-8" ', 'text/html', { charset: 'UTF-8' }],
  ['a/b;x=1;y="a\\"b;c"', 'a/b', { x: '1', y: 'a"b;c' }],
  ['a/b;', 'a/b', {}],
])('%j', (header, essence, parameters) => {
  const parsed = parseContentType(header)
  expect([parsed?.essence, Object.fromEntries(parsed!.parameters)]).toEqual([essence, parameters])
})

test.each([
  '',
  'text',
  'text/',
  '/html',
  'text/html x',
  'text/html/x',
  'a/b;x',
  'a/b;x=',
  'a/b;=1',
  'a/b;x="',
  'a/b;x="\\"',
  'a/b;x=1;X=1',
  'a/b;x="1"2',
  'a /b',
])('%j is not a content type', (header) => expect(parseContentType(header)).toBeUndefined())

test('the charset in lower case', () => {
  expect(charsetOf(parseContentType('a/b; charset=UTF-8')!)).toBe('utf-8')
})

test('property: linear and never throws', () => {
  fc.assert(fc.property(fc.string({ unit: 'binary' }), (header) => void parseContentType(header)))
  expect(parseContentType('a/b;x="' + '\\'.repeat(100_000))).toBeUndefined()
})

test('a malformed header is parsed once, too', () => {
  let parsed = 0
  const parse = cachedByHeader(() => void parsed++)
  for (let time = 0; time < 3; time++) expect(parse('malformed')).toBeUndefined()
  expect(parsed).toBe(1)
})

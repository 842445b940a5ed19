import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseQuery } from './query.ts'

const pairs = (text: string) => [...parseQuery(text)]
const invalid = expect.objectContaining({ status: 400, code: 'http.query-invalid' })

test.each([
  ['', []],
  ['a', [['a', ['']]]],
  ['a=', [['a', ['']]]],
  ['=a', [['', ['a']]]],
  ['a=b=c', [['a', ['b=c']]]],
  ['&&a=1&&', [['a', ['1']]]],
  [
    'a=1&b=2&a=1&a=2',
    [
      ['a', ['1', '1', '2']],
      ['b', ['2']],
    ],
  ],
  ['a=1;b=2', [['a', ['1;b=2']]]],
  ['a+b=c+d%2B', [['a b', ['c d+']]]],
  ['%E5%B1%B1=%e5%b7%9d', [['山', ['川']]]],
  [
    'a[]=1&a[b]=2',
    [
      ['a[]', ['1']],
      ['a[b]', ['2']],
    ],
  ],
  [
    '__proto__=1&constructor=2',
    [
      ['__proto__', ['1']],
      ['constructor', ['2']],
    ],
  ],
  ['a=%252e', [['a', ['%2e']]]],
])('%s', (text, expected) => expect(pairs(text)).toEqual(expected))

test.each([
  'a=%',
  'a=%zz',
  'a=%4',
  '%=1',
  'a=%ed%a0%80',
  'a=%c0%80',
  'a=%ff',
  'a=b%00c',
  'a=b\0c',
  'a=\xff',
  'a=é%zz',
  'a=\xc3\xa9%zz',
  'a=\xc3\xa9%00',
])('%j is rejected', (text) => expect(() => parseQuery(text)).toThrow(invalid))

test('raw bytes are read as UTF-8', () => {
  const raw = Buffer.from('é山').toString('latin1')
  expect(pairs(`a=${raw}+%C3%A9&b=%41`)).toEqual([
    ['a', ['é山 é']],
    ['b', ['A']],
  ])
})

describe('limits', () => {
  test('1000 pairs', () => {
    expect(parseQuery('a=1&'.repeat(1000)).get('a')).toHaveLength(1000)
    expect(() => parseQuery('a=1&'.repeat(1001))).toThrow(invalid)
  })
  test('names of 256 bytes', () => {
    expect(parseQuery('a'.repeat(256)).size).toBe(1)
    expect(() => parseQuery('a'.repeat(257))).toThrow(invalid)
    expect(() => parseQuery('%C3%A9'.repeat(129))).toThrow(invalid)
  })
})

test('property: reads the output of URLSearchParams like URLSearchParams', () => {
  const text = fc
    .string({ unit: 'grapheme', maxLength: 20 })
    .map((each) => each.replaceAll('\0', ''))
  fc.assert(
    fc.property(fc.array(fc.tuple(text, text), { maxLength: 20 }), (entries) => {
      const written = new URLSearchParams(entries.map(([name, value]) => [name, value]))
      const expected = new Map<string, string[]>()
      for (const [name, value] of written)
        expected.set(name, [...(expected.get(name) ?? []), value])
      expect(parseQuery(written.toString())).toEqual(expected)
    }),
  )
})

test('property: reads any well-formed text like URLSearchParams', () => {
  const piece = fc.constantFrom(
    'a',
    'b',
    '=',
    '&',
    '+',
    ';',
    '%41',
    '%C3%A9',
    '%3D',
    '%26',
    '?',
    '[',
    ']',
    '/',
    '"',
  )
  fc.assert(
    fc.property(
      fc.array(piece, { maxLength: 30 }).map((each) => each.join('')),
      (text) => {
        const expected = [...new URLSearchParams(text.startsWith('?') ? '?' + text : text)]
        const read = parseQuery(text)
        expect([...read.values()].flat()).toHaveLength(expected.length)
        for (const [name] of expected) {
          expect(read.get(name)).toEqual(
            expected.filter(([each]) => each === name).map(([, value]) => value),
          )
        }
      },
    ),
  )
})

function codeOf(run: () => unknown): unknown {
  try {
    run()
    return undefined
  } catch (error) {
    return (error as { code?: unknown }).code
  }
}

test('property: any text is read or rejected', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      expect(codeOf(() => parseQuery(text))).toBeOneOf([undefined, 'http.query-invalid'])
    }),
  )
})

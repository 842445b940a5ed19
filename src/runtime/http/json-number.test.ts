import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  JsonNumber,
  numberText,
  parseExactJson,
  parseStoredJson,
  toUsableNumbers,
} from './json-number.ts'

const digits = fc.string({ unit: fc.constantFrom(...'0123456789'), minLength: 1, maxLength: 25 })
const number = fc
  .tuple(
    fc.constantFrom('', '-'),
    digits,
    fc.option(digits),
    fc.option(fc.tuple(fc.constantFrom('e', 'E', 'e+', 'e-'), fc.nat(330))),
  )
  .map(([sign, whole, fraction, power]) => {
    const integer = whole.replace(/^0+(?=\d)/, '')
    return [sign, integer, fraction === null ? '' : `.${fraction}`, ...(power ?? [])].join('')
  })

/** The value of a number's text as integer and number of decimals. */
function decimal(text: string): readonly [bigint, number] {
  const [, sign, whole, fraction = '', power = '0'] =
    /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(text)!
  const [all, decimals] = [BigInt(`${sign}${whole}${fraction}`), fraction.length - Number(power)]
  return decimals < 0 ? [all * 10n ** BigInt(-decimals), 0] : [all, decimals]
}

function isSame(one: string, other: string): boolean {
  const [[a, aDecimals], [b, bDecimals]] = [decimal(one), decimal(other)]
  return a * 10n ** BigInt(bDecimals) === b * 10n ** BigInt(aDecimals)
}

describe('parseExactJson', () => {
  it('returns a number, or a number object if the digits would change', () => {
    fc.assert(
      fc.property(number, fc.string(), (text, before) => {
        const [value] = parseExactJson(`[${text},${JSON.stringify(before)}]`) as [unknown, string]
        const isKept = Number.isFinite(Number(text)) && isSame(text, String(Number(text)))
        expect(typeof value).toBe(isKept ? 'number' : 'object')
        expect(isSame(String(value), text)).toBe(true)
        expect(Number(value)).toBe(Number(text))
        expect(isSame(JSON.stringify(value), text)).toBe(true)
      }),
      { numRuns: 2000 },
    )
  })

  it('returns the same as JSON.parse for doubles, wherever they are', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.nat(20), (value, indent) => {
        const text = JSON.stringify(value, undefined, indent)
        expect(parseExactJson(text)).toEqual(JSON.parse(text))
      }),
      { numRuns: 500 },
    )
  })

  it.each(['', '{', '[1', '[1e400', '[12345678901234567', '[01234567890123456789]', '[1.]'])(
    'refuses %j',
    (text) => {
      expect(() => parseExactJson(text)).toThrow(SyntaxError)
    },
  )
})

describe('numbers that code uses', () => {
  it.each([
    ['0.10000000000000001', 'number'],
    ['139.69170654684135', 'number'],
    ['9007199254740992.0', 'number'],
    ['9007199254740993', 'object'],
    ['0.100000000000000011', 'object'],
    ['1e400', 'object'],
  ])('%s is a %s', (text, type) => {
    expect(typeof parseStoredJson(text)).toBe(type)
    const body = parseExactJson(`{"a":[1,${text}],"__proto__":{"b":${text}}}`)
    const usable = toUsableNumbers(body) as { a: unknown[] }
    expect(typeof usable.a[1]).toBe(type)
    expect(Object.keys(usable)).toEqual(['a', '__proto__'])
  })

  it('are not copied without need', () => {
    const value = { a: [1, { b: 'c' }] }
    expect(toUsableNumbers(value)).toBe(value)
  })
})

it('a number object calculates, and prints its digits', () => {
  const value = new JsonNumber('9007199254740993') as unknown as number
  expect([value + 1, `${value}`, value > 5]).toEqual([
    9007199254740992 + 1,
    '9007199254740993',
    true,
  ])
  expect(JSON.stringify({ value }, undefined, 2)).toBe('{\n  "value": 9007199254740993\n}')
  expect(String(new JsonNumber('-1.50e-3'))).toBe('-0.0015')
  expect(String(new JsonNumber('1e5000'))).toBe('1e5000')
})

it('the text of a number has no exponent', () => {
  expect([1e21, 1e-7, -1.5e-9, 0, -0, 12.5].map(numberText)).toEqual([
    '1000000000000000000000',
    '0.0000001',
    '-0.0000000015',
    '0',
    '0',
    '12.5',
  ])
})

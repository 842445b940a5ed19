import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { Temporal } from '../base.ts'
import { decodeValue, encodeValue } from './attributes.ts'

const encoded = (value: unknown) => encodeValue('x', value)
const roundTrip = (value: unknown) => decodeValue(encoded(value))

describe('values', () => {
  test('JSON data, dates, bigint, bytes, maps and sets decode to equal values at any depth', () => {
    const leaf = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.double({ noNaN: true, noDefaultInfinity: true }).map((number) => number + 0),
      fc.boolean(),
      fc.constant(null),
      fc.bigInt(),
      fc.date({ noInvalidDate: true }),
      fc.uint8Array(),
    )
    const key = fc.oneof(fc.string(), fc.constantFrom('$', 'v', 'constructor', 'toString'))
    const { value } = fc.letrec((tie) => ({
      value: fc.oneof(
        { depthSize: 'small' },
        leaf,
        fc.array(tie('value'), { maxLength: 4 }),
        fc.dictionary(
          key.filter((name) => name !== '__proto__'),
          tie('value'),
          { maxKeys: 4, noNullPrototype: true },
        ),
        fc
          .array(fc.tuple(fc.string(), tie('value')), { maxLength: 3 })
          .map((pairs) => new Map(pairs)),
        fc.uniqueArray(fc.string(), { maxLength: 3 }).map((items) => new Set(items)),
      ),
    }))
    fc.assert(
      fc.property(value, (original) => {
        expect(roundTrip(original)).toEqual(original)
        expect(encoded(roundTrip(original))).toBe(encoded(original))
      }),
      { numRuns: 100 },
    )
  })

  test.each([
    Temporal.Instant.from('2026-01-02T03:04:05.123456789Z'),
    Temporal.ZonedDateTime.from('2026-01-02T03:04:05+01:00[Europe/Berlin]'),
    Temporal.PlainDate.from('2026-01-02'),
    Temporal.PlainTime.from('03:04:05'),
    Temporal.PlainDateTime.from('2026-01-02T03:04:05'),
    Temporal.PlainYearMonth.from('2026-01'),
    Temporal.PlainMonthDay.from('01-02'),
    Temporal.Duration.from('P1DT2H'),
  ])('%s keeps its type', (value) => {
    const back = roundTrip([value]) as [unknown]
    expect(back[0]?.constructor).toBe(value.constructor)
    expect(String(back[0])).toBe(String(value))
  })

  test('a Buffer decodes to a Uint8Array', () => {
    expect(roundTrip(Buffer.from([0, 255, 7]))).toEqual(new Uint8Array([0, 255, 7]))
  })

  test('undefined members are omitted, undefined items become null', () => {
    expect(roundTrip({ a: undefined, b: [undefined] })).toEqual({ b: [null] })
  })

  test.each([
    ['a function', () => 1],
    ['a symbol', Symbol('x')],
    ['NaN', Number.NaN],
    ['infinity', [Number.POSITIVE_INFINITY]],
    ['an invalid date', new Date(Number.NaN)],
    ['an instance', new (class Cart {})()],
    ['an error', { cause: new Error('x') }],
  ])('%s is refused with the name of the attribute', (_what, value) => {
    expect(() => encodeValue('cart', value)).toThrow(
      expect.objectContaining({ code: 'session.value-invalid' }),
    )
    expect(() => encodeValue('cart', value)).toThrow(/^Session attribute "cart": /)
  })

  test('a value that refers to itself is refused', () => {
    const cyclic: unknown[] = []
    cyclic.push({ cyclic })
    expect(() => encoded(cyclic)).toThrow(/refers to itself/)
  })

  test('64 KiB of JSON in UTF-8 is the maximum', () => {
    expect(encoded('x'.repeat(65_534))).toHaveLength(65_536)
    for (const value of ['x'.repeat(65_535), 'é'.repeat(32_768), 'x'.repeat(2 * 1024 * 1024)]) {
      expect(() => encoded(value)).toThrow(
        expect.objectContaining({ code: 'session.value-too-large' }),
      )
    }
  })
})

describe('the stored form', () => {
  // Stored sessions have these texts: never change them.
  test.each([
    ['{"$":"date","v":"2026-01-02T03:04:05.678Z"}', new Date('2026-01-02T03:04:05.678Z')],
    [
      '{"$":"date","v":"+012026-01-02T03:04:05.678Z"}',
      new Date(Date.UTC(12_026, 0, 2, 3, 4, 5, 678)),
    ],
    ['{"$":"bytes","v":"AP8H"}', new Uint8Array([0, 255, 7])],
    ['{"$":"bigint","v":"-9007199254740993"}', -9_007_199_254_740_993n],
    ['{"$":"map","v":[["a",{"$":"set","v":[1,null]}]]}', new Map([['a', new Set([1, null])]])],
    ['{"$":"object","v":{"$":"date","v":[true]}}', { $: 'date', v: [true] }],
    ['{"a":[{"b":"c"}],"d":1.5}', { a: [{ b: 'c' }], d: 1.5 }],
  ])('%s is read and written unchanged', (text, value) => {
    expect(decodeValue(text)).toEqual(value)
    expect(encodeValue('x', value)).toBe(text)
  })

  test('Temporal values are their ISO text', () => {
    expect(encodeValue('x', Temporal.PlainDate.from('2026-01-02'))).toBe(
      '{"$":"plain-date","v":"2026-01-02"}',
    )
    expect(decodeValue('{"$":"duration","v":"P1DT2H"}')).toBeInstanceOf(Temporal.Duration)
  })
})

describe('untrusted texts', () => {
  test('__proto__ is ignored and changes no prototype', () => {
    const value = decodeValue('{"__proto__":{"admin":true},"a":{"__proto__":{"admin":true}}}') as {
      a: object
    }
    expect(value).toEqual({ a: {} })
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype)
    expect(({} as { admin?: unknown }).admin).toBeUndefined()
    expect(JSON.stringify(JSON.parse(encoded(JSON.parse('{"__proto__":1,"b":2}'))))).toBe('{"b":2}')
  })

  test.each([
    '',
    'undefined',
    '{"$":"fn","v":"1"}',
    '{"$":{"x":1}}',
    '{"$":"date","v":"soon"}',
    '{"$":"map","v":{}}',
    '{"$":"map","v":[1]}',
    '{"$":"bigint","v":"1.5"}',
    '{"$":"object"}',
    '['.repeat(70) + ']'.repeat(70),
    '['.repeat(30_000) + ']'.repeat(30_000),
  ])('invalid text %# is an error', (text) => {
    expect(() => decodeValue(text)).toThrow(Error)
  })
})

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { growth, linearGrowth } from '../base/growth.fixture.ts'
import { MultiParams, ParamType, Params } from '../params.ts'

const read = <T>(type: ParamType<T>, ...texts: string[]) =>
  new Params(new Map([['k', texts]])).getAs('k', type)

describe('getAs', () => {
  it('returns undefined for an absent key, and the default for an absent or unconvertible one', () => {
    const params = new Params(new Map([['page', ['x']]]))
    expect(params.getAs('none', ParamType.Int)).toBeUndefined()
    expect(params.getAs('none', ParamType.Boolean)).toBeUndefined()
    expect(params.getAsOrElse('none', ParamType.Int, 1)).toBe(1)
    expect(params.getAsOrElse('page', ParamType.Int, 1)).toBe(1)
    expect(new Params(new Map([['page', ['0']]])).getAsOrElse('page', ParamType.Int, 1)).toBe(0)
  })

  it.each(['on', 'TRUE', 'Ok', '1', 'checked', 'yes', 'enable', 'ENABLED'])('%s is true', (word) =>
    expect(read(ParamType.Boolean, word)).toBe(true),
  )
  it.each(['off', 'false', '0', '', 'maybe', ' true'])('"%s" is false', (word) =>
    expect(read(ParamType.Boolean, word)).toBe(false),
  )

  it.each<[string, ParamType<unknown>, string, unknown]>([
    ['String', ParamType.String, '', ''],
    ['String', ParamType.String, ' a ', ' a '],
    ['String with NUL', ParamType.String, 'a\0', undefined],
    ['String with half a character', ParamType.String, 'a\ud83d', undefined],
    ['String with a whole one', ParamType.String, 'a\ud83d\ude00', 'a😀'],
    ['NullableString', ParamType.NullableString, '', undefined],
    ['NullableString', ParamType.NullableString, '  ', '  '],
    [
      'Uuid',
      ParamType.Uuid,
      '0B0D3C4E-1111-4222-8333-0123456789aB',
      '0b0d3c4e-1111-4222-8333-0123456789ab',
    ],
    ['Uuid', ParamType.Uuid, '0b0d3c4e111142228333012345678901', undefined],
    ['Uuid', ParamType.Uuid, ' 0b0d3c4e-1111-4222-8333-0123456789ab', undefined],
    ['Uuid', ParamType.Uuid, '0b0d3c4e-1111-4222-8333-0123456789ag', undefined],
    ['Byte', ParamType.Byte, '127', 127],
    ['Byte', ParamType.Byte, '-128', -128],
    ['Byte', ParamType.Byte, '128', undefined],
    ['Short', ParamType.Short, '32767', 32767],
    ['Short', ParamType.Short, '-32769', undefined],
    ['Int', ParamType.Int, '+5', 5],
    ['Int', ParamType.Int, '007', 7],
    ['Int', ParamType.Int, '-0', 0],
    ['Int', ParamType.Int, '2147483648', undefined],
    ['Int', ParamType.Int, '2.0', undefined],
    ['Int', ParamType.Int, '', undefined],
    ['Int', ParamType.Int, '-', undefined],
    ['Int', ParamType.Int, ' 1', undefined],
    ['Int', ParamType.Int, '1\n', undefined],
    ['Int', ParamType.Int, '1e3', undefined],
    ['Int', ParamType.Int, '0x1', undefined],
    ['Int', ParamType.Int, '０１', undefined],
    ['Long', ParamType.Long, '9007199254740991', 9007199254740991],
    ['Long', ParamType.Long, '-9007199254740991', -9007199254740991],
    ['Long', ParamType.Long, '9007199254740992', undefined],
    ['Long', ParamType.Long, '9'.repeat(400), undefined],
    ['BigInt', ParamType.BigInt, '9223372036854775808', 9223372036854775808n],
    ['BigInt', ParamType.BigInt, '+1', 1n],
    ['BigInt', ParamType.BigInt, '0x1', undefined],
    ['BigInt', ParamType.BigInt, '', undefined],
    ['BigInt', ParamType.BigInt, '1'.repeat(1001), undefined],
    ['Double', ParamType.Double, '1.34d', 1.34],
    ['Double', ParamType.Double, '1.23f', 1.23],
    ['Double', ParamType.Double, '1e3', 1000],
    ['Double', ParamType.Double, ' 1e3 ', undefined],
    ['Double', ParamType.Double, '\u00a01', undefined],
    ['Float', ParamType.Float, '1.5 ', undefined],
    ['Double', ParamType.Double, '.5', 0.5],
    ['Double', ParamType.Double, '5.', 5],
    ['Double', ParamType.Double, '-Infinity', Number.NEGATIVE_INFINITY],
    ['Double', ParamType.Double, 'NaN', Number.NaN],
    ['Double', ParamType.Double, '1e999', undefined],
    ['Double', ParamType.Double, '', undefined],
    ['Double', ParamType.Double, '1,5', undefined],
    ['Double', ParamType.Double, '0x1p3', undefined],
    ['Float', ParamType.Float, '3.4e38', 3.4e38],
    ['Float', ParamType.Float, '3.5e38', undefined],
    ['BigDecimal', ParamType.BigDecimal, '+007.50', '7.50'],
    ['BigDecimal', ParamType.BigDecimal, '-.5', '-0.5'],
    ['BigDecimal', ParamType.BigDecimal, '5.', '5'],
    ['BigDecimal', ParamType.BigDecimal, '-0.00', '0.00'],
    [
      'BigDecimal',
      ParamType.BigDecimal,
      '0.1000000000000000000000001',
      '0.1000000000000000000000001',
    ],
    ['BigDecimal', ParamType.BigDecimal, '1e5', undefined],
    ['BigDecimal', ParamType.BigDecimal, '.', undefined],
    ['BigDecimal', ParamType.BigDecimal, '', undefined],
    ['ByteArray', ParamType.ByteArray, 'é', new Uint8Array([0xc3, 0xa9])],
    ['ByteArray', ParamType.ByteArray, ' ', undefined],
    ['oneOf', ParamType.oneOf('draft', 'in print'), 'in print', 'in print'],
    ['oneOf', ParamType.oneOf('draft', 'in print'), 'Draft', undefined],
    ['oneOf', ParamType.oneOf('draft', 'in print'), '', undefined],
  ])('%s: %#', (_name, type, text, value) => expect(read(type, text)).toEqual(value))

  it('reads a list from all values or from one separated text', () => {
    expect(read(ParamType.array(ParamType.Int), '1', 'a', '2')).toEqual([1, 2])
    expect(read(ParamType.array(ParamType.String), 'a,b')).toEqual(['a,b'])
    expect(read(ParamType.separated(ParamType.Int), '1, 2,x,3')).toEqual([1, 2, 3])
    expect(read(ParamType.separated(ParamType.String), 'a,b,c,,e,,')).toEqual([
      'a',
      'b',
      'c',
      '',
      'e',
    ])
    expect(read(ParamType.separated(ParamType.Int, ';'), '1;2')).toEqual([1, 2])
    expect(read(ParamType.optional(ParamType.Int), '1')).toBe(1)
  })

  it('permits only one of the listed texts, which are the type of the value', () => {
    const Status = ParamType.oneOf('draft', 'published')
    const permit = (text: string) => new Params(new Map([['k', [text]]])).permit({ k: Status })
    expect(permit('draft').k satisfies 'draft' | 'published').toBe('draft')
    expect(() => permit('sold')).toThrow(
      expect.objectContaining({
        details: { errors: expect.objectContaining({ k: ['k must be one of: draft, published'] }) },
      }),
    )
    // @ts-expect-error no such value
    expect(permit('draft').k === 'sold').toBe(false)
    // @ts-expect-error a value must be a text
    expect(() => ParamType.oneOf(1)).not.toThrow()
  })

  it('accepts custom types, and treats their exceptions as failed conversions', () => {
    const Colour = ParamType.of('Colour', (text) => (text === 'red' ? ('red' as const) : undefined))
    const Json = ParamType.of('Json', (text): unknown => JSON.parse(text))
    expect(read(Colour, 'red')).toBe('red')
    expect(read(Colour, 'blue')).toBeUndefined()
    expect(read(Json, '{"a":1}')).toEqual({ a: 1 })
    expect(read(Json, '{')).toBeUndefined()
  })

  it('drops values that do not convert', () => {
    const multi = new MultiParams(
      new Map([
        ['n', ['1', 'a', '2']],
        ['w', ['a']],
      ]),
    )
    expect(multi.getAs('n', ParamType.Int)).toEqual([1, 2])
    expect(multi.getAs('w', ParamType.Int)).toEqual([])
    expect(multi.getAs('x', ParamType.Int)).toBeUndefined()
  })
})

describe('numbers against BigInt', () => {
  const integers = fc.oneof(
    fc.bigInt(),
    fc.maxSafeInteger().map(BigInt),
    fc.integer().map(BigInt),
    fc.integer({ min: -40000, max: 40000 }).map(BigInt),
  )

  it.each<[string, ParamType<number>, bigint, bigint]>([
    ['Byte', ParamType.Byte, -128n, 127n],
    ['Short', ParamType.Short, -32768n, 32767n],
    ['Int', ParamType.Int, -(2n ** 31n), 2n ** 31n - 1n],
    ['Long', ParamType.Long, -(2n ** 53n) + 1n, 2n ** 53n - 1n],
  ])('%s converts exactly its range', (_name, type, least, most) => {
    fc.assert(
      fc.property(integers, (value) => {
        expect(type.parse(String(value))).toBe(
          value >= least && value <= most ? Number(value) : undefined,
        )
      }),
    )
  })

  it('BigInt round-trips', () => {
    fc.assert(fc.property(fc.bigInt(), (value) => ParamType.BigInt.parse(String(value)) === value))
  })

  it('refuses a thousand long texts in linear time', () => {
    const texts = (size: number) => Array.from({ length: 1000 }, () => `${'1'.repeat(size)}x`)
    const read = (given: string[]) => ParamType.array(ParamType.Double).read(given)
    expect(read(texts(999))).toEqual([])
    // A pattern that tries every position as the decimal point is quadratic.
    expect(growth(124, texts, read)).toBeLessThan(linearGrowth)
  })

  it('never throws, for any text', () => {
    const letter = fc.constantFrom(...'0159+-.:/ TZeEdfN\0\n,x\ud800é')
    const types = Object.values(ParamType).filter((type) => typeof type === 'object')
    fc.assert(
      fc.property(fc.string({ unit: letter }), (text) => {
        for (const type of types) type.parse(text)
      }),
      { numRuns: 1000 },
    )
  })
})

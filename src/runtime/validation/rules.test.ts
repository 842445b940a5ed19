import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Temporal } from '../base.ts'
import { ParamType } from '../params.ts'
import * as v from '../validation.ts'
import type { Rule } from '../validation.ts'

/** Values that a rule accepts and values that it refuses. */
type Row = readonly [
  label: string,
  rule: Rule<never>,
  accepted: readonly unknown[],
  refused: readonly unknown[],
]

const show = (value: unknown) =>
  typeof value === 'string' ? JSON.stringify(value.slice(0, 40)) : String(value)

const nothing = [undefined, null, '']

const rows: readonly Row[] = [
  ['notNull', v.notNull, ['', ' ', 0, false], [undefined, null]],
  ['required', v.required, ['a', ' a ', 0, false, ['x']], [...nothing, ' ', '\t\n', []]],
  ['required()', v.required(), ['a'], [' ']],
  ['required({ trim: false })', v.required({ trim: false }), ['a', ' '], nothing],
  [
    'notEmpty',
    v.notEmpty,
    ['a', ['x'], new Set([1]), new Map([[1, 1]])],
    [...nothing, ' ', [], new Set(), new Map()],
  ],
  ['notEmpty({ trim: false })', v.notEmpty({ trim: false }), [' '], nothing],
  ['length', v.length(3), [...nothing, 'abc', 123, [1, 2, 3]], ['ab', 'abcd', 12, [], [1]]],
  [
    'minLength',
    v.minLength(2),
    [...nothing, 'ab', 'abc', 12, [1, 2]],
    ['a', 1, [], [1], new Set([1])],
  ],
  ['maxLength', v.maxLength(2), [...nothing, 'a', 'ab', 12, [], [1, 2]], ['abc', 123, [1, 2, 3]]],
  [
    'minMaxLength',
    v.minMaxLength(2, 3),
    [...nothing, 'ab', 'abc', [1, 2]],
    ['a', 'abcd', [], [1, 2, 3, 4]],
  ],
  [
    'numeric',
    v.numeric,
    [...nothing, '0', '-1', '+1', '1.5', '-0.25', 12, 1.5, 12n],
    ['a', '1-2', '1.', '.5', '1e3', '12\n', ' 1', '０１', '1,000', '1.2.3', '--1', Number.NaN],
  ],
  [
    'intValue',
    v.intValue,
    [...nothing, '0', '-1', '+1', '2147483647', '-2147483648', 5],
    ['2147483648', '-2147483649', '1.0', 'a', ' 1', '1e3', 1.5],
  ],
  [
    'longValue',
    v.longValue,
    [...nothing, '9223372036854775807', '-9223372036854775808', '9007199254740993', 5n],
    ['9223372036854775808', '-9223372036854775809', '1.0', 'a', '-'],
  ],
  [
    'doubleValue',
    v.doubleValue,
    [...nothing, '1', '-1.5', '1e3', '2.0', '1.34d', 0.1],
    ['a', '1,5', '1.2.3', '0x1', ' 2.0 '],
  ],
  [
    'precision',
    v.numeric(5, 2),
    [...nothing, '123.45', '-123.45', '+000123.4500', '0', 999.99, 1e-2, 7n],
    ['1234', '0.001'],
  ],
  ['precision', v.numeric(3), [...nothing, '999', '7.0'], ['1000', '7.5']],
  ['precision', v.numeric(2, 4), [...nothing, '0.0099', '-0.001'], ['0.01', '1', '0.00001']],
  ['floatValue', v.floatValue, [...nothing, '1', '-1.5', '1.23f'], ['a', '1,5', '3.5e38']],
  ['intMinMaxValue', v.intMinMaxValue(2, 4), [...nothing, '2', '4', 3], ['1', '5', '2.5', 'a']],
  ['intMinValue', v.intMinValue(2), [...nothing, '2', '3'], ['1', '-5', 'a', '99999999999']],
  ['intMaxValue', v.intMaxValue(2), [...nothing, '2', '-3'], ['3', 'a', '-99999999999']],
  ['longMinMaxValue', v.longMinMaxValue(2, 4n), [...nothing, '2', '4'], ['1', '5', 'a']],
  [
    'longMinValue',
    v.longMinValue(9007199254740993n),
    [...nothing, '9007199254740993'],
    ['9007199254740992', 'a'],
  ],
  ['longMaxValue', v.longMaxValue(2), [...nothing, '2', '-99999999999'], ['3', 'a']],
  [
    'doubleMinMaxValue',
    v.doubleMinMaxValue(0.5, 1.5),
    [...nothing, '0.5', '1.5', 1],
    ['0.49', '1.51', 'a', 'NaN'],
  ],
  ['doubleMinValue', v.doubleMinValue(2), [...nothing, '2', '2.0', '1e9'], ['1.999', 'a', 'NaN']],
  ['doubleMaxValue', v.doubleMaxValue(2), [...nothing, '2.0', '-1'], ['2.001', 'a', 'NaN']],
  ['floatMinMaxValue', v.floatMinMaxValue(0.5, 1.5), [...nothing, '0.5', '1.5'], ['0.4', '1.6']],
  ['floatMinValue', v.floatMinValue(2), [...nothing, '2'], ['1.9', 'a']],
  ['floatMaxValue', v.floatMaxValue(2), [...nothing, '2'], ['2.1', 'a']],
  [
    'same',
    v.same,
    [
      ...nothing,
      [1, 1],
      ['a', 'a'],
      [undefined, null],
      [Temporal.PlainDate.from('2013-01-02'), Temporal.PlainDate.from('2013-01-02')],
    ],
    [
      ['1', 1],
      ['a', 'b'],
      ['a', undefined],
      [undefined, 'a'],
      ['a'],
      'aa',
      [Temporal.PlainDate.from('2013-01-02'), Temporal.PlainDate.from('2013-01-03')],
    ],
  ],
  ['oneOf', v.oneOf('G', 'PG-13'), [...nothing, 'G', 'PG-13'], ['g', 'PG', ' G', 'toString']],
  [
    'uuid',
    v.uuid,
    [...nothing, '0190163d-8694-739b-aea5-966c26f8ad91', 'A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11'],
    ['0190163d', '{0190163d-8694-739b-aea5-966c26f8ad91}', '0190163d8694739baea5966c26f8ad91'],
  ],
  [
    'url',
    v.url,
    [...nothing, 'https://example.com', 'HTTP://example.com:81/a?b#c', 'https://例え.jp/ü'],
    [
      'example.com',
      'javascript:alert(1)',
      'https://',
      'https:///x',
      'ftp://x',
      'https://a b',
      'http://[x',
    ],
  ],
  [
    'email',
    v.email,
    [
      ...nothing,
      'ann@example.com',
      'a.b+c@mail.example.co.jp',
      'Ann@ex-ample.com',
      'ann@Gmail.com',
      'ann@xn--e1afmkfd.xn--p1ai',
      '"x"@example.org',
    ],
    [
      'ann',
      '@example.com',
      'ann@',
      'ann@example',
      'ann@example.c',
      'a n@example.com',
      'a@b@example.com',
      'ann@exa_mple.com',
      'ann@example..com',
      'ann@example.com\n',
      `${'a'.repeat(250)}@example.com`,
    ],
  ],
  [
    'past',
    v.past,
    [
      new Date(0),
      Temporal.PlainDate.from('2000-01-02'),
      Temporal.Instant.from('2000-01-02T00:00:00Z'),
      Temporal.PlainDateTime.from('2000-01-02T03:04'),
    ],
    [
      ...nothing,
      '2000-01-02',
      new Date(Number.NaN),
      new Date(8.64e15),
      Temporal.PlainDate.from('9999-01-01'),
    ],
  ],
  [
    'future',
    v.future,
    [
      new Date(8.64e15),
      Temporal.PlainDate.from('9999-01-01'),
      Temporal.Now.zonedDateTimeISO('UTC').add({ days: 1 }),
    ],
    [...nothing, '9999-01-01', new Date(0), Temporal.PlainDateTime.from('2000-01-02T03:04')],
  ],
  [
    'dateTimeFormat',
    v.dateTimeFormat,
    [
      ...nothing,
      '2013-01-02',
      '2013-01-02 03:04',
      '2013-1-2 3:4:5',
      '2013/1/2 12-34-56',
      '2013-01-02T03:04:05',
      '2013-01-02T03:04:05+09:00',
      '2013-01-02 03:04:05+09:00',
      '2013-01-02T03:04:05.123Z',
      new Date(0),
    ],
    [
      '2013-01-02 03',
      '2013-01-02 123456',
      '2013-a1-02 03:04:05',
      '-01-02',
      '2013-02-30 03:04:05',
      '2013-01-02 24:00:00',
      'x',
    ],
  ],
  [
    'dateFormat',
    v.dateFormat,
    [
      ...nothing,
      '2013-01-02',
      '2013/1/2',
      '2013-01-02 03:04',
      '2013-1-2 3:4:5',
      '2013/1/2 12-34-56',
      '2013-01-02T03:04:05+09:00',
      '2013-01-02 03',
      '2013-01-02 123456',
      Temporal.PlainDate.from('2013-01-02'),
    ],
    [
      '2013-a1-02',
      '2013--02',
      '-01-02',
      '2013-01-',
      '2013-02-30',
      '0000-00-00',
      '+275760-09-13',
      '2026-1-1T',
      '9'.repeat(10_000),
      '12:34',
    ],
  ],
  [
    'timeFormat',
    v.timeFormat,
    [
      ...nothing,
      '01:02:03',
      '12:34',
      '1:2:3',
      '2013-01-02 03:04:05',
      '2013-01-02T03:04:05',
      Temporal.PlainTime.from('01:02'),
    ],
    ['2013-01-02', '2013-01-02 03', '25:00', '12:60', '12', 'x'],
  ],
]

describe.each(rows)('decision 15: %s', (_label, rule, accepted, refused) => {
  const judge = rule as unknown as Rule
  it.each(accepted.map((value) => [show(value), value]))('accepts %s', (_text, value) =>
    expect(judge.evaluate(value)).toEqual([]),
  )
  it.each(refused.map((value) => [show(value), value]))('refuses %s', (_text, value) =>
    expect(judge.isValid(value)).toBe(false),
  )
})

describe('a JSON body has values of any type', () => {
  const values: unknown[] = [
    JSON.parse('{"toString":1,"valueOf":1,"equals":1,"constructor":1,"size":1}'),
    [[JSON.parse('{"toString":1}')]],
    Object.create(null),
    new Date(Number.NaN),
    true,
  ]
  const members: readonly unknown[] = Object.values(v)
  const rules = members.filter((member): member is Rule => member instanceof v.Rule)
  const made = [v.length(2), v.minLength(2), v.minMaxLength(1, 2), v.intMinValue(1)] as const

  it.each([...rules, ...made])('which $name evaluates without throwing', (one) => {
    for (const value of values) expect(one['~standard'].validate(value)).toBeDefined()
  })

  it('an object is not a number, an e-mail or a date', () => {
    for (const one of [v.numeric, v.intValue, v.doubleValue, v.email, v.dateFormat, v.timeFormat]) {
      for (const value of values) expect(one.isValid(value as never)).toBe(false)
    }
  })

  it('a date with a zone is a date', () => {
    const value = Temporal.ZonedDateTime.from('2013-01-02T03:04:05+09:00[Asia/Tokyo]')
    expect([v.dateFormat.isValid(value), v.timeFormat.isValid(value)]).toEqual([true, true])
  })
})

describe('the members of an error', () => {
  it.each<[Rule<never>, unknown, string, readonly string[]]>([
    [v.required, '', 'required', []],
    [v.required({ trim: false }), '', 'required', []],
    [v.minLength(2), 'a', 'minLength', ['2']],
    [v.minMaxLength(2, 4), 'a', 'minMaxLength', ['2', '4']],
    [v.intMinMaxValue(1, 2), '3', 'intMinMaxValue', ['1', '2']],
    [v.longMaxValue(2n), '3', 'longMaxValue', ['2']],
    [v.doubleMinValue(2), '1', 'doubleMinValue', ['2.0']],
    [v.floatMinMaxValue(0.5, 3), '4', 'floatMinMaxValue', ['0.5', '3.0']],
  ])('%#', (rule, value, name, messageParams) => {
    expect((rule as unknown as Rule).evaluate(value)).toEqual([{ name, messageParams }])
    expect(rule.name).toBe(name)
  })
})

describe('a rule of a maximum length is evaluated before the others', () => {
  const searched: string[] = []
  const word = v.rule('word', (text: string) => searched.push(text) > 0 && /^[a-z]+$/.test(text))
  const rules: readonly [string, v.KeyRules][] = [
    ['is', v.paramKey('k').is(word as Rule, v.maxLength(5))],
    [
      'is … and',
      v
        .paramKey('k')
        .is(word as Rule)
        .and(v.minMaxLength(1, 5)),
    ],
    ['and', v.paramKey('k').is(word.and(v.maxLength(5)) as Rule)],
    ['and of and', v.paramKey('k').is(word.and(v.required.and(v.maxLength(5))) as Rule)],
    ['and after checkAll', v.paramKey('k').is(v.checkAll(word, word).and(v.maxLength(5)) as Rule)],
    ['a message', v.paramKey('k').is(word as Rule, v.maxLength(5).withMessage('long'))],
    ['a schema', v.paramKey('k').is(word as Rule, v.maxLength(5).withSchema({}))],
    ['length', v.paramKey('k').is(word as Rule, v.length(5))],
  ]

  it.each(rules)('with %s', (_name, key) => {
    searched.length = 0
    expect(key.evaluate('abcdef').map(({ name }) => name)).toEqual([
      expect.stringMatching(/length$/i),
    ])
    expect(searched).toEqual([])
    expect(key.evaluate('abcd1').map(({ name }) => name)).toContain('word')
    expect(key.evaluate('abcde')).toEqual([])
  })

  it('and keeps its message', () => {
    expect(v.required.and(v.maxLength(1)).withMessage('short').evaluate('ab')).toEqual([
      { name: 'maxLength', messageParams: ['1'], text: 'short' },
    ])
    expect(v.url.and(v.maxLength(1).withMessage('short')).evaluate('ab')).toEqual([
      { name: 'maxLength', messageParams: ['1'], text: 'short' },
    ])
  })
})

describe('combinations', () => {
  const even = v.rule('even', (value: string | undefined) => Number(value) % 2 === 0)

  it('stops at the first failure with and, and collects with checkAll', () => {
    const names = (rule: Rule<string>, value: string) =>
      rule.evaluate(value).map(({ name }) => name)
    const both = v.numeric.and(v.minLength(3))
    expect(names(both, 'a')).toEqual(['numeric'])
    expect(names(both, '1')).toEqual(['minLength'])
    expect(names(both, '123')).toEqual([])
    expect(names(v.checkAll(v.numeric, v.minLength(3)), 'a')).toEqual(['numeric', 'minLength'])
    expect(names(v.required.and(both).and(even), '123')).toEqual(['even'])
    expect(both.name).toBe('combined-results')
  })

  it('lets a rule have its own message', () => {
    const worded = v.maxLength(2).withMessage('{0} is longer than {1}')
    expect(worded.evaluate('abc')).toEqual([
      { name: 'maxLength', messageParams: ['2'], text: '{0} is longer than {1}' },
    ])
    expect(worded.evaluate('ab')).toEqual([])
    expect(
      v
        .checkAll(v.numeric, worded)
        .withMessage('no')
        .evaluate('abc')
        .map(({ text }) => text),
    ).toEqual(['no', 'no'])
  })

  it('is a Standard Schema', () => {
    expect(v.required['~standard'].validate('x')).toEqual({ value: 'x' })
    expect(v.checkAll(v.numeric, v.minLength(3))['~standard'].validate('a')).toEqual({
      issues: [
        { message: 'value must be numeric' },
        { message: 'value length must be greater than or equal to 3' },
      ],
    })
    expect(v.required['~standard']).toMatchObject({ version: 1, vendor: 'fwjs' })
  })
})

describe('compared with reference implementations', () => {
  it('longValue and the long bounds accept exactly the 64-bit integers', () => {
    const around = fc.oneof(
      fc.bigInt(),
      fc.bigInt({ min: 2n ** 63n - 3n, max: 2n ** 63n + 3n }),
      fc.bigInt({ min: -(2n ** 63n) - 3n, max: -(2n ** 63n) + 3n }),
    )
    fc.assert(
      fc.property(around, fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }), (value, bound) => {
        const fits = BigInt.asIntN(64, value) === value
        expect(v.longValue.isValid(String(value))).toBe(fits)
        expect(v.longMinValue(bound).isValid(String(value))).toBe(fits && value >= bound)
        expect(v.longMaxValue(bound).isValid(String(value))).toBe(fits && value <= bound)
        expect(v.intValue.isValid(String(value))).toBe(BigInt.asIntN(32, value) === value)
      }),
    )
  })

  it('a date rule accepts exactly the texts that convert', () => {
    const piece = fc.oneof(
      fc.integer({ min: 0, max: 70 }).map(String),
      fc.constantFrom('2013', '02', '', 'x'),
    )
    const text = fc
      .array(fc.tuple(piece, fc.constantFrom('-', '/', ':', ' ', 'T', '+', '.')), { maxLength: 8 })
      .map((parts) => parts.flat().join('').slice(0, -1))
    fc.assert(
      fc.property(fc.oneof(text, fc.string()), (spelling) => {
        fc.pre(spelling !== '')
        expect(v.dateFormat.isValid(spelling)).toBe(
          ParamType.LocalDate.parse(spelling) !== undefined,
        )
        expect(v.timeFormat.isValid(spelling)).toBe(
          ParamType.LocalTime.parse(spelling) !== undefined,
        )
        expect(v.dateTimeFormat.isValid(spelling)).toBe(
          ParamType.DateTime.parse(spelling) !== undefined,
        )
        expect(v.intValue.isValid(spelling)).toBe(ParamType.Int.parse(spelling) !== undefined)
        expect(v.doubleValue.isValid(spelling)).toBe(ParamType.Double.parse(spelling) !== undefined)
      }),
      { numRuns: 2000 },
    )
  })
})

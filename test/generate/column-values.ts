/** Types of PostgreSQL, and texts of their values: usual ones, and those that are hard to show, send and store. */
import fc from 'fast-check'

export interface ColumnType {
  readonly sql: string
  /** Texts of values; those that the engine refuses are left out. */
  readonly texts: readonly string[]
  /** More texts, which the engine accepts. */
  readonly values?: fc.Arbitrary<string>
  /** The character between the items of an array. */
  readonly delimiter?: string
}

export const literals = ({ texts }: ColumnType): readonly string[] => texts

type Item = string | null | readonly Item[]

/** Returns the literal of an array. */
export function arrayLiteral(items: readonly Item[], type: ColumnType): string {
  const texts = items.map((item) => {
    if (item === null) return 'NULL'
    return typeof item === 'string'
      ? `"${item.replace(/["\\]/g, '\\$&')}"`
      : arrayLiteral(item, type)
  })
  return `{${texts.join(type.delimiter ?? ',')}}`
}

const words = [
  '',
  ' ',
  'a',
  ' a',
  'a ',
  'a\nb',
  'a\r\nb',
  'a\rb',
  '\n',
  '\na',
  '\n\na',
  'a\n',
  '\t',
  'NULL',
  'null',
  '{}',
  '[]',
  '["a"]',
  '[1',
  '{"a":1}',
  'a,b',
  '"',
  "'",
  '\\',
  '<b>&amp;</b>',
  '&lt;',
  ']]>',
  'é',
  '\u00a0',
  '😀',
  '\u0001',
  '\ufeff',
  '\uffff',
  '\u2028',
  'infinity',
  'NaN',
  '0',
  'true',
  '-1',
  '__proto__',
  '%20',
  '+',
  'a;b',
  '${x}',
  '</textarea>',
  '--',
]
const text = fc.string({
  unit: fc.constantFrom(...'aB0 \n\r\t,"\'\\{}[]<&>é😀\u00a0;'),
  maxLength: 8,
})

const pad = (value: number, width = 2): string => String(value).padStart(width, '0')
const micros = fc.oneof(
  fc.constant(''),
  fc.nat(999_999).map((value) => `.${pad(value, 6)}`),
  fc.nat(9).map((value) => `.${value}`),
)
const clock = fc
  .tuple(fc.nat(23), fc.nat(59), fc.nat(59), micros)
  .map(
    ([hour, minute, second, fraction]) => `${pad(hour)}:${pad(minute)}:${pad(second)}${fraction}`,
  )
const date = fc
  .tuple(
    fc.oneof(fc.integer({ min: 1, max: 9999 }), fc.integer({ min: 1, max: 270_000 })),
    fc.integer({ min: 1, max: 12 }),
    fc.integer({ min: 1, max: 28 }),
    fc.constantFrom('', '', '', ' BC'),
  )
  .map(
    ([year, month, day, era]) =>
      `${pad(era === '' ? year : (year % 4000) + 1, 4)}-${pad(month)}-${pad(day)}${era}`,
  )
const stamp = fc.tuple(date, clock).map(([day, time]) => {
  const [plain = '', era = ''] = day.split(' ')
  return `${plain} ${time}${era === '' ? '' : ' BC'}`
})
const decimal = fc
  .tuple(
    fc.constantFrom('', '-'),
    fc.bigInt({ min: 0n, max: 10n ** 30n }),
    fc.option(fc.nat(10 ** 9)),
  )
  .map(([sign, whole, part]) => `${sign}${whole}${part === null ? '' : `.${part}`}`)
const jsonTexts = [
  'null',
  'true',
  '0',
  '-0',
  '1e400',
  '9007199254740993',
  '1.50',
  '"a"',
  '""',
  '"\\n"',
  '[]',
  '{}',
  '[null]',
  '[[1],[2]]',
  '{"a":null}',
  '{"aB":1,"a_b":2}',
  '{"1st":{"x y":[1.10]}}',
  '{"a":12345678901234567890.5}',
  '{"b":1,"a":2,"b":3}',
  '"{}"',
  '[1,"a",{"b":[]}]',
  '0.1',
  '1E-7',
  '"\\u00e9"',
  '"<b>"',
]
// Bodies with `__proto__` are refused.
const jsonText = fc
  .jsonValue({ maxDepth: 3 })
  .map((value) => JSON.stringify(value))
  .filter((json) => !/\\u0000|\\ud[89a-f]|__proto__|prototype/i.test(json))

const numbers = ['0', '1', '-1', '7']

export const columnTypes: readonly ColumnType[] = [
  { sql: 'boolean', texts: ['true', 'false'] },
  { sql: 'smallint', texts: [...numbers, '32767', '-32768'] },
  {
    sql: 'integer',
    texts: [...numbers, '2147483647', '-2147483648'],
    values: fc.maxSafeInteger().map((value) => String(value % 2 ** 31)),
  },
  {
    sql: 'bigint',
    texts: [
      ...numbers,
      '9007199254740991',
      '9007199254740992',
      '9007199254740993',
      '9223372036854775807',
      '-9223372036854775808',
    ],
  },
  {
    sql: 'numeric',
    texts: [
      ...numbers,
      'NaN',
      'Infinity',
      '-Infinity',
      '1.50',
      '0.000001',
      '12345678901234567.89',
      '1e50',
      `0.${'1'.repeat(60)}`,
    ],
    values: decimal,
  },
  { sql: 'numeric(10,2)', texts: [...numbers, '1.50', '12345678.99', '-0.01', 'NaN'] },
  { sql: 'numeric(5,-2)', texts: ['100', '1200'] },
  {
    sql: 'real',
    texts: [
      ...numbers,
      'NaN',
      'Infinity',
      '-Infinity',
      '-0',
      '1.5',
      '3.4028235e38',
      '1e-45',
      '0.1',
      '1e-7',
      '123456.79',
    ],
  },
  {
    sql: 'double precision',
    texts: [
      ...numbers,
      'NaN',
      'Infinity',
      '-Infinity',
      '-0',
      '0.1',
      '1e308',
      '5e-324',
      '1e21',
      '1e-7',
      '123456789012345680',
      '0.30000000000000004',
    ],
  },
  { sql: 'money', texts: ['1.50', '-1234.56', '0'] },
  { sql: 'text', texts: words, values: text },
  { sql: 'varchar(300)', texts: words, values: text },
  { sql: 'varchar', texts: words },
  { sql: 'char(5)', texts: ['', 'a', 'ab cd', ' a', 'é'] },
  { sql: 'name', texts: ['', 'a', 'a b'] },
  { sql: '"char"', texts: ['a', ' '] },
  {
    sql: 'uuid',
    texts: ['a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11', '00000000-0000-0000-0000-000000000000'],
  },
  {
    sql: 'bytea',
    texts: [
      '\\x',
      '\\x00',
      '\\x61',
      '\\x20',
      '\\xff',
      '\\x0d0a',
      '\\x0a61',
      '\\xefbbbf61',
      '\\xc3a9',
      '\\x613b',
    ],
    values: fc
      .uint8Array({ maxLength: 6 })
      .map((bytes) => `\\x${Buffer.from(bytes).toString('hex')}`),
  },
  {
    sql: 'date',
    texts: [
      '2024-02-29',
      '0001-01-01',
      '0044-03-15 BC',
      '0001-12-31 BC',
      '9999-12-31',
      '10000-01-01',
      '5874897-12-31',
      'infinity',
      '-infinity',
    ],
    values: date,
  },
  {
    sql: 'time',
    texts: [
      '00:00',
      '10:20',
      '10:20:30',
      '10:20:30.5',
      '10:20:30.123',
      '10:20:30.123456',
      '23:59:59.999999',
      '24:00',
    ],
    values: clock,
  },
  { sql: 'timetz', texts: ['10:20:30+02', '10:20:30.5-03:30', '24:00+00'] },
  {
    sql: 'timestamp',
    texts: [
      '2024-03-10 02:30',
      '2024-03-10 02:30:00.000001',
      '2024-03-10 02:30:59.9999',
      '0044-03-15 12:00 BC',
      '12345-06-07 08:09',
      'infinity',
      '-infinity',
      '294276-12-31 23:59:59',
    ],
    values: stamp,
  },
  {
    sql: 'timestamptz',
    texts: [
      '2024-03-10 02:30+05:30',
      '2024-03-10 02:30:00.000001+00',
      '0001-01-01 00:00+14',
      '0044-03-15 12:00+00 BC',
      '12345-06-07 08:09+00',
      '9999-12-31 23:59:59+00',
      'infinity',
      '-infinity',
    ],
    values: stamp.map((at) => at.replace(/(?= BC$)|(?<! BC)$/, '+00')),
  },
  {
    sql: 'interval',
    texts: [
      '0',
      '1 day',
      '-1 day',
      '1 mon -1 day',
      '1 year 2 mons 3 days 04:05:06.5',
      '01:30',
      '-00:00:00.000001',
      '178000000 years',
      '2562047788:00:54',
      'infinity',
      '-infinity',
      '1 day 00:00:00.1',
    ],
  },
  {
    sql: 'inet',
    texts: ['192.0.2.1', '10.0.0.0/8', '2001:db8::1', '::ffff:192.0.2.1/128', '::/0'],
  },
  { sql: 'cidr', texts: ['10.0.0.0/8', '2001:db8::/32'] },
  { sql: 'macaddr', texts: ['08:00:2b:01:02:03'] },
  { sql: 'macaddr8', texts: ['08:00:2b:01:02:03:04:05'] },
  { sql: 'json', texts: [...jsonTexts, '{ "a" : 1 }', ' [ 1 ]'], values: jsonText },
  { sql: 'jsonb', texts: jsonTexts, values: jsonText },
  { sql: 'xml', texts: ['<a>b</a>', 'a', '<a/>\n<b/>'] },
  { sql: 'point', texts: ['(1,2)', '(NaN,Infinity)'] },
  { sql: 'line', texts: ['{1,2,3}'] },
  { sql: 'lseg', texts: ['[(1,2),(3,4)]'] },
  { sql: 'box', texts: ['(3,4),(1,2)'], delimiter: ';' },
  { sql: 'path', texts: ['((1,2),(3,4))', '[(1,2)]'] },
  { sql: 'polygon', texts: ['((1,2),(3,4),(5,6))'] },
  { sql: 'circle', texts: ['<(1,2),3>'] },
  { sql: 'bit(4)', texts: ['1010'] },
  { sql: 'varbit', texts: ['', '1'] },
  { sql: 'tsquery', texts: ["'a' & 'b'", "'it''s'", ''] },
  { sql: 'int4range', texts: ['[1,5)', 'empty', '(,)'] },
  { sql: 'numrange', texts: ['[1.5,5)', '(,NaN]'] },
  { sql: 'daterange', texts: ['[2024-01-01,2024-02-01)', '[,infinity)'] },
  { sql: 'tsrange', texts: ['["2024-01-01 10:00","2024-01-01 11:00")'] },
  { sql: 'tstzrange', texts: ['["2024-01-01 10:00+00",)'] },
  { sql: 'int4multirange', texts: ['{}', '{[1,2),[5,7)}'] },
  { sql: 'int8multirange', texts: ['{[1,9223372036854775807)}', '{(,)}'] },
  { sql: 'nummultirange', texts: ['{[1.5,5),(7,8.25]}', '{(,NaN]}'] },
  { sql: 'tsmultirange', texts: ['{["2024-01-01 10:00","2024-01-01 11:00"),["2024-02-01",)}'] },
  { sql: 'tstzmultirange', texts: ['{(,"2024-01-01 10:00:00.000001+00"]}', '{}'] },
  { sql: 'jsonpath', texts: ['$."a"[*]'] },
  { sql: 'pg_lsn', texts: ['16/B374D848'] },
  { sql: 'xid8', texts: ['18446744073709551615'] },
  { sql: 'oid', texts: ['0', '4294967295'] },
  { sql: 'oidvector', texts: ['', '1 2'] },
  { sql: 'int2vector', texts: ['-1 2'] },
  { sql: 'int8range', texts: ['[1,9223372036854775807)'] },
  { sql: 'datemultirange', texts: ['{[2024-01-01,2024-02-01)}'] },
  { sql: 'time(3)', texts: ['10:20:30.125'] },
  { sql: 'timestamp(0)', texts: ['2024-03-10 02:30:59'] },
  { sql: 'regclass', texts: ['pg_class'] },
  { sql: 'mood', texts: ['ok', 'so so', 'l,o"w'] },
  { sql: 'percent', texts: ['0', '100'] },
  { sql: 'word', texts: words },
  { sql: 'citext', texts: words, values: text },
  { sql: 'hstore', texts: ['', 'a=>1', 'a=>NULL, "b c"=>"d,\\"e"', '""=>""', '"<b>"=>"\n"'] },
  { sql: 'ltree', texts: ['', 'Top.Science.Astronomy'] },
  { sql: 'pair', texts: ['(1,a)', '(,)', '(2,"a b")'] },
]

/** Values are equal on both engines and in every time zone, read and written. */
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { Temporal } from '../base.ts'
import type { Database } from '../db.ts'
import { enginesAndPooler, type OpenEngine } from './engines.fixture.ts'
import { decoderOf } from './values.ts'

const bytes = new Uint8Array([0, 1, 254, 255])

/** SQL type, SQL literal, the JavaScript value. */
const values: readonly (readonly [type: string, literal: string, value: unknown])[] = [
  ['int8', '9007199254740991', 9007199254740991],
  ['int8', '-1', -1],
  ['int2', '-32768', -32768],
  ['numeric(20,4)', '12345678901234.5000', '12345678901234.5000'],
  ['float8', '0.1', 0.1],
  ['float8', "'-Infinity'", -Infinity],
  ['bool', 'true', true],
  ['text', "'it''s \\ \"x\" 😀'", `it's \\ "x" 😀`],
  ['char(3)', "'x'", 'x  '],
  ['uuid', "'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'", 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'],
  ['date', "'2024-02-29'", Temporal.PlainDate.from('2024-02-29')],
  ['date', "'0001-01-01'", Temporal.PlainDate.from('0001-01-01')],
  ['date', "'0044-03-15 BC'", Temporal.PlainDate.from('-000043-03-15')],
  ['date', "'0001-12-31 BC'", Temporal.PlainDate.from('0000-12-31')],
  ['date', "'12345-06-07'", Temporal.PlainDate.from('+012345-06-07')],
  ['time', "'23:59:59.999999'", Temporal.PlainTime.from('23:59:59.999999')],
  ['time', "'00:00'", Temporal.PlainTime.from('00:00')],
  // Daylight saving time skips this hour in St. John's and New York.
  ['timestamp', "'2024-03-10 02:30:00.5'", Temporal.PlainDateTime.from('2024-03-10T02:30:00.5')],
  [
    'timestamp',
    "'1883-11-18 12:00:00.000001'",
    Temporal.PlainDateTime.from('1883-11-18T12:00:00.000001'),
  ],
  [
    'timestamptz',
    "'2024-03-10 02:30:00.000001+05:30'",
    Temporal.Instant.from('2024-03-09T21:00:00.000001Z'),
  ],
  ['timestamptz', "'1800-01-01 00:00:00+00'", Temporal.Instant.from('1800-01-01T00:00:00Z')],
  ['timestamptz', "'0044-03-15 12:00:00+00 BC'", Temporal.Instant.from('-000043-03-15T12:00:00Z')],
  ['bytea', "'\\x0001feff'", bytes],
  ['bytea', "''", new Uint8Array()],
  ['jsonb', `'{"a": [1, null, "x"]}'`, { a: [1, null, 'x'] }],
  ['json', `'"text"'`, 'text'],
  ['int[]', "'{1,NULL,3}'", [1, null, 3]],
  ['int[]', "'{}'", []],
  [
    'text[]',
    `array[['a"b', 'c\\d'], ['', 'NULL']]`,
    [
      ['a"b', 'c\\d'],
      ['', 'NULL'],
    ],
  ],
  ['date[]', "'{2024-02-29,NULL}'", [Temporal.PlainDate.from('2024-02-29'), null]],
  [
    'timestamptz[]',
    `'{"2024-01-01 00:00:00+09"}'`,
    [Temporal.Instant.from('2023-12-31T15:00:00Z')],
  ],
  ['bytea[]', "array['\\x0001feff'::bytea]", [bytes]],
  ['numeric[]', "'{1.50}'", ['1.50']],
  ['text', 'null', null],
  ['int[]', 'null', null],
]

/** The state of Temporal values is in private slots, which a deep comparison ignores. */
function legible(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(legible)
  const tag = (value as object | null)?.[Symbol.toStringTag as never] as string | undefined
  return tag?.startsWith('Temporal.') ? `${tag} ${String(value)}` : value
}

describe.each(enginesAndPooler)('values on $name', ({ open }) => {
  let engine: OpenEngine
  let database: Database

  beforeAll(async () => {
    engine = await open({ poolSize: 1 })
    database = engine.database
  })
  afterAll(() => engine.close())
  afterEach(() => {
    vi.unstubAllEnvs()
  })

  describe.each([
    ['UTC', 0],
    ['Asia/Tokyo', -540],
    ['America/St_Johns', 210],
  ])('in %s', (zone, offset) => {
    test('each type is read and written unchanged', async () => {
      vi.stubEnv('TZ', zone)
      expect(new Date(2024, 0, 1).getTimezoneOffset()).toBe(offset)
      for (const [type, literal, value] of values) {
        const read = await database.query<{ v: unknown }>({
          sql: `select (${literal})::${type} as v`,
          parameters: [],
        })
        expect(legible(read.rows[0]!.v), `${literal}::${type}`).toStrictEqual(legible(value))
        const parameter = type.startsWith('json') ? JSON.stringify(value) : value
        const same = await database.query<{ v: boolean | null }>({
          sql: `select $1::${type}::text is not distinct from (${literal})::${type}::text as v`,
          parameters: [parameter],
        })
        expect(same.rows[0]!.v, `parameter of ${literal}::${type}`).toBe(true)
      }
    })

    test('a Date is written as its instant, and now() is UTC in a column without a zone', async () => {
      vi.stubEnv('TZ', zone)
      const date = new Date('2024-07-01T10:20:30.456Z')
      const { rows } = await database.query<{
        a: Temporal.Instant
        b: Temporal.PlainDateTime
        c: number
      }>({
        sql: 'select $1::timestamptz as a, $1::timestamp as b, extract(epoch from now()::timestamp)::float8 as c',
        parameters: [date],
      })
      expect(String(rows[0]!.a)).toBe('2024-07-01T10:20:30.456Z')
      expect(String(rows[0]!.b)).toBe('2024-07-01T10:20:30.456')
      expect(Math.abs(rows[0]!.c * 1000 - Date.now())).toBeLessThan(60_000)
    })
  })

  test.each([
    ['9007199254740993::int8', 'safe integer'],
    ["'infinity'::date", 'PlainDate'],
    ["'-infinity'::timestamptz", 'Instant'],
    ["'24:00'::time", 'PlainTime'],
  ])('%s is an error, and the connection stays usable', async (literal, kind) => {
    const reading = database.query({ sql: `select ${literal} as v`, parameters: [] })
    await expect(reading).rejects.toMatchObject({
      code: 'db.value-out-of-range',
      message: expect.stringContaining(kind),
    })
    expect((await database.query({ sql: 'select 1 as x', parameters: [] })).rows).toEqual([
      { x: 1 },
    ])
  })

  test.each([[() => 1], [Symbol('x')], [new Date(NaN)], [{ a: 1n }]])(
    'a parameter that is no value is refused: %#',
    async (value) => {
      const writing = database.query({ sql: 'select $1', parameters: [value] })
      await expect(writing).rejects.toMatchObject({ code: 'db.parameter-invalid' })
    },
  )

  test('more parameters than PostgreSQL accepts are refused, and the connection stays', async () => {
    const parameters = Array.from({ length: 65_536 }, () => 1)
    const sql = `select $1::int where 1 in (${parameters.map((_, at) => `$${at + 1}`).join()})`
    await expect(database.query({ sql, parameters })).rejects.toMatchObject({
      code: 'db.parameter-invalid',
      message: expect.stringContaining('65536'),
    })
    expect((await database.query({ sql: 'select 1 as x', parameters: [] })).rows).toEqual([
      { x: 1 },
    ])
  })

  test('an array literal with explicit bounds is an array', async () => {
    const { rows } = await database.query({
      sql: `select '[2:3]={4,5}'::int[] as v`,
      parameters: [],
    })
    expect(rows).toEqual([{ v: [4, 5] }])
  })

  test('values of a user-defined type and of its array are texts', async () => {
    await database.query({
      sql: `do $$ begin create type mood as enum ('ok', 'low'); exception when duplicate_object then end $$`,
      parameters: [],
    })
    const { rows } = await database.query({
      sql: `select 'ok'::mood as a, array['ok','low']::mood[] as b`,
      parameters: [],
    })
    expect(rows).toEqual([{ a: 'ok', b: '{ok,low}' }])
  })
})

test('any number of dates is read', () => {
  const read = decoderOf(1082)
  const first = Temporal.PlainDate.from('1999-12-31')
  for (const days of [...Array(2100).keys(), 0, 1, 2099]) {
    const text = first.add({ days }).toString()
    expect(String(read(text))).toBe(text)
  }
})

/** Rows are plain objects; their dates are parsed when they are read. */
import fc from 'fast-check'
import { inspect } from 'node:util'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { Temporal } from '../base.ts'
import { useDatabase, type Database } from '../db.ts'
import { engines, type OpenEngine } from '../db/engines.fixture.ts'
import { stringifyJson } from '../http.ts'
import { ParamType } from '../params.ts'
import { json } from './json-column.ts'
import { model } from './create-model.ts'

const Event = model('events', {
  id: ParamType.Long,
  name: ParamType.String,
  day: ParamType.optional(ParamType.LocalDate),
  startsAt: ParamType.optional(ParamType.LocalTime),
  planned: ParamType.optional(ParamType.LocalDateTime),
  createdAt: ParamType.optional(ParamType.DateTime),
  data: ParamType.optional(json<unknown>()),
})

/** Fields with another type than their column. */
const Mixed = model('events', {
  id: ParamType.Long,
  day: ParamType.optional(ParamType.String),
  planned: ParamType.optional(ParamType.DateTime),
  createdAt: ParamType.optional(ParamType.LocalDateTime),
  name: ParamType.optional(ParamType.LocalDate),
})

const table = `create table events (id bigserial primary key, name text not null default 'Ball', day date,
  starts_at time, planned timestamp, created_at timestamptz, data jsonb)`

const values = {
  id: 1,
  name: 'Ball',
  day: '2024-02-29',
  startsAt: '23:59:59.5',
  planned: '2024-03-10T02:30:00.000001',
  createdAt: '2024-03-09T21:00:00Z',
  data: { myKey: 1 },
}
type EventRow = NonNullable<Awaited<ReturnType<typeof Event.findById>>>

describe.each(engines)('rows on $name', ({ open }) => {
  let engine: OpenEngine
  let database: Database

  const run = (sql: string, ...parameters: unknown[]) => database.query({ sql, parameters })
  const insert = (...dates: (string | null)[]) =>
    run(
      `insert into events (day, starts_at, planned, created_at, data) values ($1, $2, $3, $4, '{"myKey": 1}')`,
      ...dates,
    )
  const ball = async (): Promise<EventRow> => (await Event.findById(1))!

  beforeAll(async () => {
    engine = await open()
    database = engine.database
    useDatabase(database)
    await run(table)
  })
  beforeEach(async () => {
    await run('truncate events restart identity')
    await insert('2024-02-29', '23:59:59.5', '2024-03-10 02:30:00.000001', '2024-03-09 21:00:00+00')
  })
  afterAll(async () => {
    useDatabase(undefined)
    await engine.close()
  })

  test('a row is a plain object with the fields in their order', async () => {
    const row = await ball()
    expect(Object.getPrototypeOf(row)).toBe(Object.prototype)
    expect(Object.keys(row)).toEqual(Object.keys(values))
    expect(row.day).toBeInstanceOf(Temporal.PlainDate)
    expect(row.startsAt).toBeInstanceOf(Temporal.PlainTime)
    expect(row.planned).toBeInstanceOf(Temporal.PlainDateTime)
    expect(row.createdAt).toBeInstanceOf(Temporal.Instant)
    const texts = Object.entries(row).map(([name, value]) => [
      name,
      name === 'data' ? value : String(value),
    ])
    expect(Object.fromEntries(texts)).toEqual({ ...values, id: '1' })
  })

  test('a date is the same value at each read; copies have it too', async () => {
    const row = await ball()
    expect(row.day).toBe(row.day)
    expect({ ...row }.day).toBe(row.day)
    const inheriting = Object.create(row) as { day: unknown }
    expect(inheriting.day).toBe(row.day)
    expect(new Proxy(row, {}).day).toBe(row.day)
  })

  test('NULL is undefined, and JSON leaves it out', async () => {
    await insert(null, null, null, null)
    const row = (await Event.findById(2))!
    expect(row).toEqual({ id: 2, name: 'Ball', data: { myKey: 1 } })
    expect('day' in row).toBe(true)
    expect(JSON.stringify(row)).toBe('{"id":2,"name":"Ball","data":{"myKey":1}}')
  })

  test('a date can be set, on the row alone or on an object that inherits from it', async () => {
    const row = (await ball()) as { day: unknown; startsAt: unknown }
    const day = Temporal.PlainDate.from('2030-01-01')
    const inheriting = Object.create(row) as { day: unknown; startsAt: unknown }
    inheriting.startsAt = 'noon'
    row.day = day
    expect(row.day).toBe(day)
    expect(inheriting.day).toBe(day)
    expect([String(row.startsAt), inheriting.startsAt]).toEqual(['23:59:59.5', 'noon'])
    expect(JSON.parse(JSON.stringify(row))).toEqual({ ...values, day: '2030-01-01' })
  })

  test('JSON of a row is the same before and after its dates are read, nested and with other keys too', async () => {
    const row = await ball()
    const before = [JSON.stringify(row), stringifyJson({ list: [row] })]
    const snake = stringifyJson([row], { key: (key) => key.toLowerCase() })
    expect(JSON.parse(before[0]!)).toEqual(values)
    expect(snake).toContain('"startsat":"23:59:59.5"')
    for (const name of Object.keys(row)) void row[name as keyof EventRow]
    expect([JSON.stringify(row), stringifyJson({ list: [row] })]).toEqual(before)
  })

  test('a row is printed with its values', async () => {
    const printed = inspect(await ball())
    expect(printed).not.toContain('Getter')
    expect(printed).toContain("name: 'Ball'")
    // Node's own Temporal has a longer name than the polyfill.
    expect(printed).toMatch(/day: (?:Temporal\.)?PlainDate/)
  })

  test('a date that no JavaScript type can represent prints as text, and fails where it is used', async () => {
    await insert('infinity', '24:00', '-infinity', '2024-03-09 21:00:00+00')
    const [, row] = await Event.findAll()
    expect(row!.name).toBe('Ball')
    expect(String(row!.createdAt)).toBe('2024-03-09T21:00:00Z')
    const outOfRange = expect.objectContaining({ code: 'db.value-out-of-range' })
    const texts = { day: 'infinity', startsAt: '24:00:00', planned: '-infinity' }
    expect(JSON.parse(JSON.stringify(row))).toMatchObject(texts)
    for (const [name, text] of Object.entries(texts) as [keyof typeof texts, string][]) {
      const value = row![name] as Temporal.PlainDateTime
      expect(String(value)).toBe(text)
      for (const use of [() => value.year, () => value.equals(value), () => Number(value)])
        expect(use).toThrow(outOfRange)
    }
    expect(JSON.parse(JSON.stringify(row))).toMatchObject(texts)
    expect(inspect(row)).toContain('infinity')
  })

  test('a field of another type than its column gets the value that it can have', async () => {
    await run(`update events set name = 'no date'`)
    const row = (await Mixed.findById(1))!
    expect(row.day).toBeInstanceOf(Temporal.PlainDate)
    expect(String(row.planned)).toBe('2024-03-10T02:30:00.000001Z')
    expect(row.planned).toBeInstanceOf(Temporal.Instant)
    expect(row.createdAt).toBeInstanceOf(Temporal.PlainDateTime)
    expect(row.name).toBe('no date')
    expect(JSON.stringify(row)).toBe(
      '{"id":1,"day":"2024-02-29","planned":"2024-03-10T02:30:00.000001Z","createdAt":"2024-03-09T21:00:00","name":"no date"}',
    )
  })

  test('a query with further columns has them, and the dates', async () => {
    const found = await Event.query()
      .modify((query) => query.select('name as title' as never))
      .findAll()
    expect(found).toMatchObject([{ title: 'Ball', name: 'Ball' }])
    expect(String(found[0]!.day)).toBe('2024-02-29')
    const [same] = await Event.where({ name: 'Ball' }).findAll()
    expect(String(same!.day)).toBe('2024-02-29')
  })

  test('property: JSON of unread dates is that of the Temporal values', async () => {
    const second = fc.integer({ min: -200_000_000_000, max: 400_000_000_000 })
    const rows = fc.array(fc.tuple(second, fc.nat(999_999)), { minLength: 20, maxLength: 20 })
    const sql = `insert into events (day, starts_at, planned, created_at)
      select t::date, t::time, t, t at time zone 'UTC' from
      (select timestamp '1970-01-01' + s * interval '1 second' + m * interval '1 microsecond' as t
        from unnest($1::int8[], $2::int8[]) as u (s, m)) as times`
    await fc.assert(
      fc.asyncProperty(rows, async (times) => {
        await run(
          sql,
          times.map(([s]) => s),
          times.map(([, m]) => m),
        )
        const found = await Event.where('data', 'is', null).findAll()
        expect(found).toHaveLength(times.length)
        for (const row of found) {
          const unread = JSON.parse(JSON.stringify(row)) as Record<string, unknown>
          for (const name of ['day', 'startsAt', 'planned', 'createdAt'] as const)
            expect(unread[name]).toBe(String(row[name]))
        }
        await run('delete from events where data is null')
      }),
      { numRuns: 10 },
    )
  })
})

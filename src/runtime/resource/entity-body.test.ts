/** JSON of a page's rows is the same whether the rows were created as objects or not. */
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Database, useDatabase } from '../db.ts'
import { engines, type OpenEngine } from '../db/engines.fixture.ts'
import { foundRowsOf, json, model } from '../model.ts'
import { ParamType } from '../params.ts'
import { entityBody } from './entity-body.ts'

const { optional, array } = ParamType

/** Field → type, type of the column, and texts of values that PostgreSQL accepts. */
const fields = {
  myText: [ParamType.String, 'text', fc.string({ unit: 'grapheme' })],
  anyText: [
    ParamType.String,
    'text',
    fc.constantFrom('"\\', '\u2028', '\u0001', '😀', '__proto__'),
  ],
  long: [ParamType.Long, 'int8', fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }).map(String)],
  int: [ParamType.Int, 'int4', fc.integer().map(String)],
  big: [ParamType.BigInt, 'numeric', fc.bigInt().map(String)],
  decimal: [ParamType.BigDecimal, 'numeric', fc.constantFrom('1.50', '-0.000', '1e30', 'NaN')],
  double: [ParamType.Double, 'float8', fc.constantFrom('-0', '1e300', 'NaN', 'Infinity', '0.1')],
  float: [ParamType.Float, 'float4', fc.constantFrom('-0', '1e30', '-Infinity', '0.1')],
  isOpen: [ParamType.Boolean, 'boolean', fc.boolean().map(String)],
  token: [ParamType.Uuid, 'uuid', fc.uuid()],
  bytes: [ParamType.ByteArray, 'bytea', fc.constantFrom('\\x', '\\x00ff', '\\x616263')],
  day: [ParamType.LocalDate, 'date', fc.constantFrom('2024-02-29', '0044-03-15 BC', 'infinity')],
  dayText: [ParamType.String, 'date', fc.constantFrom('2024-02-29', '-infinity')],
  time: [ParamType.LocalTime, 'time', fc.constantFrom('00:00', '23:59:59.5', '24:00')],
  local: [ParamType.LocalDateTime, 'timestamp', fc.constantFrom('2024-03-10 02:30:00.000001')],
  zoned: [ParamType.DateTime, 'timestamptz', fc.constantFrom('2024-03-09 21:00+05', 'infinity')],
  wrongTime: [ParamType.LocalDateTime, 'timestamptz', fc.constantFrom('2024-03-09 21:00Z')],
  lasted: [ParamType.Duration, 'interval', fc.constantFrom('P1Y2M', '1 mon -1 day', '00:00:01.5')],
  email: [ParamType.Email, 'text', fc.constantFrom('ann@example.com', 'no address')],
  address: [ParamType.IpAddress, 'inet', fc.constantFrom('::1', '10.0.0.1/8')],
  data: [json<unknown>(), 'jsonb', fc.json()],
  list: [array(json<unknown>()), 'jsonb[]', fc.constantFrom('{"{\\"myKey\\": null}",NULL,"[1]"}')],
  tags: [array(ParamType.String), 'text[]', fc.constantFrom('{}', '{a,"b\\"",NULL}')],
  days: [array(ParamType.LocalDate), 'date[]', fc.constantFrom('{2024-02-29,infinity}')],
  secret: [ParamType.String, 'text', fc.constantFrom('hidden')],
  secretDay: [ParamType.LocalDate, 'date', fc.constantFrom('2024-02-29')],
} as const
const names = Object.keys(fields) as (keyof typeof fields)[]
const snake = (name: string): string =>
  name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
const types = Object.fromEntries(names.map((name) => [name, optional(fields[name][0] as never)]))

const Thing = model(
  'things',
  { id: ParamType.Long, ...types },
  { hidden: ['secret', 'secretDay'] as never[] },
)
const resource = { resourcesName: 'things', resourceName: 'thing', model: Thing }
const body = (records: object, format: 'json' | 'xml' = 'json') =>
  entityBody(format, resource, records)
const findPage = () => Thing.paginate({ size: 50 })

describe.each(engines)('records on $name', ({ open }) => {
  let engine: OpenEngine
  let database: Database

  beforeAll(async () => {
    engine = await open()
    database = engine.database
    useDatabase(database)
    const columns = names.map((name) => `${snake(name)} ${fields[name][1]}`)
    const sql = `create table things (id bigserial primary key, ${columns.join()})`
    await database.query({ sql, parameters: [] })
  })
  afterAll(async () => {
    useDatabase(undefined)
    await engine.close()
  })

  async function insert(things: readonly Readonly<Record<string, string | null>>[]): Promise<void> {
    await database.query({ sql: 'delete from things', parameters: [] })
    if (things.length === 0) return
    const rows = things.map((_thing, row) => {
      const casts = names.map((name, at) => {
        const position = row * names.length + at + 1
        return `$${position}::text::${fields[name][1]}`
      })
      return `(${casts.join()})`
    })
    const sql = `insert into things (${names.map(snake).join()}) values ${rows.join()}`
    const parameters = things.flatMap((thing) => names.map((name) => thing[name]))
    await database.query({ sql, parameters })
  }

  test('property: JSON of unread rows is that of the rows, over all types of columns', async () => {
    const values = names.map((name) => [name, fc.option(fields[name][2], { freq: 4 })] as const)
    const storable = fc
      .record(Object.fromEntries(values))
      .filter((thing) => !/\0|\\u0000|\\ud[89a-f]/i.test(`${thing['myText']}${thing['data']}`))
    await fc.assert(
      fc.asyncProperty(fc.array(storable, { maxLength: 6 }), async (things) => {
        await insert(things)
        const { rows } = await findPage()
        expect(rows).toHaveLength(things.length)
        const found = foundRowsOf(await findPage())!
        const unread = body(found)
        expect(unread).toBe(body(rows))
        expect(body(found, 'xml')).toBe(body(rows, 'xml'))
        for (const row of found.rows) for (const name of Object.keys(row)) void row[name]
        expect(body(found)).toBe(unread)
      }),
      { numRuns: 25 },
    )
  })

  test('changes of a page are in its JSON', async () => {
    await insert([{ myText: 'a' }, { myText: 'b' }].map((thing) => ({ ...nulls, ...thing })))
    const changed = await findPage()
    Object.assign(changed.rows[0]!, { myText: 'changed' })
    expect(body(foundRowsOf(changed)!)).toContain('"my_text":"changed"')
    const copy = { ...(await findPage()), rows: [] }
    expect(foundRowsOf(copy)).toBeUndefined()
    const replaced = Object.assign(await findPage(), { rows: [] })
    expect([replaced.rows, body(foundRowsOf(replaced)!)]).toEqual([[], '[]'])
  })
})

const nulls = Object.fromEntries(names.map((name) => [name, null]))

/** Pages by key on every engine: every stable row once, in both directions, whatever is inserted meanwhile. */
import { setFlagsFromString } from 'node:v8'
import { runInThisContext } from 'node:vm'
import fc from 'fast-check'
import { afterAll, beforeAll, beforeEach, describe, expect, expectTypeOf, test } from 'vitest'
import type { Temporal } from '../base.ts'
import { type Database, useDatabase } from '../db.ts'
import { engines, type OpenEngine } from '../db/engines.fixture.ts'
import { belongsTo, defaulted, json, model, type KeyPage, type RowOf } from '../model.ts'
import { ParamType } from '../params.ts'
import type { SortKey } from './key-order.ts'

const Group = model('groups', { id: ParamType.Long, name: ParamType.String })
const Item = model(
  'items',
  {
    id: ParamType.Long,
    name: ParamType.String,
    rank: ParamType.optional(ParamType.Int),
    price: ParamType.BigDecimal,
    ratio: ParamType.Float,
    day: ParamType.LocalDate,
    at: ParamType.optional(ParamType.DateTime),
    local: ParamType.LocalDateTime,
    isOpen: defaulted(ParamType.Boolean),
    mood: ParamType.String,
    tags: ParamType.array(ParamType.String),
    more: json<unknown>(),
    groupId: ParamType.optional(ParamType.Long),
    deletedAt: ParamType.optional(ParamType.DateTime),
  },
  { softDelete: 'deletedAt' },
)
type Item = RowOf<typeof Item>
const itemGroup = belongsTo(Item, 'groupId', Group)
const Keyless = model(
  'items',
  { name: ParamType.String, mood: ParamType.String },
  { readOnly: true },
)

const tables = `
  create type mood as enum ('sad', 'fine');
  create table groups (id bigserial primary key, name text not null);
  create table items (id bigserial primary key, name text not null, rank int, price numeric not null default 1.50,
    ratio real not null default 0.1, day date not null default '2000-01-02', at timestamptz, local timestamp not null default now(),
    is_open boolean not null default false, mood mood not null default 'fine', tags text[] not null default '{}',
    more jsonb not null default '{}', group_id bigint references groups (id), deleted_at timestamptz);`

/** Another order of rows for each field: few values, NULL where it may be, and texts of every alphabet. */
const insert = `
  insert into items (name, rank, price, ratio, day, at, local, is_open, mood)
  select (array['', 'a', 'B', 'ä', 'Ω', '%', '😀'])[1 + n % 7] || n / 9, nullif(n % 5, 3), n % 6 / 7.0, n % 8 / 3.0,
    date '0044-03-15 BC' + n % 9, case when n % 4 > 0 then timestamptz '2026-01-01 00:00:00.123456+00' + n % 3 * interval '1 us' end,
    timestamp '2026-01-01' + n % 7 * interval '1 day', n % 2 = 0, (array['sad', 'fine'])[1 + n % 2]::mood
  from generate_series($1::int, $2::int) n`

describe.each(engines)('pages by key on $name', ({ open }) => {
  let engine: OpenEngine
  let database: Database

  beforeAll(async () => {
    engine = await open()
    database = engine.database
    const connection = await database.pool.reserve()
    await connection.script(tables)
    database.pool.release(connection)
    useDatabase(database)
  })
  beforeEach(async () => {
    await database.query({ sql: 'truncate items, groups restart identity', parameters: [] })
    await addRows(1, 40)
  })
  afterAll(async () => {
    useDatabase(undefined)
    await engine.close()
  })

  const addRows = (from: number, to: number) =>
    database.query({ sql: insert, parameters: [from, to] })
  const ids = (rows: readonly Item[]) => rows.map(({ id }) => id)

  /** All pages in one direction; `between` runs after each page. */
  async function walk(
    direction: 'after' | 'before',
    { sort, size }: { readonly sort: readonly SortKey[]; readonly size: number },
    between: () => Promise<unknown> = async () => undefined,
  ): Promise<readonly Item[]> {
    // A condition that all rows satisfy: without any, the page is prepared SQL.
    let query = size % 2 === 0 ? Item.query() : Item.where('id', 'is not', null)
    for (const key of sort) query = query.orderBy(key.field as 'id', key.direction)
    const all: Item[] = []
    let cursor: string | undefined = ''
    while (cursor !== undefined) {
      const page: Awaited<ReturnType<typeof Item.paginate>> =
        sort.length < 2
          ? await Item.paginate({ size, sort: sort[0], [direction]: cursor })
          : await query.paginate({ size, [direction]: cursor })
      all.splice(direction === 'after' ? all.length : 0, 0, ...page.rows)
      cursor = direction === 'after' ? page.next : page.previous
      await between()
    }
    return all
  }

  const fields = ['id', 'name', 'rank', 'price', 'ratio', 'day', 'at', 'local', 'isOpen', 'mood']
  const sorts = fc.uniqueArray(
    fc.record({
      field: fc.constantFrom(...fields),
      direction: fc.constantFrom('asc' as const, 'desc' as const),
    }),
    { minLength: 0, maxLength: 3, selector: ({ field }) => field },
  )

  test('walks over all rows of any order, forwards and backwards, in the order of the database', async () => {
    await fc.assert(
      fc.asyncProperty(sorts, fc.integer({ min: 3, max: 45 }), async (sort, size) => {
        let query = Item.query()
        for (const key of sort) query = query.orderBy(key.field as 'id', key.direction)
        const last = sort.at(-1)?.direction
        const expected = ids(await query.orderBy('id', last).findAll())
        expect(ids(await walk('after', { sort, size }))).toEqual(expected)
        expect(ids(await walk('before', { sort, size }))).toEqual(expected)
      }),
      { numRuns: 8 },
    )
  })

  test('returns each stable row once while others are inserted and deleted', async () => {
    await fc.assert(
      fc.asyncProperty(
        sorts,
        fc.integer({ min: 4, max: 9 }),
        fc.constantFrom('after' as const, 'before' as const),
        async (sort, size, direction) => {
          const stable = ids(await Item.findAll())
          let round = 0
          const between = async () => {
            // An endless source of rows would make the walk endless too.
            if (round++ > 12) return
            await addRows(round * 3, round * 3 + 2)
            await database.query({
              sql: 'delete from items where id = (select max(id) from items where id > $1)',
              parameters: [stable.at(-1)],
            })
          }
          const seen = ids(await walk(direction, { sort, size }, between))
          expect(new Set(seen).size).toBe(seen.length)
          const known = new Set(stable)
          expect(seen.filter((id) => known.has(id)).toSorted((a, b) => a - b)).toEqual(stable)
          await database.query({
            sql: 'delete from items where id > $1',
            parameters: [stable.at(-1)],
          })
        },
      ),
      { numRuns: 5 },
    )
  })

  test('are no dictionaries of V8, whose members are in the order of the type', async () => {
    const page = await Item.paginate({ size: 1 })
    setFlagsFromString('--allow-natives-syntax')
    const isFast = runInThisContext('(page) => %HasFastProperties(page)') as (
      page: object,
    ) => boolean
    expect(isFast(page)).toBe(true)
    expect(Object.keys(page)).toEqual(['rows', 'next', 'previous', 'total', 'isTotalExact'])
  })

  test('knows its neighbours; the first and the last page need no row', async () => {
    const first = await Item.paginate({ size: 15 })
    expect([first.rows.length, first.previous, first.total, first.isTotalExact]).toEqual([
      15,
      undefined,
      40,
      true,
    ])
    const second = await Item.paginate({ size: 15, after: first.next })
    const back = await Item.paginate({ size: 15, before: second.previous })
    expect([ids(back.rows), back.previous]).toEqual([ids(first.rows), undefined])
    const last = await Item.paginate({ size: 15, before: '' })
    expect([ids(last.rows).at(-1), last.next]).toEqual([40, undefined])
    const onlyPage = await Item.paginate({ size: 40 })
    expect([onlyPage.rows.length, onlyPage.next, onlyPage.previous]).toEqual([
      40,
      undefined,
      undefined,
    ])
  })

  test('a page that lost its rows leads to its neighbours', async () => {
    const { next } = await Item.paginate({ size: 40 - 5 })
    await database.query({ sql: 'delete from items where id > 35', parameters: [] })
    const empty = await Item.paginate({ size: 5, after: next })
    expect([empty.rows, empty.next, empty.previous]).toEqual([[], undefined, ''])
    expect(ids((await Item.paginate({ size: 5, before: empty.previous })).rows).at(-1)).toBe(35)
  })

  test('counts up to a limit, or everything', async () => {
    const counted = async (countUpTo?: number) => {
      const { total, isTotalExact } = await Item.paginate({ size: 1, countUpTo })
      return [total, isTotalExact]
    }
    expect(await counted()).toEqual([40, true])
    expect(await counted(40)).toEqual([40, true])
    expect(await counted(39)).toEqual([39, false])
    expect(await counted(0)).toEqual([0, false])
    expect(await counted(Infinity)).toEqual([40, true])
  })

  test('filters, searches and sorts by request, inside the conditions of the query', async () => {
    const page = await Item.where('id', '>', 10).paginate({
      size: 5,
      filters: { isOpen: true, rank: 1 },
      search: { text: '%', fields: ['name'] },
      sort: { field: 'day', direction: 'desc' },
    })
    const all = await Item.findAll()
    const expected = all.filter(
      (row) => row.id > 10 && row.isOpen && row.rank === 1 && row.name.includes('%'),
    )
    expect(new Set(ids(page.rows))).toEqual(new Set(ids(expected)))
    expect([page.total, page.isTotalExact]).toEqual([expected.length, true])
    expect(expected.length).toBeGreaterThan(0)
  })

  test('leaves deleted rows out, and loads relations', async () => {
    await database.query({ sql: "insert into groups (name) values ('one')", parameters: [] })
    await database.query({ sql: 'update items set group_id = 1', parameters: [] })
    await Item.deleteById(2)
    const page = await Item.include({ group: itemGroup }).paginate({ size: 2 })
    expect(page.rows.map(({ id, group }) => [id, group?.name])).toEqual([
      [1, 'one'],
      [3, 'one'],
    ])
    expect(page.total).toBe(39)
    expectTypeOf(page.rows[0]!.group).toEqualTypeOf<RowOf<typeof Group> | undefined>()
  })

  test('a numbered page counts its pages', async () => {
    const { rows, total, totalPages } = await Item.where('id', '<=', 11).paginate({
      page: 2,
      size: 5,
    })
    expect([ids(rows), total, totalPages]).toEqual([[6, 7, 8, 9, 10], 11, 3])
  })

  const cursorOf = (...parts: readonly unknown[]) =>
    Buffer.from(JSON.stringify(parts)).toString('base64url')

  test.each([
    ['no base64', 'ä'],
    ['no JSON', 'AAAA'],
    ['no list', Buffer.from('{"a":1}').toString('base64url')],
    ['another order', cursorOf('-id', '7')],
    ['too few values', cursorOf('id')],
    ['too many values', cursorOf('id', '7', '8')],
    ['a number', cursorOf('id', 7)],
    ['NULL where none can be', cursorOf('id', null)],
    ['no number', cursorOf('id', "7'; drop table items")],
    ['an object', cursorOf('id', { toString: 'x' })],
    ['very long', 'A'.repeat(100_000)],
  ])('refuses a cursor: %s', async (_name, after) => {
    await expect(Item.paginate({ size: 5, after })).rejects.toMatchObject({
      status: 400,
      code: 'model.cursor-invalid',
    })
  })

  test.each([
    ['day', '-271821-04-20'],
    ['at', '-271821-04-20T00:00:00Z'],
    ['local', 'x'],
    ['mood', 'unknown'],
    ['ratio', '1e300'],
    ['price', '1e'],
    ['isOpen', null],
    ['name', '\0'],
    ['name', '\ud800'],
    ['rank', '99999999999999999999'],
  ])('refuses a value of %s that no row can have: %j', async (field, value) => {
    const query = Item.query().orderBy(field as 'name')
    await expect(
      query.paginate({ size: 5, after: cursorOf(`${field},id`, value, '1') }),
    ).rejects.toMatchObject({ status: 400, code: 'model.cursor-invalid' })
  })

  test('any text as a cursor is a page or a 400', async () => {
    const texts = fc.oneof(
      fc.string({ unit: 'grapheme' }),
      fc.base64String(),
      fc
        .array(fc.oneof(fc.string({ unit: 'binary' }), fc.constant(null), fc.constant('rank,id')))
        .map((parts) => cursorOf(...parts)),
      fc
        .tuple(
          fc.constantFrom('1', '2147483648', 'x', '', 'NaN', null),
          fc.constantFrom('1', '-1', '1e3'),
        )
        .map(([rank, id]) => cursorOf('rank,id', rank, id)),
    )
    await fc.assert(
      fc.asyncProperty(texts, fc.boolean(), async (text, isAfter) => {
        const request = isAfter ? { size: 3, after: text } : { size: 3, before: text }
        const error: unknown = await Item.query()
          .orderBy('rank')
          .paginate(request)
          .then(
            () => undefined,
            (thrown: unknown) => thrown,
          )
        if (error !== undefined) expect(error).toMatchObject({ status: 400 })
      }),
      { numRuns: 40 },
    )
  })

  test('refuses an order without positions', async () => {
    const wrong = { code: 'model.order-invalid' }
    for (const field of ['tags', 'more'] as const) {
      const sort = { field, direction: 'asc' as const }
      await expect(Item.paginate({ size: 5, sort })).rejects.toMatchObject(wrong)
      await expect(Item.query().orderBy(field).paginate({ size: 5 })).rejects.toMatchObject(wrong)
    }
  })

  test('rows without a primary key have pages too, also equal rows, in both directions', async () => {
    await database.query({ sql: 'update items set name = left(name, 1)', parameters: [] })
    const query = Keyless.where({ mood: 'fine' }).orderBy('name', 'desc')
    const all = await query.findAll()
    const pages = []
    for (let after: string | undefined = ''; after !== undefined;) {
      const page: KeyPage<RowOf<typeof Keyless>> = await query.paginate({ size: 4, after })
      pages.push(page)
      after = page.next
    }
    const rows = pages.flatMap((page) => page.rows)
    expect(rows.map(({ name }) => name)).toEqual(all.map(({ name }) => name))
    expect(pages.length).toBe(Math.ceil(all.length / 4))
    expect(pages[0]).toMatchObject({ previous: undefined, total: all.length, isTotalExact: true })
    for (const [at, { previous }] of pages.entries())
      if (previous !== undefined)
        expect(await query.paginate({ size: 4, before: previous })).toEqual(pages[at - 1])
    const last = await query.paginate({ size: 4, before: '' })
    expect(last.rows).toEqual(rows.slice(-4))
    expect(last.next).toBeUndefined()
    expect((await query.paginate({ size: 4, after: '99999' })).rows).toEqual([])
    const search = { text: 'a', fields: ['name'] }
    expect((await Keyless.paginate({ size: 1, search })).rows[0]?.name).toBe('a')
    for (const after of ['-1', '1e3', 'x', '1'.repeat(20)])
      await expect(query.paginate({ size: 4, after })).rejects.toMatchObject({ status: 400 })
    await expect(query.distinct().paginate({ size: 4 })).rejects.toMatchObject({
      code: 'model.order-invalid',
    })
  })

  test('searches and filters a column whose name is not that of the field', async () => {
    const columns = { key: ParamType.Long, theText: ParamType.String }
    const columnNames = { key: 'id', theText: 'Some Text' }
    await database.query({
      sql: 'create view texts as select id, left(name, 1) as "Some Text" from items',
      parameters: [],
    })
    const Text = model('texts', columns, { primaryKey: 'key', readOnly: true, columnNames })
    const search = { text: 'a', fields: ['theText'] }
    const { rows, total } = await Text.paginate({ size: 99, search, filters: { theText: 'a' } })
    await database.query({ sql: 'drop view texts', parameters: [] })
    expect(rows.length).toBe(total)
    expect(rows[0]?.theText).toBe('a')
  })

  test('a cursor names the row if its values are too long for a URL', async () => {
    await database.query({
      sql: 'update items set name = repeat(chr(1 + id::int % 9), 9000)',
      parameters: [],
    })
    const sort = [{ field: 'name', direction: 'asc' as const }]
    const expected = ids(await Item.query().orderBy('name').orderBy('id').findAll())
    expect(ids(await walk('after', { sort, size: 7 }))).toEqual(expected)
    expect(ids(await walk('before', { sort, size: 7 }))).toEqual(expected)
    const { next } = await Item.query().orderBy('name').paginate({ size: 7 })
    expect(next!.length).toBeLessThan(100)
    await database.query({ sql: 'delete from items', parameters: [] })
    await expect(
      Item.query().orderBy('name').paginate({ size: 7, after: next }),
    ).rejects.toMatchObject({ status: 400, code: 'model.cursor-invalid' })
  })

  test('the error of the application is no 400', async () => {
    const broken = Item.where((eb) => eb(eb.val('x'), '=', eb.ref('rank') as never))
    await expect(broken.paginate({ size: 5 })).rejects.toMatchObject({ code: 'db.query-failed' })
  })
})

test('rows and cursors are typed', () => {
  const byKey = () => Item.where({ isOpen: true }).paginate({ size: 5, after: undefined })
  expectTypeOf<
    Awaited<ReturnType<typeof byKey>>['rows'][number]['day']
  >().toEqualTypeOf<Temporal.PlainDate>()
  const byNumber = () => Item.paginate({ page: 1, size: 5 })
  expectTypeOf<Awaited<ReturnType<typeof byNumber>>['totalPages']>().toEqualTypeOf<number>()
})

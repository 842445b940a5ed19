/** FwModel on every engine: finders, queries, permitted writes, relations. */
import { afterAll, beforeAll, beforeEach, describe, expect, expectTypeOf, test } from 'vitest'
import { Temporal } from '../base.ts'
import {
  currentTransaction,
  type Database,
  logStatements,
  sentStatements,
  useDatabase,
} from '../db.ts'
import { enginesAndPooler, type OpenEngine } from '../db/engines.fixture.ts'
import {
  belongsTo,
  defaulted,
  hasMany,
  hasManyThrough,
  hasOne,
  json,
  model,
  type ResourceModel,
  type RowOf,
} from '../model.ts'
import { Params, ParamType, permitValues } from '../params.ts'

const Country = model('countries', { id: ParamType.Long, name: ParamType.String })
type Country = RowOf<typeof Country>

const Member = model('members', {
  id: ParamType.Long,
  name: ParamType.String,
  birthday: ParamType.LocalDate,
  countryId: ParamType.optional(ParamType.Long),
  createdAt: ParamType.DateTime,
  updatedAt: ParamType.DateTime,
})
type Member = RowOf<typeof Member>

const memberCountry = belongsTo(Member, 'countryId', Country)
const countryMembers = hasMany(Country, Member, 'countryId')
const countryFirstMember = hasOne(Country, Member, 'countryId')

const Every = model('every_kind', {
  id: ParamType.Long,
  big: ParamType.BigInt,
  price: ParamType.BigDecimal,
  ratio: ParamType.Double,
  active: defaulted(ParamType.Boolean),
  at: ParamType.DateTime,
  local: ParamType.LocalDateTime,
  time: ParamType.LocalTime,
  data: ParamType.ByteArray,
  tags: ParamType.array(ParamType.String),
  settings: json<{ readonly theme: string; readonly sizes: readonly number[] }>(),
  note: ParamType.optional(ParamType.String),
})

const Page = model(
  'pages',
  {
    slug: ParamType.String,
    title: ParamType.String,
    lockVersion: defaulted(ParamType.Int),
    deletedAt: ParamType.optional(ParamType.DateTime),
  },
  { primaryKey: 'slug', lockVersion: 'lockVersion', softDelete: 'deletedAt' },
)

const Club = model(
  'Clubs',
  { clubNo: ParamType.Int, title2: ParamType.String },
  { primaryKey: 'clubNo', columnNames: { clubNo: 'Club No', title2: 'title_2' } },
)
const Visit = model('visits', { memberId: ParamType.Long, clubNo: ParamType.Int })
const memberClubs = hasManyThrough(Member, Visit, 'memberId', 'clubNo', Club)

const OrderItem = model(
  '"order.items as of desc"',
  {
    id: ParamType.Int,
    memberId: ParamType.Long,
    deletedAt: ParamType.optional(ParamType.DateTime),
  },
  { softDelete: 'deletedAt' },
)
const Log = model('"a.b"."c.""d"', {
  id: ParamType.Int,
  'first name': ParamType.optional(ParamType.String),
})
const memberItems = hasMany(Member, OrderItem, 'memberId')

const tables = `
  create table "order.items as of desc" (id int primary key, member_id bigint not null unique, deleted_at timestamptz);
  create schema "a.b";
  create table "a.b"."c.""d" (id int primary key, "first name" text);
  create table "Clubs" ("Club No" int primary key, title_2 text not null);
  create table visits (member_id bigint not null, club_no int not null references "Clubs");
  create table countries (id bigserial primary key, name varchar(100) not null);
  create table members (id bigserial primary key, name varchar(512) not null, birthday date not null,
    country_id bigint references countries (id), created_at timestamp not null, updated_at timestamp not null);
  create table every_kind (id bigserial primary key, big numeric not null, price numeric(30,2) not null, ratio float8 not null,
    active boolean not null default true, at timestamptz not null, local timestamptz not null, "time" time not null, data bytea not null,
    tags text[] not null, settings jsonb not null, note text);
  create table pages (slug varchar(50) primary key, title text not null, lock_version int not null default 0, deleted_at timestamptz);`

const fields = {
  name: ParamType.String,
  birthday: ParamType.LocalDate,
  countryId: ParamType.optional(ParamType.Long),
}
const form = (texts: Record<string, string>) =>
  new Params(new Map(Object.entries(texts).map(([key, text]) => [key, [text]])))
const birthday = Temporal.PlainDate.from('2000-01-02')

describe.each(enginesAndPooler)('a model on $name', ({ open }) => {
  let engine: OpenEngine
  let database: Database
  let sent: string[] = []

  const add = (name: string, countryId?: number) =>
    Member.createWithPermittedAttributes(
      permitValues({ name, birthday, countryId }, 'name', 'birthday', 'countryId'),
    )
  const names = (rows: readonly { name: string }[]) => rows.map(({ name }) => name)

  beforeAll(async () => {
    const logger = {
      debug() {},
      info() {},
      error() {},
      warn: ({ sql }: { sql?: unknown }) => {
        // Behind a pooler a single statement has a transaction of its own.
        if (!/^(begin; set local|commit$)/.test(String(sql))) sent.push(String(sql))
      },
    }
    engine = await open({ slowQueries: { logger, threshold: -1, values: false } })
    database = engine.database
    const connection = await database.pool.reserve()
    await connection.script(tables)
    database.pool.release(connection)
    useDatabase(database)
  })
  beforeEach(async () => {
    await database.query({
      sql: 'truncate countries, members, every_kind, pages, "Clubs", visits restart identity',
      parameters: [],
    })
    sent = []
  })
  afterAll(async () => {
    useDatabase(undefined)
    await engine.close()
  })

  test('findByIdForUpdate locks the row for the current transaction; inTransaction joins or begins one', async () => {
    const id = await Member.createWithPermittedAttributes(
      form({ name: 'Ann', birthday: '2000-01-02', admin: 'true' }).permit(fields),
    )
    sent = []
    const found = await Member.inTransaction(async () => {
      const outer = currentTransaction()
      expect(outer).toBeDefined()
      expect(await Member.inTransaction(async () => currentTransaction())).toBe(outer)
      return Member.findByIdForUpdate(id)
    })
    expect(found).toMatchObject({ id: 1, name: 'Ann', countryId: undefined })
    expect(sent.filter((sql) => sql.endsWith('for update'))).toHaveLength(1)
    expect(sent.join()).not.toContain('savepoint')
    expect(await Member.findByIdForUpdate(99)).toBeUndefined()
  })

  test('creates a row from permitted values, returns its id, and finds it', async () => {
    const id = await Member.createWithPermittedAttributes(
      form({ name: 'Ann', birthday: '2000-01-02', admin: 'true' }).permit(fields),
    )
    expect(id).toBe(1)
    const ann = await Member.findById(id)
    expect(ann).toMatchObject({ id: 1, name: 'Ann', countryId: undefined })
    expect(String(ann!.birthday)).toBe('2000-01-02')
    expect(ann!.createdAt).toBeInstanceOf(Temporal.Instant)
    expect(Math.abs(ann!.createdAt.epochMilliseconds - Date.now())).toBeLessThan(60_000)
    expect(await Member.findById(99)).toBeUndefined()
    expectTypeOf(ann!).toEqualTypeOf<Member>()
    expectTypeOf<Member['countryId']>().toEqualTypeOf<number | undefined>()
    expectTypeOf(id).toEqualTypeOf<number>()
  })

  test('accepts only permitted values, also at run time', async () => {
    const raw = { name: 'Ann', birthday }
    // @ts-expect-error not permitted
    await expect(Member.createWithPermittedAttributes(raw)).rejects.toMatchObject({
      code: 'model.not-permitted',
    })
    const permitted = form({ name: 'Ann', birthday: '2000-01-02' }).permit(fields)
    // @ts-expect-error a copy is not permitted
    await expect(Member.createWithPermittedAttributes({ ...permitted })).rejects.toMatchObject({
      code: 'model.not-permitted',
    })
    // @ts-expect-error not permitted
    const update = async () => Member.updateById(1).withPermittedAttributes(raw)
    await expect(update).rejects.toMatchObject({ code: 'model.not-permitted' })
    expect(await Member.count()).toBe(0)
  })

  test('rejects wrong fields and types at compile time', () => {
    const some = form({})
    const textual = { name: ParamType.String, birthday: ParamType.String }
    const never = () => [
      // @ts-expect-error birthday is missing
      Member.createWithPermittedAttributes(some.permit({ name: ParamType.String })),
      // @ts-expect-error birthday of another type
      Member.createWithPermittedAttributes(some.permit(textual)),
      // @ts-expect-error an id is a number
      Member.findById('1'),
      // @ts-expect-error no such field
      Member.findBy({ nam: 'Ann' }),
      // @ts-expect-error no such field
      Member.where('nam', '=', 'Ann'),
      // @ts-expect-error wrong value type
      Member.where('name', '=', 1),
      // @ts-expect-error no such field
      Member.query().orderBy('nam'),
      // @ts-expect-error the relation of another model
      Member.include({ members: countryMembers }),
      // @ts-expect-error no such field
      belongsTo(Member, 'countryID', Country),
      // @ts-expect-error the key is a text
      Page.findById(1),
      // @ts-expect-error no such field
      model('x', { id: ParamType.Long }, { primaryKey: 'slug' }),
    ]
    expectTypeOf(never).toBeFunction()
  })

  test('an unknown permitted field is named in the error; the name of a column is accepted', async () => {
    const unknown = permitValues(
      { name: 'Ann', birthday, admin: true },
      'name',
      'birthday',
      'admin',
    )
    await expect(Member.createWithPermittedAttributes(unknown)).rejects.toMatchObject({
      code: 'model.column-unknown',
      message: expect.stringContaining("'admin'"),
    })
    const country = await Country.createWithPermittedAttributes(
      permitValues({ name: 'Japan' }, 'name'),
    )
    const snake = permitValues(
      { name: 'Ann', birthday, country_id: country },
      'name',
      'birthday',
      'country_id',
    )
    const id = await Member.createWithPermittedAttributes(snake)
    expect((await Member.findById(id))!.countryId).toBe(country)
  })

  test('every type of column is read as it was written', async () => {
    const values = {
      big: 123456789012345678901234567890n,
      price: '12345678901234567890.50' as never,
      ratio: 0.1,
      at: Temporal.Instant.from('2024-03-10T02:30:00.123456Z'),
      local: Temporal.PlainDateTime.from('2024-03-10T02:30:00'),
      time: Temporal.PlainTime.from('23:59:59'),
      data: new Uint8Array([0, 255]),
      tags: ['a', 'b"c'],
      settings: { theme: 'dark', sizes: [1, 2] },
    }
    const id = await Every.createWithPermittedAttributes(permitValues(values))
    const row = (await Every.findById(id))!
    expect(row).toMatchObject({
      big: values.big,
      price: values.price,
      ratio: 0.1,
      active: true,
      data: values.data,
      tags: values.tags,
      settings: values.settings,
    })
    expect([row.at, row.local, row.time].map(String)).toEqual(
      [values.at, values.local, values.time].map(String),
    )
    expect(Object.hasOwn(row, 'note') && row.note).toBeUndefined()
    await Every.updateById(id).withPermittedAttributes(
      permitValues({ settings: { theme: 'x', sizes: [] }, note: 'n' }, 'settings', 'note'),
    )
    expect(await Every.findById(id)).toMatchObject({
      settings: { theme: 'x', sizes: [] },
      note: 'n',
    })
    await Every.updateById(id).withPermittedAttributes(permitValues({ note: undefined }, 'note'))
    expect((await Every.findById(id))!.note).toBeUndefined()
  })

  test('findAll, findBy, findPage, count', async () => {
    const country = await Country.createWithPermittedAttributes(
      permitValues({ name: 'Japan' }, 'name'),
    )
    for (const name of ['Cy', 'Ann', 'Bob']) await add(name, name === 'Bob' ? country : undefined)
    expect(names(await Member.findAll())).toEqual(['Cy', 'Ann', 'Bob'])
    expect((await Member.findBy({ name: 'Ann' }))!.id).toBe(2)
    expect((await Member.findBy({ name: 'Ann', countryId: null }))!.id).toBe(2)
    expect(await Member.findBy({ name: 'Bob', countryId: null })).toBeUndefined()
    expect(await Member.count()).toBe(3)
    expect(names(await Member.findPage({ page: 1, size: 2 }))).toEqual(['Cy', 'Ann'])
    expect(names(await Member.findPage({ page: 2, size: 2 }))).toEqual(['Bob'])
    expect(names(await Member.findPage({ page: -5, size: 0 }))).toEqual(['Cy'])
    expect(await Member.findPage({ page: Number.MAX_SAFE_INTEGER, size: 100 })).toEqual([])
  })

  test('where: values, comparisons, any condition; order, limit, count, exists', async () => {
    const country = await Country.createWithPermittedAttributes(
      permitValues({ name: 'Japan' }, 'name'),
    )
    for (const name of ['Cy', 'Ann', 'Bob', 'Abe'])
      await add(name, name === 'Bob' ? country : undefined)
    expect(names(await Member.where('name', 'like', 'A%').orderBy('name').findAll())).toEqual([
      'Abe',
      'Ann',
    ])
    expect(
      names(await Member.where({ countryId: null }).where('name', 'in', ['Cy', 'Bob']).findAll()),
    ).toEqual(['Cy'])
    expect(
      names(
        await Member.where('countryId', 'is', null)
          .orderBy('name', 'desc')
          .limit(2)
          .offset(1)
          .findAll(),
      ),
    ).toEqual(['Ann', 'Abe'])
    const either = Member.where((eb) =>
      eb.or([eb('countryId', '=', country), eb('name', '=', 'Cy')]),
    )
    expect(names(await either.findAll())).toEqual(['Cy', 'Bob'])
    expect(await either.count()).toBe(2)
    expect(await either.orderBy('name').exists()).toBe(true)
    expect(await Member.where({ name: 'Zoe' }).exists()).toBe(false)
    expect((await Member.where('birthday', '<=', birthday).orderBy('name').findFirst())!.name).toBe(
      'Abe',
    )
    expect(names(await Member.query().findPage({ page: 2, size: 3 }))).toEqual(['Abe'])
    expect(
      names(
        await Member.query()
          .modify((q) => q.forUpdate())
          .findAll(),
      ),
    ).toHaveLength(4)
  })

  test('undefined in a condition is an error that names the field; null is NULL', async () => {
    await add('Ann')
    const noName = undefined as unknown as string
    const expected = {
      code: 'model.condition-undefined',
      message: expect.stringContaining("'name'"),
    }
    await expect(Member.findBy({ name: noName })).rejects.toMatchObject(expected)
    expect(() => Member.where({ name: noName })).toThrow(expect.objectContaining(expected))
    expect(() => Member.where('name', '=', noName)).toThrow(expect.objectContaining(expected))
    expect(names(await Member.where('countryId', '=', null).findAll())).toEqual(['Ann'])
    expect(await Member.where('countryId', '!=', null).count()).toBe(0)
    const unsure = noName as string | undefined
    const compile = () => [
      // @ts-expect-error undefined in a condition
      Member.findBy({ name: unsure }),
      // @ts-expect-error undefined in a condition
      Member.where({ name: unsure }),
      // @ts-expect-error an unknown field beside a known one
      Member.where({ name: 'Ann', nam: 'Ann' }),
      // @ts-expect-error null for a column without NULL
      Member.findBy({ name: null }),
    ]
    expect(compile).toBeTypeOf('function')
  })

  test('in with an empty list matches no row, not in matches every row', async () => {
    for (const name of ['Ann', 'Bob']) await add(name)
    expect(await Member.where('id', 'in', []).findAll()).toEqual([])
    expect(await Member.where('id', 'in', []).count()).toBe(0)
    expect(await Member.where((eb) => eb('id', 'in', [])).exists()).toBe(false)
    expect(names(await Member.where('id', 'not in', []).findAll())).toEqual(['Ann', 'Bob'])
  })

  test('count and exists omit the order; exists reads one row', async () => {
    for (const name of ['Ann', 'Bob']) await add(name)
    const ordered = Member.where('name', 'like', '%').orderBy('name')
    const sent = await logStatements(async () => {
      expect(await ordered.count()).toBe(2)
      expect(await ordered.exists()).toBe(true)
      return sentStatements().map(({ sql }) => sql)
    })
    expect(sent).toHaveLength(2)
    expect(sent[1]).toMatch(/ limit \$\d$/)
    for (const sql of sent) expect(sql).not.toContain('order by')
  })

  test('a value is never part of the SQL', async () => {
    const evil = `'; drop table members; --`
    await add(evil)
    expect((await Member.findBy({ name: evil }))!.name).toBe(evil)
    expect(names(await Member.where('name', '=', evil).findAll())).toEqual([evil])
  })

  test('updateById changes the permitted fields and updatedAt, and returns the number of rows', async () => {
    const id = await add('Ann')
    await database.query({
      sql: `update members set created_at = '2020-01-01', updated_at = '2020-01-01'`,
      parameters: [],
    })
    const before = (await Member.findById(id))!
    expect(
      await Member.updateById(id).withPermittedAttributes(permitValues({ name: 'Eve' }, 'name')),
    ).toBe(1)
    const after = (await Member.findById(id))!
    expect(after).toMatchObject({ name: 'Eve', countryId: undefined })
    expect(Temporal.Instant.compare(after.updatedAt, before.updatedAt)).toBe(1)
    expect(after.createdAt.equals(before.createdAt)).toBe(true)
    expect(
      await Member.updateById(99).withPermittedAttributes(permitValues({ name: 'Eve' }, 'name')),
    ).toBe(0)
    expect(await Country.updateById(99).withPermittedAttributes(permitValues({}))).toBe(0)
  })

  test('deleteById returns the number of rows', async () => {
    const id = await add('Ann')
    expect(await Member.deleteById(id)).toBe(1)
    expect(await Member.deleteById(id)).toBe(0)
  })

  test('a soft delete hides the row from every finder except after withDeleted', async () => {
    const permitted = permitValues({ slug: 'a', title: 'A' }, 'slug', 'title')
    expect(await Page.createWithPermittedAttributes(permitted)).toBe('a')
    expect(await Page.deleteById('a')).toBe(1)
    expect(await Page.deleteById('a')).toBe(0)
    expect(await Page.findById('a')).toBeUndefined()
    expect([
      await Page.findAll(),
      await Page.count(),
      await Page.where({ title: 'A' }).findAll(),
    ]).toEqual([[], 0, []])
    expect(
      await Page.updateById('a').withPermittedAttributes(permitValues({ title: 'B' }, 'title')),
    ).toBe(0)
    expect((await Page.query().withDeleted().findFirst())!.deletedAt).toBeInstanceOf(
      Temporal.Instant,
    )
  })

  test('an update with an older version is refused with 409', async () => {
    await Page.createWithPermittedAttributes(
      permitValues({ slug: 'a', title: 'A' }, 'slug', 'title'),
    )
    const edit = (title: string, lockVersion: number) =>
      Page.updateById('a').withPermittedAttributes(
        permitValues({ title, lockVersion }, 'title', 'lockVersion'),
      )
    expect(await edit('first', 0)).toBe(1)
    await expect(edit('second', 0)).rejects.toMatchObject({
      status: 409,
      code: 'model.row-changed',
    })
    expect(await Page.findById('a')).toMatchObject({ title: 'first', lockVersion: 1 })
  })

  test('relations are loaded with one query each', async () => {
    const japan = await Country.createWithPermittedAttributes(
      permitValues({ name: 'Japan' }, 'name'),
    )
    await Country.createWithPermittedAttributes(permitValues({ name: 'Peru' }, 'name'))
    for (const name of ['Ann', 'Bob']) await add(name, japan)
    await add('Cy')
    const members = await logStatements(async () => {
      const found = await Member.include({ country: memberCountry }).findAll()
      expect(sentStatements()).toHaveLength(2)
      return found
    })
    expect(members.map(({ name, country }) => [name, country?.name])).toEqual([
      ['Ann', 'Japan'],
      ['Bob', 'Japan'],
      ['Cy', undefined],
    ])
    expectTypeOf(members[0]!.country).toEqualTypeOf<Country | undefined>()
    const countries = await Country.query()
      .orderBy('name')
      .include({ members: countryMembers, first: countryFirstMember })
      .findAll()
    expect(
      countries.map((country) => [country.name, names(country.members), country.first?.name]),
    ).toEqual([
      ['Japan', ['Ann', 'Bob'], 'Ann'],
      ['Peru', [], undefined],
    ])
    await logStatements(async () => {
      const nobody = Member.where({ name: 'nobody' })
      expect(await nobody.include({ country: memberCountry }).findAll()).toEqual([])
      expect(sentStatements()).toHaveLength(1)
    })
  })

  test('hasManyThrough joins rows over a link table', async () => {
    const [ann, bob] = [await add('Ann'), await add('Bob')]
    for (const [clubNo, title2] of [
      [2, 'Chess'],
      [1, 'Go'],
    ] as const) {
      const values = permitValues({ clubNo, title2 }, 'clubNo', 'title2')
      expect(await Club.createWithPermittedAttributes(values)).toBe(clubNo)
    }
    for (const clubNo of [2, 1, 2]) {
      const values = permitValues({ memberId: ann, clubNo }, 'memberId', 'clubNo')
      expect(await Visit.createWithPermittedAttributes(values)).toBeUndefined()
    }
    sent = []
    const members = await Member.include({ clubs: memberClubs }).findAll()
    expect(sent).toHaveLength(3)
    expect(members.map(({ id, clubs }) => [id, clubs.map(({ title2 }) => title2)])).toEqual([
      [ann, ['Go', 'Chess']],
      [bob, []],
    ])
    expectTypeOf(members[0]!.clubs).toEqualTypeOf<readonly RowOf<typeof Club>[]>()
  })

  test('columnNames gives a column another name than its field', async () => {
    const values = { clubNo: 7, title2: 'Go' }
    await Club.createWithPermittedAttributes(permitValues(values, 'clubNo', 'title2'))
    expect(await Club.findById(7)).toEqual(values)
    expect(await Club.where('title2', 'like', 'G%').orderBy('title2').findAll()).toEqual([values])
    expect(await Club.findBy({ title2: 'Go' })).toEqual(values)
    expect(Club.fieldOf('title_2')).toBe('title2')
    const changed = permitValues({ title2: 'Chess' }, 'title2')
    expect(await Club.updateById(7).withPermittedAttributes(changed)).toBe(1)
    expect(await Club.deleteById(7)).toBe(1)
  })

  test('a quoted name may contain dots, blanks and words of SQL', async () => {
    await add('Ann')
    await database.query({
      sql: 'truncate "order.items as of desc", "a.b"."c.""d"',
      parameters: [],
    })
    const create = (id: number) =>
      OrderItem.createWithPermittedAttributes(permitValues({ id, memberId: 1 }, 'id', 'memberId'))
    await create(7)
    expect(await OrderItem.findById(7)).toMatchObject({ id: 7, memberId: 1 })
    const query = OrderItem.where({ memberId: 1 }).where((eb) => eb('id', '>', 6))
    expect(await query.orderBy('memberId').findAll()).toHaveLength(1)
    expect(await query.count()).toBe(1)
    expect(await Member.where({ id: 1 }).include({ items: memberItems }).findAll()).toMatchObject([
      { name: 'Ann', items: [{ id: 7 }] },
    ])
    expect(
      await OrderItem.refusals(await create(8).catch((error: unknown) => error), permitValues({})),
    ).toEqual([{ field: 'memberId', reason: 'taken' }])
    await Log.createWithPermittedAttributes(permitValues({ id: 1 }, 'id'))
    const log = { id: 1, 'first name': undefined }
    expect(await Log.where({ id: 1 }).findAll()).toEqual([log])
    expect(
      await Log.where('first name', '=', null).orderBy('first name', 'desc').findAll(),
    ).toEqual([log])
  })

  test('queries run in the current transaction', async () => {
    const work = database.transaction(async () => {
      await add('Ann')
      expect(await Member.count()).toBe(1)
      expect(await Member.where({ name: 'Ann' }).count()).toBe(1)
      throw new Error('no')
    })
    await expect(work).rejects.toThrow('no')
    expect(await Member.count()).toBe(0)
  })

  test('FwModel implements the contract of FwResource', async () => {
    const resource: ResourceModel<Member, number> = Member
    const id = await resource.createWithPermittedAttributes(
      form({ name: 'Ann', birthday: '2000-01-02' }).permit(fields),
    )
    expect(resource.idType.parse('7')).toBe(7)
    expect(resource.idType.parse('x')).toBeUndefined()
    expect(resource.idOf((await resource.findById(id))!)).toBe(id)
    expectTypeOf(Page).toExtend<ResourceModel<RowOf<typeof Page>, string>>()
  })

  test('the SQL of a finder is composed once', async () => {
    for (const id of [1, 2, 3]) await Member.findById(id)
    expect(new Set(sent).size).toBe(1)
  })
})

test('an inconsistent definition is an error of model()', () => {
  expect(() => model('x', { id: ParamType.Long }, { softDelete: 'gone' as never })).toThrow(
    expect.objectContaining({ code: 'model.definition-invalid' }),
  )
  const columnNames = { name: 'x' } as never
  expect(() => model('x', { id: ParamType.Long }, { columnNames })).toThrow(
    expect.objectContaining({ code: 'model.definition-invalid' }),
  )
  expect(() => model('x', { name: ParamType.String }).idType).toThrow(
    expect.objectContaining({ code: 'model.definition-invalid' }),
  )
})

/** Writes of a model on every engine: rows that are returned, many rows at once, unique keys under races, hooks. */
import { afterAll, beforeAll, beforeEach, describe, expect, expectTypeOf, test } from 'vitest'
import { Temporal } from '../base.ts'
import { logStatements, openDatabase, sentStatements, useDatabase, type Database } from '../db.ts'
import { engines, servers, type OpenEngine } from '../db/engines.fixture.ts'
import { defaulted, FwModel, model, type RowOf } from '../model.ts'
import { Params, ParamType, permitValues } from '../params.ts'

const Article = model(
  'articles',
  {
    id: ParamType.Long,
    slug: ParamType.String,
    title: defaulted(ParamType.String),
    views: defaulted(ParamType.Int),
    note: ParamType.optional(ParamType.String),
    price: defaulted(ParamType.BigInt),
    lockVersion: defaulted(ParamType.Int),
    createdAt: ParamType.DateTime,
    updatedAt: ParamType.DateTime,
    deletedAt: ParamType.optional(ParamType.DateTime),
  },
  { lockVersion: 'lockVersion', softDelete: 'deletedAt' },
)
const Tag = model('tags', { name: ParamType.String }, { primaryKey: 'name' })
const Counted = model(
  'counted',
  { twice: ParamType.optional(ParamType.Long), id: ParamType.Long },
  { primaryKey: 'id' },
)
const Place = model(
  'places',
  {
    id: ParamType.Long,
    code: ParamType.String,
    name: ParamType.optional(ParamType.String),
    deletedAt: ParamType.optional(ParamType.DateTime),
  },
  { softDelete: 'deletedAt' },
)
const Vote = model('votes', { articleId: ParamType.Long, voter: ParamType.String })

const tables = `
  create table articles (id bigserial primary key, slug varchar(50) not null unique, title text not null default 'untitled',
    views int not null default 0, note text, price numeric not null default 0, lock_version int not null default 0,
    created_at timestamptz not null, updated_at timestamptz not null, deleted_at timestamptz);
  create table places (id bigserial primary key, code text not null, name text, deleted_at timestamptz);
  create unique index on places (code) where deleted_at is null;
  create table tags (name text primary key);
  create table counts (id bigserial primary key);
  create view counted as select id * 2 as twice, id from counts;
  create table votes (article_id bigint not null, voter text not null, unique (article_id, voter));`

const article = (slug: string, title?: string) =>
  title === undefined
    ? permitValues({ slug }, 'slug')
    : permitValues({ slug, title }, 'slug', 'title')

describe.each(engines)('on $name', ({ open }) => {
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
    await database.query({ sql: 'truncate articles, tags, votes restart identity', parameters: [] })
  })
  afterAll(async () => {
    useDatabase(undefined)
    await engine.close()
  })

  test('a record without values is created through a view whose first column is computed', async () => {
    await Counted.createWithPermittedAttributes(permitValues({}))
    expect(await Counted.findAll()).toEqual([{ twice: 2, id: 1 }])
  })

  const countStatements = async (work: () => Promise<unknown>): Promise<number> =>
    logStatements(async () => {
      await work()
      return sentStatements().length
    })

  test('create returns the row with its defaults', async () => {
    const row = await Article.create(article('a'))
    expectTypeOf(row).toEqualTypeOf<RowOf<typeof Article>>()
    expect(row).toMatchObject({ id: 1, slug: 'a', title: 'untitled', views: 0, price: 0n })
    expect(row.createdAt).toBeInstanceOf(Temporal.Instant)
    expect(await Article.findById(1)).toEqual(row)
    // @ts-expect-error not permitted
    await expect(Article.create({ slug: 'b' })).rejects.toMatchObject({
      code: 'model.not-permitted',
    })
  })

  test('pick gives permit the types of the fields', async () => {
    const sent = Params.from({ slug: 'a', title: 'A', views: '7', lockVersion: '9' })
    const permitted = sent.permit(Article.pick('slug', 'title', 'views'))
    expect({ ...permitted }).toEqual({ slug: 'a', title: 'A', views: 7 })
    expect(await Article.create(permitted)).toMatchObject({ views: 7, lockVersion: 0 })
    // @ts-expect-error no such field
    expect(() => Article.pick('slugg')).toThrow(
      expect.objectContaining({ code: 'model.column-unknown' }),
    )
  })

  test('createAll inserts all rows with one statement, each with its own fields', async () => {
    let rows: RowOf<typeof Article>[] = []
    const insert = async () => {
      rows = await Article.createAll([article('a'), article('b', 'B'), article('c')])
    }
    expect(await countStatements(insert)).toBe(1)
    expect(rows.map(({ id, slug, title }) => [id, slug, title])).toEqual([
      [1, 'a', 'untitled'],
      [2, 'b', 'B'],
      [3, 'c', 'untitled'],
    ])
    expect(await Article.createAll([])).toEqual([])
    await expect(Article.createAll([article('d'), article('a')])).rejects.toMatchObject({
      sqlState: '23505',
    })
    expect(await Article.count()).toBe(3)
  })

  test('createAll takes more rows than a statement has parameters', async () => {
    const rows = Array.from({ length: 70_000 }, (_, at) =>
      permitValues({ name: `tag ${at}` }, 'name'),
    )
    const created = await Tag.createAll(rows)
    expect(created).toHaveLength(70_000)
    expect(created[69_999]).toEqual({ name: 'tag 69999' })
  })

  test('upsert inserts, then updates the row with the same key', async () => {
    const first = await Article.upsert(article('a', 'first'), { by: 'slug' })
    let second = first
    const update = async () => {
      second = await Article.upsert(article('a', 'second'), { by: 'slug' })
    }
    expect(await countStatements(update)).toBe(1)
    expect(second).toMatchObject({ id: first.id, title: 'second', lockVersion: 1 })
    expect(Temporal.Instant.compare(second.updatedAt, first.updatedAt)).toBe(1)
    expect(second.createdAt.equals(first.createdAt)).toBe(true)
    const both = permitValues({ slug: 'a', title: 'third', views: 7 }, 'slug', 'title', 'views')
    expect(await Article.upsert(both, { by: 'slug', update: ['views'] })).toMatchObject({
      title: 'second',
      views: 7,
    })
    expect(await Tag.upsert(permitValues({ name: 'x' }, 'name'), { by: 'name' })).toEqual({
      name: 'x',
    })
    expect(await Tag.upsert(permitValues({ name: 'x' }, 'name'), { by: 'name' })).toEqual({
      name: 'x',
    })
  })

  test('a unique key may have several fields', async () => {
    const vote = permitValues({ articleId: 1, voter: 'ann' }, 'articleId', 'voter')
    const key = { by: ['articleId', 'voter'] } as const
    expect((await Vote.createUnlessThere(vote, key)).isNew).toBe(true)
    expect((await Vote.createUnlessThere(vote, key)).isNew).toBe(false)
    expect(await Vote.count()).toBe(1)
  })

  test('createUnlessThere leaves the row that is there unchanged and returns it', async () => {
    const { row, isNew } = await Article.createUnlessThere(article('a', 'first'), { by: 'slug' })
    expect(isNew).toBe(true)
    const again = await Article.createUnlessThere(article('a', 'second'), { by: 'slug' })
    expect(again).toEqual({ row, isNew: false })
    expectTypeOf(again.row).toEqualTypeOf<RowOf<typeof Article>>()
  })

  test('a softly deleted row with the key gets the new values and is no longer deleted', async () => {
    const { id } = await Article.create(article('a', 'old'))
    await Article.deleteById(id)
    const { row } = await Article.createUnlessThere(article('a', 'new'), { by: 'slug' })
    expect(row).toMatchObject({ id, title: 'new', deletedAt: undefined })
    await Article.deleteById(id)
    expect(await Article.upsert(article('a', 'newer'), { by: 'slug' })).toMatchObject({
      id,
      title: 'newer',
      deletedAt: undefined,
    })
  })

  test('a key may be unique among the rows that are not deleted', async () => {
    const { id } = await Place.upsert(permitValues({ code: 'a' }, 'code'), { by: 'code' })
    expect((await Place.upsert(permitValues({ code: 'a' }, 'code'), { by: 'code' })).id).toBe(id)
    await Place.deleteById(id)
    const again = await Place.createUnlessThere(permitValues({ code: 'a' }, 'code'), { by: 'code' })
    expect(again).toMatchObject({ isNew: true, row: { deletedAt: undefined } })
    expect(again.row.id).not.toBe(id)
  })

  test('a key without a unique index is an error that names the model and the index', async () => {
    const error = {
      code: 'model.key-not-unique',
      message:
        'The model of \'places\' has no unique index of ("name"), so a row cannot be found by name. ' +
        'Add one in a migration: create unique index on "places" ("name") where "deleted_at" is null.',
    }
    const place = permitValues({ code: 'b', name: 'B' }, 'code', 'name')
    await expect(Place.upsert(place, { by: 'name' })).rejects.toMatchObject(error)
    await expect(Place.createUnlessThere(place, { by: 'name' })).rejects.toMatchObject(error)
  })

  test('eight parallel upserts, a hundred times: none fails, no duplicate', async () => {
    for (let round = 0; round < 100; round++) {
      const slug = `round-${round}`
      const writes = Array.from({ length: 8 }, (_, at) =>
        at % 2 === 0
          ? Article.upsert(article(slug, `by ${at}`), { by: 'slug' })
          : Article.createUnlessThere(article(slug, `by ${at}`), { by: 'slug' }).then(
              ({ row }) => row,
            ),
      )
      const ids = new Set((await Promise.all(writes)).map(({ id }) => id))
      expect(ids.size).toBe(1)
    }
    expect(await Article.count()).toBe(100)
  })

  test('increment adds in the database and returns the new value', async () => {
    const { id, updatedAt } = await Article.create(article('a'))
    expect(await Article.increment(id, 'views')).toBe(1)
    await Promise.all(Array.from({ length: 20 }, () => Article.increment(id, 'views', 2)))
    expect(await Article.increment(id, 'views', -1)).toBe(40)
    expect(await Article.increment(id, 'price', 5n)).toBe(5n)
    const row = (await Article.findById(id))!
    expect(row.lockVersion).toBe(0)
    expect(row.updatedAt.equals(updatedAt)).toBe(true)
    expect(await Article.increment(99, 'views')).toBeUndefined()
    // @ts-expect-error not a number
    await expect(Article.increment(id, 'title')).rejects.toMatchObject({ code: 'db.query-failed' })
  })

  test('a read-only model reads, and has no writes', async () => {
    const View = model(Tag.table, Tag.columns, { primaryKey: 'name', readOnly: true })
    expect(await View.where('name', '!=', '').count()).toBe(await Tag.count())
    const writes = Object.getOwnPropertyNames(FwModel.prototype).filter((name) => name in View)
    expect(writes).toEqual(['constructor'])
    const values = permitValues({ name: 'x' }, 'name')
    const refused = { code: 'model.read-only' }
    // @ts-expect-error TheModelIsReadOnly<"tags">
    await expect(View.query().updateAll(values)).rejects.toMatchObject(refused)
    // @ts-expect-error TheModelIsReadOnly<"tags">
    await expect(View.where({ name: 'x' }).include({}).deleteAll()).rejects.toMatchObject(refused)
  })

  test('touch sets updatedAt', async () => {
    const { id, updatedAt } = await Article.create(article('a'))
    // The clock of the embedded database may not have moved since then.
    const sql = "update articles set updated_at = updated_at - interval '1 hour'"
    await database.query({ sql, parameters: [] })
    expect(await Article.touch(id)).toBe(1)
    const row = (await Article.findById(id))!
    expect(Temporal.Instant.compare(row.updatedAt, updatedAt)).toBeGreaterThanOrEqual(0)
    expect(await Article.touch(99)).toBe(0)
    await expect(Tag.touch('x')).rejects.toMatchObject({ code: 'model.definition-invalid' })
  })

  describe('hooks', () => {
    let seen: unknown[] = []
    beforeEach(() => {
      seen = []
    })
    const Post = model(
      'articles',
      {
        id: ParamType.Long,
        slug: defaulted(ParamType.String),
        title: ParamType.String,
        createdAt: ParamType.DateTime,
        updatedAt: ParamType.DateTime,
      },
      {
        hooks: {
          beforeSave: ({ title }) =>
            title === undefined ? undefined : { slug: title.toLowerCase().replaceAll(' ', '-') },
          afterSave: ({ title }, { isNew }) => {
            seen.push(['saved', title, isNew])
            if (title === 'Refused') throw new Error('refused')
          },
          afterCommit: ({ id }) => {
            seen.push(['committed', id])
          },
        },
      },
    )
    const post = (title: string) => permitValues({ title }, 'title')

    test('beforeSave adds fields, afterSave runs before COMMIT, afterCommit after it', async () => {
      const row = await Post.create(post('My First'))
      expect(row.slug).toBe('my-first')
      expect(seen).toEqual([
        ['saved', 'My First', true],
        ['committed', row.id],
      ])
      expect(await Post.updateById(row.id).withPermittedAttributes(post('My Second'))).toBe(1)
      expect((await Post.findById(row.id))!.slug).toBe('my-second')
      expect(seen.slice(2)).toEqual([
        ['saved', 'My Second', false],
        ['committed', row.id],
      ])
      expect(await Post.createWithPermittedAttributes(post('Third'))).toBe(row.id + 1)
      expect((await Post.upsert(post('Third'), { by: 'slug' })).id).toBe(row.id + 1)
      const [fourth] = await Post.createAll([post('Fourth')])
      expect(fourth!.slug).toBe('fourth')
    })

    test('an error of afterSave undoes the write, and afterCommit does not run', async () => {
      await expect(Post.create(post('Refused'))).rejects.toThrow('refused')
      expect(await Post.count()).toBe(0)
      expect(seen).toEqual([['saved', 'Refused', true]])
    })

    test('afterCommit waits for the transaction of the caller', async () => {
      await database.transaction(async () => {
        await Post.create(post('Outer'))
        expect(seen).toEqual([['saved', 'Outer', true]])
      })
      expect(seen.at(-1)).toEqual(['committed', expect.any(Number)])
    })
  })
})

describe.each(servers)('on eight nodes of $name', (engine) => {
  test('of 400 registrations of one address at the same time, one creates the account', async () => {
    const Account = model('accounts', { id: ParamType.Long, email: ParamType.String })
    const opened = await engine.open({ poolSize: 5 })
    const sql = 'create table accounts (id bigserial primary key, email text not null unique)'
    await opened.database.query({ sql, parameters: [] })
    const others = await Promise.all(Array.from({ length: 7 }, () => openDatabase(opened.settings)))
    const register = (node: Database) => {
      useDatabase(node)
      const account = permitValues({ email: 'ann@example.com' }, 'email')
      return Account.createUnlessThere(account, { by: 'email' })
    }
    const nodes = [opened.database, ...others]
    const created = await Promise.all(
      nodes.flatMap((node) => Array.from({ length: 50 }, () => register(node))),
    )
    expect(created.filter(({ isNew }) => isNew)).toHaveLength(1)
    expect(new Set(created.map(({ row }) => row.id)).size).toBe(1)
    expect(await Account.count()).toBe(1)
    useDatabase(undefined)
    await Promise.all(others.map((node) => node.close()))
    await opened.close()
  })
})

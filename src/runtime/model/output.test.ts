/** What leaves the application: hidden fields stay inside, views choose and shape the members. */
import { inspect } from 'node:util'
import { afterAll, beforeAll, describe, expect, expectTypeOf, test } from 'vitest'
import { jsonLogger } from '../base.ts'
import { logStatements, sentStatements, useDatabase, type Database } from '../db.ts'
import { engines, type OpenEngine } from '../db/engines.fixture.ts'
import { belongsTo, hasMany, model } from '../model.ts'
import { ParamType, permitValues } from '../params.ts'

const User = model(
  'users',
  {
    id: ParamType.Long,
    name: ParamType.String,
    password: ParamType.String,
    tokenExpiry: ParamType.optional(ParamType.DateTime),
    bio: ParamType.optional(ParamType.String),
    joined: ParamType.LocalDate,
  },
  { hidden: ['password', 'tokenExpiry'] },
)
const Post = model('posts', {
  id: ParamType.Long,
  userId: ParamType.optional(ParamType.Long),
  title: ParamType.String,
})
const userPosts = hasMany(User, Post, 'userId')
const postUser = belongsTo(Post, 'userId', User)

const tables = `
  create table users (id bigserial primary key, name text not null, password text not null, token_expiry timestamptz, bio text,
    joined date not null);
  create table posts (id bigserial primary key, user_id bigint references users, title text not null);
  insert into users (name, password, token_expiry, joined) values ('Ann', 'secret', '2026-01-02T03:04:05Z', '2020-01-02'), ('Bob', 'secret', null, '2021-01-02');
  insert into posts (user_id, title) values (1, 'One'), (1, 'Two'), (null, 'Three');`

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
  afterAll(async () => {
    useDatabase(undefined)
    await engine.close()
  })

  test('a hidden field is read by its name alone', async () => {
    const found = (await User.findById(1))!
    const rows = [
      found,
      ...(await User.findAll()),
      (await User.findBy({ name: 'Ann' }))!,
      (await User.where({ id: 1 }).findFirst())!,
      (await Post.include({ user: postUser }).findFirst())!.user!,
      (await User.where({ id: 1 })
        .modify((query) => query.select('id'))
        .findFirst())!,
    ]
    let logged = ''
    const logger = jsonLogger((line) => (logged += line))
    for (const row of rows) {
      expect(row.password).toBe('secret')
      logger.info({ row }, 'seen')
      const seen = [JSON.stringify(row), inspect(row), JSON.stringify({ ...row }), Object.keys(row)]
      for (const text of [...seen.map(String), logged])
        expect(text).not.toMatch(/secret|password|token/)
      expect(JSON.stringify(row)).toContain('"joined":"202')
    }
    expect(String(found.tokenExpiry)).toBe('2026-01-02T03:04:05Z')
  })

  test('a hidden field of a write stays hidden in the returned row', async () => {
    const values = permitValues(
      { name: 'Cy', password: 'secret', joined: found().joined },
      'name',
      'password',
      'joined',
    )
    await database
      .transaction(async () => {
        const rows = [await User.create(values), ...(await User.createAll([values]))]
        for (const row of rows) {
          expect(JSON.stringify(row)).not.toContain('secret')
          expect(row.password).toBe('secret')
        }
        throw new Error('undo')
      })
      .catch((error: unknown) => expect(error).toMatchObject({ message: 'undo' }))
  })
  const found = () => ({ joined: '2020-01-01' as never })

  test('an error of the database shows no value of the row, and code can read it', async () => {
    const values = permitValues(
      { id: 1, name: 'Cy', password: 'my secret', joined: found().joined },
      'id',
      'name',
      'password',
      'joined',
    )
    const error = await User.create(values).catch((failure: unknown) => failure)
    expect(inspect(error, { showHidden: false })).not.toMatch(/my secret|\(id\)=\(1\)/)
    expect(error).toMatchObject({ sqlState: '23505', detail: 'Key (id)=(1) already exists.' })
  })

  test('a hidden field that is asked for is there', async () => {
    expect(await User.query().pluck('password')).toEqual(['secret', 'secret'])
    const [row] = await User.query().select('name', 'password').findAll()
    expect(JSON.stringify(row)).toBe('{"name":"Ann","password":"secret"}')
  })

  test('a hidden field that only orders the rows is not in them', async () => {
    const query = User.query().select('name').orderBy('tokenExpiry')
    const { rows } = await query.paginate({ size: 1, countUpTo: 10 })
    expect(JSON.stringify(rows)).not.toContain('token')
    const [row] = await User.query().select('name').orderBy('password').orderBy('id').findAll()
    expect(JSON.stringify(row)).not.toContain('secret')
    const distinct = await User.query().distinct().select('name').orderBy('name').findAll()
    expect(JSON.stringify(distinct)).toBe('[{"name":"Ann"},{"name":"Bob"}]')
  })

  test('an unknown hidden field is an error of the definition', () => {
    expect(() => model('x', { id: ParamType.Long }, { hidden: ['secret' as 'id'] })).toThrow(
      expect.objectContaining({ code: 'model.definition-invalid' }),
    )
  })

  const PostView = Post.view({ fields: ['title'] })
  const UserView = User.view({
    fields: ['id', 'name', 'bio', 'joined'],
    computed: { initial: [ParamType.String, ({ name }) => name[0]] },
    relations: { posts: [userPosts, PostView] },
  })

  test('a view has fields, computed members and relations; NULL is null', async () => {
    const rows = await User.findAll()
    const [views, statements] = await logStatements(async () => {
      const loaded = await UserView.load(rows)
      return [loaded, sentStatements().length] as const
    })
    expect(statements).toBe(1)
    expect(JSON.parse(JSON.stringify(views))).toEqual([
      {
        id: 1,
        name: 'Ann',
        bio: null,
        joined: '2020-01-02',
        initial: 'A',
        posts: [{ title: 'One' }, { title: 'Two' }],
      },
      { id: 2, name: 'Bob', bio: null, joined: '2021-01-02', initial: 'B', posts: [] },
    ])
    expectTypeOf(views[0]!.bio).toEqualTypeOf<string | null>()
    expectTypeOf(views[0]!.initial).toEqualTypeOf<string | null>()
    expectTypeOf(views[0]!.posts).toEqualTypeOf<readonly { readonly title: string }[]>()
    // @ts-expect-error not in the view
    void views[0]!.password
  })

  test('a relation to one row is its view or null', async () => {
    const view = Post.view({
      fields: ['id'],
      relations: { author: [postUser, User.view({ fields: ['name'] })] },
    })
    const outputs = await view.load(await Post.findAll())
    expect(outputs).toEqual([
      { id: 1, author: { name: 'Ann' } },
      { id: 2, author: { name: 'Ann' } },
      { id: 3, author: null },
    ])
    expectTypeOf(outputs[0]!.author).toEqualTypeOf<{ readonly name: string } | null>()
    expect(await view.loadOne((await Post.findById(3))!)).toEqual({ id: 3, author: null })
    // @ts-expect-error no such field
    expect(() => Post.view({ fields: ['titel'] })).toThrow(
      expect.objectContaining({ code: 'model.column-unknown' }),
    )
    // @ts-expect-error the relation of another model
    expect(Post.view({ fields: ['id'], relations: { posts: [userPosts, PostView] } })).toBeDefined()
  })
})

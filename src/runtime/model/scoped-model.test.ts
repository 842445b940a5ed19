/** The model of one owner's rows: every finder and write reaches these rows alone, on every engine. */
import { afterAll, beforeAll, beforeEach, describe, expect, expectTypeOf, test } from 'vitest'
import { useDatabase, type Database } from '../db.ts'
import { engines, type OpenEngine } from '../db/engines.fixture.ts'
import {
  belongsTo,
  defaulted,
  FwModel,
  hasMany,
  hasManyThrough,
  hasOne,
  loadRelations,
  model,
  ModelQuery,
  type RowOf,
} from '../model.ts'
import { ParamType, permitValues } from '../params.ts'

const User = model('users', { id: ParamType.Long, name: ParamType.String })
const Folder = model(
  'folders',
  { id: ParamType.Long, userId: ParamType.Long, name: ParamType.String },
  { scopedBy: 'userId' },
)
const Note = model(
  'notes',
  {
    id: ParamType.Long,
    userId: ParamType.Long,
    title: ParamType.String,
    slug: ParamType.optional(ParamType.String),
    folderId: ParamType.optional(ParamType.Long),
    views: defaulted(ParamType.Int),
    lockVersion: defaulted(ParamType.Int),
    updatedAt: ParamType.DateTime,
    deletedAt: ParamType.optional(ParamType.DateTime),
  },
  { scopedBy: 'userId', lockVersion: 'lockVersion', softDelete: 'deletedAt' },
)
type Note = RowOf<typeof Note>
const Tag = model('tags', { id: ParamType.Long, name: ParamType.String })
const Tagging = model('taggings', { noteId: ParamType.Long, tagId: ParamType.Long })

const noteFolder = belongsTo(Note, 'folderId', Folder)
const folderNotes = hasMany(Folder, Note, 'folderId')
const folderNote = hasOne(Folder, Note, 'folderId')
const userNotes = hasMany(User, Note, 'userId')
const tagNotes = hasManyThrough(Tag, Tagging, 'tagId', 'noteId', Note)
const allTagNotes = hasManyThrough(Tag, Tagging, 'tagId', 'noteId', Note.unscoped)
const folderTags = hasMany(Folder, Note.unscoped, 'folderId')

const tables = `
  create table users (id bigint primary key, name text not null);
  create table folders (id bigint primary key, user_id bigint not null references users (id), name text not null);
  create table notes (id bigserial primary key, user_id bigint not null references users (id), title text not null,
    slug text unique, folder_id bigint references folders (id), views int not null default 0,
    lock_version int not null default 0, updated_at timestamptz not null, deleted_at timestamptz,
    unique (user_id, title));
  create table tags (id bigint primary key, name text not null);
  create table cards (user_id bigint primary key, text text not null);
  create table posts (id bigint primary key, user_id bigint not null, about bigint not null);
  create table likings (user_id bigint not null, tag_id bigint not null);
  create table taggings (note_id bigint not null references notes (id), tag_id bigint not null references tags (id));`

const rows = `
  truncate users, folders, notes, tags, taggings restart identity;
  insert into users values (1, 'Ann'), (2, 'Bob');
  insert into folders values (1, 1, 'Ann''s'), (2, 2, 'Bob''s');
  insert into notes (user_id, title, slug, folder_id, updated_at) values
    (1, 'first', 'one', 1, now()), (2, 'secret', 'two', 2, now()), (1, 'lent', 'three', 2, now());
  insert into notes (user_id, title, updated_at, deleted_at) values (1, 'gone', now(), now()), (2, 'burnt', now(), now());
  insert into tags values (1, 'red');
  insert into taggings values (1, 1), (2, 1);
  truncate cards, posts, likings;
  insert into cards values (1, 'mine'), (2, 'private');
  insert into posts values (1, 1, 2);
  insert into likings values (1, 1);`

/** The ids of Ann's notes that are not deleted, of Bob's note, and of an absent note. */
const [first, secret, lent] = [1, 2, 3]
const ann = Note.scoped(1)
const values = (fields: { title?: string; slug?: string; userId?: number }) =>
  permitValues(fields as { title: string; slug?: string }, 'title', 'slug', 'userId' as 'title')
const titles = (found: readonly { readonly title: string }[]) => found.map(({ title }) => title)

describe.each(engines)('on $name', ({ open }) => {
  let engine: OpenEngine
  let database: Database
  let bobs: unknown

  const script = async (sql: string) => {
    const connection = await database.pool.reserve()
    await connection.script(sql)
    database.pool.release(connection)
  }
  const readBobs = async () =>
    (
      await database.query({
        sql: 'select *, xmin::text from notes where user_id = 2 order by id',
        parameters: [],
      })
    ).rows

  beforeAll(async () => {
    engine = await open()
    database = engine.database
    await script(tables)
    useDatabase(database)
  })
  beforeEach(async () => {
    await script(rows)
    bobs = await readBobs()
  })
  afterAll(async () => {
    useDatabase(undefined)
    await engine.close()
  })

  /** Runs `work`, and checks that no row of Bob has a new version. */
  const bobKeepsHis = async (work: () => unknown) => {
    await work()
    expect(await readBobs()).toEqual(bobs)
  }

  test('each finder returns the rows of the owner alone', async () => {
    expect(titles(await ann.findAll())).toEqual(['first', 'lent'])
    expect((await ann.findById(first))?.title).toBe('first')
    expect(await ann.findById(secret)).toBeUndefined()
    expect(await ann.findBy({ title: 'secret' })).toBeUndefined()
    expect(await ann.findBy({ userId: 2 })).toBeUndefined()
    expect((await ann.findBy({ slug: 'one', folderId: 1 }))?.id).toBe(first)
    expect(titles(await ann.findAllByAny('id', [first, secret]))).toEqual(['first'])
    expect(titles(await ann.findPage({ page: 1, size: 9 }))).toEqual(['first', 'lent'])
    expect(await ann.count()).toBe(2)
    expect(await Note.unscoped.count()).toBe(3)
    const locked = await database.transaction(async () => [
      await ann.findByIdForUpdate(first),
      await ann.findByIdForUpdate(secret),
    ])
    expect(locked.map((row) => row?.title)).toEqual(['first', undefined])
  })

  test('each way to run a query does so too, whatever its steps are', async () => {
    const anyone = ann.where('userId', 'in', [1, 2])
    expect(titles(await anyone.findAll())).toEqual(['first', 'lent'])
    expect(titles(await ann.query().withDeleted().findAll())).toEqual(['first', 'lent', 'gone'])
    const cleared = ann.query().modify((query) => query.clearWhere())
    expect(titles(await cleared.findAll())).toEqual(['first', 'lent'])
    const either = ann.where((eb) => eb.or([eb('title', '=', 'secret'), eb('id', '>', 0)]))
    expect(await either.count()).toBe(2)
    expect(await ann.where({ title: 'secret' }).exists()).toBe(false)
    expect(await ann.where({ title: 'secret' }).findFirst()).toBeUndefined()
    expect(titles(await anyone.findPage({ page: 1, size: 9 }))).toEqual(['first', 'lent'])
    expect(await anyone.pluck('title')).toEqual(['first', 'lent'])
    expect(await anyone.select('title').distinct().count()).toBe(2)
    expect([...(await anyone.countBy('userId')).keys()]).toEqual([1])
    expect(await anyone.max('id')).toBe(lent)
    expect(await anyone.min('id')).toBe(first)
    expect(await anyone.sum('id')).toBe(first + lent)
    expect(await anyone.average('id')).toBe(2)
    expect(titles(await ann.query().search(['title'], 'first or secret').findAll())).toEqual([
      'first',
    ])
    const streamed: string[] = []
    for await (const { title } of ann.query().stream({ batchSize: 1 })) streamed.push(title)
    expect(streamed).toEqual(['first', 'lent'])
    const named = Note.scope((notes) => notes.where('title', '!=', 'first'))
    expect(titles(await ann.query().apply(named).findAll())).toEqual(['lent'])
  })

  test('pages by number and by key have the rows of the owner, in both directions', async () => {
    const numbered = await ann.paginate({ page: 1, size: 1 })
    expect([titles(numbered.rows), numbered.total]).toEqual([['first'], 2])
    for (const pages of [ann, ann.query(), ann.where('id', '>', 0)]) {
      const one = await pages.paginate({ size: 1 })
      expect([titles(one.rows), one.total]).toEqual([['first'], 2])
      const two = await pages.paginate({ size: 1, after: one.next })
      expect([titles(two.rows), two.next]).toEqual([['lent'], undefined])
      const back = await pages.paginate({ size: 9, before: '' })
      expect(titles(back.rows)).toEqual(['first', 'lent'])
      expect((await pages.paginate({ size: 1, countUpTo: Infinity })).total).toBe(2)
    }
    const found = await ann.paginate({
      size: 9,
      sort: { field: 'title', direction: 'desc' },
      filters: { folderId: 2 },
      search: { text: 'e', fields: ['title'] },
    })
    expect([titles(found.rows), found.total]).toEqual([['lent'], 1])
  })

  test('a new row belongs to the owner, whatever the values contain', async () => {
    await bobKeepsHis(async () => {
      const id = await ann.createWithPermittedAttributes(values({ title: 'a', userId: 2 }))
      const b = await ann.create(values({ title: 'b', userId: 2 }))
      const [c, d] = await ann.createAll([
        values({ title: 'c', userId: 2 }),
        values({ title: 'd' }),
      ])
      const e = await ann.upsert(values({ title: 'e', userId: 2 }), { by: ['userId', 'title'] })
      const f = await ann.createUnlessThere(values({ title: 'f' }), { by: ['userId', 'title'] })
      expect([b, c!, d!, e, f.row].map(({ userId }) => userId)).toEqual([1, 1, 1, 1, 1])
      expect((await Note.unscoped.findById(id))?.userId).toBe(1)
      expect(f.isNew).toBe(true)
    })
  })

  test('no write changes, deletes or takes over a row of somebody else', async () => {
    const title = values({ title: 'stolen', userId: 1 })
    await bobKeepsHis(async () => {
      expect(await ann.updateById(secret).withPermittedAttributes(title)).toBe(0)
      const versioned = permitValues({ title: 'x', lockVersion: 9 }, 'title', 'lockVersion')
      expect(await ann.updateById(secret).withPermittedAttributes(versioned)).toBe(0)
      expect(await ann.increment(secret, 'views')).toBeUndefined()
      expect(await ann.touch(secret)).toBe(0)
      expect(await ann.deleteById(secret)).toBe(0)
      expect(await ann.where({ title: 'secret' }).updateAll(title)).toBe(0)
      expect(await ann.query().withDeleted().where({ id: secret }).deleteAll()).toBe(0)
      const taken = { status: 409, code: 'model.key-taken' }
      const slug = values({ title: 'stolen', slug: 'two' })
      await expect(ann.upsert(slug, { by: 'slug' })).rejects.toMatchObject(taken)
      await expect(ann.createUnlessThere(slug, { by: 'slug' })).rejects.toMatchObject(taken)
      expect(await Folder.scoped(1).deleteById(2)).toBe(0)
    })
    expect(await Folder.unscoped.count()).toBe(2)
  })

  test('a write changes the rows of the owner, and never gives one away', async () => {
    await bobKeepsHis(async () => {
      const given = values({ title: 'new', userId: 2 })
      expect(await ann.updateById(first).withPermittedAttributes(given)).toBe(1)
      expect(await ann.findById(first)).toMatchObject({ title: 'new', userId: 1, lockVersion: 1 })
      const giving = permitValues({ userId: 2 }, 'userId')
      expect(await ann.updateById(first).withPermittedAttributes(giving)).toBe(1)
      expect(await ann.where({ id: first }).updateAll(giving)).toBe(1)
      const upserted = values({ title: 'newer', slug: 'one', userId: 2 })
      expect(await ann.upsert(upserted, { by: 'slug' })).toMatchObject({ id: first, userId: 1 })
      const stale = permitValues({ title: 'x', lockVersion: 0 }, 'title', 'lockVersion')
      await expect(ann.updateById(first).withPermittedAttributes(stale)).rejects.toMatchObject({
        code: 'model.row-changed',
      })
      expect(await ann.increment(first, 'views', 2)).toBe(2)
      expect(await ann.touch(first)).toBe(1)
      expect(await ann.deleteById(first)).toBe(1)
      expect(await ann.query().orderBy('id').limit(5).deleteAll()).toBe(1)
    })
    expect(await ann.count()).toBe(0)
    expect(await Note.unscoped.count()).toBe(1)
  })

  test('hooks get the owner of a new row, and cannot change it', async () => {
    const seen: unknown[] = []
    const Hooked = model('notes', Note.columns, {
      scopedBy: 'userId',
      hooks: {
        beforeSave: ({ userId }) => (seen.push(userId), { userId: 2, slug: `of ${userId}` }),
      },
    })
    const row = await Hooked.scoped(1).create(values({ title: 'hooked' }))
    expect([row.userId, row.slug, seen]).toEqual([1, 'of 1', [1]])
    const change = Hooked.scoped(1)
      .updateById(row.id)
      .withPermittedAttributes(values({ title: 'x' }))
    expect(await change).toBe(1)
    expect((await Note.unscoped.findById(row.id))?.userId).toBe(1)
    const giving = permitValues({ userId: 2 }, 'userId')
    expect(await Hooked.scoped(1).updateById(secret).withPermittedAttributes(giving)).toBe(0)
    expect(seen).toHaveLength(2)
  })

  test('a relation to a model with the same scope has the rows of the owner alone', async () => {
    const notes = await ann.include({ folder: noteFolder }).findAll()
    expect(notes.map(({ folder }) => folder?.name)).toEqual(["Ann's", undefined])
    const [folder] = await Folder.scoped(2)
      .include({ notes: folderNotes, n: folderNotes.count(), note: folderNote })
      .findAll()
    expect([titles(folder!.notes), folder!.n, folder!.note?.title]).toEqual([
      ['secret'],
      1,
      'secret',
    ])
    const limited = folderNotes.with((each) => each.orderBy('title', 'desc').limit(1))
    const [bob] = await Folder.scoped(2).include({ notes: limited }).findAll()
    expect(titles(bob!.notes)).toEqual(['secret'])
    const nested = userNotes.with((each) => each.include({ folder: noteFolder }))
    await expect(User.include({ notes: nested }).findAll()).rejects.toMatchObject({
      code: 'model.scope-missing',
    })
    expect(titles(await ann.where(noteFolder).findAll())).toEqual(['first'])
    expect(
      await ann
        .include({ folder: noteFolder })
        .where({ folder: { name: "Bob's" } })
        .count(),
    ).toBe(0)
    const view = Note.view({
      fields: ['title'],
      relations: { folder: [noteFolder, Folder.view({ fields: ['name'] })] },
    })
    const output = await view.load(await ann.findAll(), ann)
    expect(output.map((each) => each.folder?.name)).toEqual(["Ann's", undefined])
    await expect(view.load(await ann.findAll())).rejects.toMatchObject({
      code: 'model.scope-missing',
    })
    const plain = (await ann.findAll()) as (Note & { folder?: { name: string } })[]
    await loadRelations({ folder: noteFolder }, plain, ann)
    expect(plain.map(({ folder: own }) => own?.name)).toEqual(["Ann's", undefined])
  })

  test('the scope goes through rows without owners, and restricts rows that are keyed by their owner', async () => {
    const Card = model(
      'cards',
      { userId: ParamType.Long, text: ParamType.String },
      {
        primaryKey: 'userId',
        scopedBy: 'userId',
      },
    )
    const Post = model(
      'posts',
      { id: ParamType.Long, userId: ParamType.Long, about: ParamType.Long },
      {
        scopedBy: 'userId',
      },
    )
    const aboutCard = belongsTo(Post, 'about', Card)
    const aboutUser = belongsTo(Post, 'about', User)
    const posts = Post.scoped(1)
    const [card] = await posts.include({ card: aboutCard }).findAll()
    expect(card!.card).toBeUndefined()
    expect(await posts.where(aboutCard).count()).toBe(0)
    const notesOfUser = aboutUser.with((users) => users.include({ notes: userNotes }))
    const [post] = await posts.include({ user: notesOfUser }).findAll()
    expect([post!.user?.name, post!.user?.notes]).toEqual(['Bob', []])
    const view = Post.view({
      fields: ['id'],
      relations: {
        user: [
          aboutUser,
          User.view({
            fields: [],
            relations: { notes: [userNotes, Note.view({ fields: ['title'] })] },
          }),
        ],
      },
    })
    expect(await view.load(await posts.findAll(), posts)).toEqual([{ id: 1, user: { notes: [] } }])
  })

  test('a link table by the owner needs no scope', async () => {
    const Liking = model(
      'likings',
      { userId: ParamType.Long, tagId: ParamType.Long },
      {
        scopedBy: 'userId',
      },
    )
    const likedTags = hasManyThrough(User, Liking, 'userId', 'tagId', Tag)
    const users = await User.include({ tags: likedTags }).findAll()
    expect(users.map(({ tags }) => tags.length)).toEqual([1, 0])
  })

  test('a permit list with the field and its column gives no row away', async () => {
    const twice = permitValues({ title: 'x', userId: 2, user_id: 2 }, 'title', 'userId', 'user_id')
    await bobKeepsHis(() => ann.updateById(first).withPermittedAttributes(twice))
    expect((await ann.findById(first))?.title).toBe('x')
    expect(
      (await ann.create(permitValues({ ...twice, title: 'y' }, 'title', 'userId', 'user_id')))
        .userId,
    ).toBe(1)
  })

  test('rows of all owners need a relation by the owner, or the word unscoped', async () => {
    const users = await User.include({ notes: userNotes }).findAll()
    expect(users.map(({ notes }) => titles(notes))).toEqual([['first', 'lent'], ['secret']])
    await expect(Tag.include({ notes: tagNotes }).findAll()).rejects.toMatchObject({
      code: 'model.scope-missing',
    })
    expect(() => Tag.where(tagNotes)).toThrow(
      expect.objectContaining({ code: 'model.scope-missing' }),
    )
    const [tag] = await Tag.include({ notes: allTagNotes }).findAll()
    expect(titles(tag!.notes)).toEqual(['first', 'secret'])
    const [folder] = await Folder.scoped(2).include({ notes: folderTags }).findAll()
    expect(titles(folder!.notes)).toEqual(['secret', 'lent'])
    expect(() => FwModel.kysely({ Note: ann })).toThrow(
      expect.objectContaining({ code: 'model.definition-invalid' }),
    )
    const all = await FwModel.kysely({ Note: Note.unscoped })
      .selectFrom('notes')
      .selectAll()
      .execute()
    expect(all).toHaveLength(5)
  })

  test('a missing owner is an error and finds nothing', async () => {
    for (const missing of [undefined, null])
      expect(() => Note.scoped(missing as never)).toThrow(
        expect.objectContaining({ code: 'model.condition-undefined' }),
      )
  })
})

test('this file knows every finder and write that a model and its queries have', () => {
  const members = (prototype: object) =>
    Object.getOwnPropertyNames(prototype).filter((name) => name !== 'constructor')
  const known =
    'findByIdForUpdate createWithPermittedAttributes create createAll upsert createUnlessThere updateById increment touch ' +
    'deleteById refusals'
  expect(members(FwModel.prototype)).toEqual(known.split(' '))
  expect(members(Object.getPrototypeOf(FwModel.prototype) as object)).toEqual(
    'findAll findById inTransaction findBy findAllByAny findPage count include query'.split(' '),
  )
  expect(members(ModelQuery.prototype)).toEqual(
    (
      'where orderBy limit offset select distinct include apply search withDeleted modify findAll findFirst findPage paginate ' +
      'stream pluck count countBy sum average min max exists updateAll deleteAll'
    ).split(' '),
  )
})

test('a model with a scope has no finders, and its rows have the types of the model', () => {
  expect('findAll' in Note).toBe(false)
  expectTypeOf<typeof Note>().not.toHaveProperty('findById')
  expectTypeOf<typeof Note>().not.toHaveProperty('create')
  expectTypeOf<typeof ann.findAll>().returns.resolves.toEqualTypeOf<Note[]>()
  expectTypeOf<typeof Note.unscoped.findAll>().returns.resolves.toEqualTypeOf<Note[]>()
  // @ts-expect-error a scope needs an owner
  expect(() => Note.scoped()).toThrow('scope')
  // @ts-expect-error without a scope, a new row needs its owner
  void (() => Note.unscoped.create(permitValues({ title: 'a' }, 'title')))
  void (() => ann.create(permitValues({ title: 'a' }, 'title')))
  // @ts-expect-error no such field
  expect(() => model('notes', { id: ParamType.Long }, { scopedBy: 'userId' })).toThrow('userId')
})

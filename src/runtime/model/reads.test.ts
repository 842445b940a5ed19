/** Reads of a model on every engine: relations of any depth, conditions over them, parts of rows, numbers, searches, streams. */
import { afterAll, beforeAll, describe, expect, expectTypeOf, test } from 'vitest'
import { logStatements, sentStatements, useDatabase, type Database } from '../db.ts'
import { engines, type OpenEngine } from '../db/engines.fixture.ts'
import {
  belongsTo,
  defaulted,
  FwModel,
  hasMany,
  hasManyThrough,
  hasOne,
  model,
  type RowOf,
} from '../model.ts'
import { ParamType, permitValues, type PermittedValues } from '../params.ts'

const User = model('users', { id: ParamType.Long, username: ParamType.String })
const Article = model(
  'articles',
  {
    id: ParamType.Long,
    title: ParamType.String,
    body: ParamType.String,
    authorId: ParamType.Long,
    views: defaulted(ParamType.Int),
    words: defaulted(ParamType.Long),
    price: ParamType.optional(ParamType.BigDecimal),
    huge: ParamType.optional(ParamType.BigInt),
    deletedAt: ParamType.optional(ParamType.DateTime),
    updatedAt: ParamType.DateTime,
    lockVersion: defaulted(ParamType.Int),
  },
  { softDelete: 'deletedAt', lockVersion: 'lockVersion' },
)
const Comment = model('comments', {
  id: ParamType.Long,
  articleId: ParamType.Long,
  userId: ParamType.Long,
  text: ParamType.String,
})
const Tag = model(
  'Tags',
  { id: ParamType.Int, tagName: ParamType.String },
  {
    columnNames: { tagName: 'Tag Name' },
  },
)
const ArticleTag = model('article_tags', { articleId: ParamType.Long, tagId: ParamType.Int })
const Category = model('categories', {
  id: ParamType.Int,
  name: ParamType.String,
  parentId: ParamType.optional(ParamType.Int),
})

const articleAuthor = belongsTo(Article, 'authorId', User)
const articleComments = hasMany(Article, Comment, 'articleId')
const articleFirstComment = hasOne(Article, Comment, 'articleId')
const articleTags = hasManyThrough(Article, ArticleTag, 'articleId', 'tagId', Tag)
const commentUser = belongsTo(Comment, 'userId', User)
const userArticles = hasMany(User, Article, 'authorId')
const parent = belongsTo(Category, 'parentId', Category)
const children = hasMany(Category, Category, 'parentId')

const tables = `
  create table users (id bigserial primary key, username text not null);
  create table articles (id bigserial primary key, title text not null, body text not null, author_id bigint not null references users,
    views int not null default 0, words bigint not null default 0, price numeric, huge numeric, deleted_at timestamptz,
    updated_at timestamptz not null default '2020-01-01', lock_version int not null default 0);
  create table comments (id bigserial primary key, article_id bigint not null references articles, user_id bigint not null references users, text text not null);
  create table "Tags" (id int primary key, "Tag Name" text not null);
  create table article_tags (article_id bigint not null, tag_id int not null);
  create type mood as enum ('fine', 'so "so"', 'NULL'); create domain year as int check (value > 1900);
  create table shelves (moods mood[] not null, years year[] not null);
  create table categories (id int primary key, name text not null, parent_id int references categories);`

const Shelf = model('shelves', {
  moods: ParamType.array(ParamType.String),
  years: ParamType.array(ParamType.Int),
})

const rows = `
  insert into users (username) values ('ann'), ('bob'), ('cy');
  insert into articles (title, body, author_id, views, words, price, huge) values
    ('Cats', 'the cat sat on the mat', 1, 5, 100, 1.50, 10), ('Dogs', 'dogs run after cats', 1, 7, 200, 2.25, 99999999999999999999),
    ('Birds', 'birds fly', 2, 7, 300, null, null), ('Gone', 'was deleted', 2, 1, 1, null, null);
  update articles set deleted_at = now() where title = 'Gone';
  insert into comments (article_id, user_id, text) values (1, 2, 'a'), (1, 3, 'b'), (1, 2, 'c'), (2, 3, 'd');
  insert into "Tags" values (1, 'pets'), (2, 'animals'), (3, 'unused');
  insert into article_tags values (1, 1), (1, 2), (2, 2), (1, 2), (3, 2);
  insert into categories values (1, 'all', null), (2, 'pets', 1), (3, 'wild', 1), (4, 'cats', 2);`

describe.each(engines)('on $name', ({ open }) => {
  let engine: OpenEngine
  let database: Database

  beforeAll(async () => {
    engine = await open()
    database = engine.database
    const connection = await database.pool.reserve()
    await connection.script(tables + rows)
    database.pool.release(connection)
    useDatabase(database)
  })
  afterAll(async () => {
    useDatabase(undefined)
    await engine.close()
  })

  /** Rolls the writes of `work` back. */
  const undone = async (work: () => Promise<unknown>): Promise<void> => {
    const undo = new Error('undo')
    const transaction = database.transaction(async () => {
      await work()
      throw undo
    })
    await expect(transaction).rejects.toBe(undo)
  }

  const counted = async <T>(work: () => Promise<T>): Promise<readonly [T, number]> =>
    logStatements(async () => {
      const result = await work()
      return [result, sentStatements().length] as const
    })

  describe('include', () => {
    test('nested relations take one statement a level', async () => {
      const withCommenters = articleComments.with((comments) =>
        comments.include({ user: commentUser }),
      )
      const [users, statements] = await counted(() =>
        User.include({
          articles: userArticles.with((articles) => articles.include({ comments: withCommenters })),
        }).findAll(),
      )
      expect(statements).toBe(4)
      expect(
        users.map(({ username, articles }) => [
          username,
          articles.map(({ title, comments }) => [
            title,
            comments.map(({ user }) => user?.username),
          ]),
        ]),
      ).toEqual([
        [
          'ann',
          [
            ['Cats', ['bob', 'cy', 'bob']],
            ['Dogs', ['cy']],
          ],
        ],
        ['bob', [['Birds', []]]],
        ['cy', []],
      ])
      expectTypeOf(users[0]!.articles[0]!.comments[0]!.user).toEqualTypeOf<
        RowOf<typeof User> | undefined
      >()
    })

    test('conditions and order apply to the related rows', async () => {
      const found = await Article.include({
        comments: articleComments.with((comments) =>
          comments.where({ userId: 2 }).orderBy('text', 'desc'),
        ),
        author: articleAuthor.with((users) => users.where('username', '=', 'ann')),
      }).findAll()
      expect(
        found.map(({ comments, author }) => [comments.map(({ text }) => text), author?.username]),
      ).toEqual([
        [['c', 'a'], 'ann'],
        [[], 'ann'],
        [[], undefined],
      ])
    })

    test('a limit counts for each owner, in one statement', async () => {
      const [found, statements] = await counted(() =>
        Article.include({
          latest: articleComments.with((comments) => comments.orderBy('id', 'desc').limit(2)),
          last: articleFirstComment.with((comments) => comments.orderBy('id', 'desc')),
        }).findAll(),
      )
      expect(statements).toBe(3)
      expect(found.map(({ latest, last }) => [latest.map(({ text }) => text), last?.text])).toEqual(
        [
          [['c', 'b'], 'c'],
          [['d'], 'd'],
          [[], undefined],
        ],
      )
    })

    test('a relation over a join table has conditions, order and limit too', async () => {
      const found = await Article.include({
        all: articleTags,
        named: articleTags.with((tags) => tags.where('tagName', 'like', 'a%')),
        first: articleTags.with((tags) => tags.orderBy('tagName').limit(1)),
        ids: articleTags.with((tags) => tags.select('id')),
      }).findAll()
      const names = (tags: readonly { tagName: string }[]) => tags.map(({ tagName }) => tagName)
      expect(
        found.map(({ all, named, first, ids }) => [names(all), names(named), names(first), ids]),
      ).toEqual([
        [['pets', 'animals'], ['animals'], ['animals'], [{ id: 1 }, { id: 2 }]],
        [['animals'], ['animals'], ['animals'], [{ id: 2 }]],
        [['animals'], ['animals'], ['animals'], [{ id: 2 }]],
      ])
    })

    test('counts of relations', async () => {
      const [users, statements] = await counted(() =>
        User.include({
          articleCount: userArticles.count(),
          popular: userArticles.with((articles) => articles.where('views', '>', 5)).count(),
        }).findAll(),
      )
      expect(statements).toBe(3)
      expect(users.map(({ articleCount, popular }) => [articleCount, popular])).toEqual([
        [2, 1],
        [1, 1],
        [0, 0],
      ])
      expectTypeOf(users[0]!.articleCount).toEqualTypeOf<number>()
      const articles = await Article.include({ tagCount: articleTags.count() }).findAll()
      expect(articles.map(({ tagCount }) => tagCount)).toEqual([2, 1, 1])
    })

    test('a model that refers to itself', async () => {
      const found = await Category.include({
        parent: parent.with((categories) => categories.include({ parent })),
        children: children.with((categories) => categories.orderBy('name', 'desc').limit(1)),
      }).findAll()
      expect(
        found.map((each) => [each.parent?.parent?.name, each.children.map(({ name }) => name)]),
      ).toEqual([
        [undefined, ['wild']],
        [undefined, ['cats']],
        [undefined, []],
        ['all', []],
      ])
      expect(await Category.where(parent, { name: 'all' }).pluck('name')).toEqual(['pets', 'wild'])
      expect(await Category.where(children, { name: 'cats' }).pluck('name')).toEqual(['pets'])
    })

    test('a selection keeps the keys that relations need', async () => {
      const found = await Article.query()
        .select('title')
        .include({ author: articleAuthor.with((users) => users.select('username')) })
        .findAll()
      expect(found.map(({ title, author }) => [title, author?.username])).toEqual([
        ['Cats', 'ann'],
        ['Dogs', 'ann'],
        ['Birds', 'bob'],
      ])
      // @ts-expect-error not selected
      void found[0]!.body
      // @ts-expect-error not selected
      void found[0]!.author!.id
    })
  })

  describe('where', () => {
    test('conditions over relations', async () => {
      const titles = (query: { pluck(field: 'title'): Promise<string[]> }) => query.pluck('title')
      expect(await titles(Article.where(articleAuthor, { username: 'ann' }))).toEqual([
        'Cats',
        'Dogs',
      ])
      expect(await titles(Article.where(articleComments, { userId: 3 }))).toEqual(['Cats', 'Dogs'])
      expect(await titles(Article.where(articleComments))).toEqual(['Cats', 'Dogs'])
      expect(await titles(Article.where(articleTags, { tagName: 'pets' }))).toEqual(['Cats'])
      const long = articleAuthor.with((users) => users.where('username', 'like', 'b%'))
      expect(await titles(Article.where(long))).toEqual(['Birds'])
      expect(await User.where(userArticles, { title: 'Gone' }).count()).toBe(0)
      await expect(async () =>
        // @ts-expect-error no such field
        Article.where(articleAuthor, { user: 'ann' }).findAll(),
      ).rejects.toMatchObject({ code: 'model.column-unknown' })
      // @ts-expect-error the relation of another table
      expect(() => Article.where(userArticles)).not.toThrow()
    })

    // PostgreSQL accepts 65,535 parameters.
    test('lists of 70,000 values work, and long lists of every type', async () => {
      const many = <T>(value: T, length = 1000) => Array.from({ length }, () => value)
      const titles = (query: { pluck(field: 'title'): Promise<string[]> }) => query.pluck('title')
      const [cats, dogs, birds] = await Article.query().orderBy('id').findAll()
      expect(await titles(Article.where('id', 'in', [...many(-1, 70_000), dogs!.id]))).toEqual([
        'Dogs',
      ])
      expect(await titles(Article.where('id', 'not in', [...many(-1, 70_000), dogs!.id]))).toEqual([
        'Cats',
        'Birds',
      ])
      const either = Article.where((eb) =>
        eb.or([
          eb('id', 'in', [...many(-1, 70_000), dogs!.id]),
          eb('title', 'in', [...many('x', 70_000), 'Birds']),
        ]),
      )
      expect(await titles(either)).toEqual(['Dogs', 'Birds'])
      const neither = Article.where((eb) => eb('id', 'not in', [...many(-1, 70_000), dogs!.id]))
      expect(await titles(neither)).toEqual(['Cats', 'Birds'])
      const texts = [...many('"a",{b}\\'), 'NULL', birds!.title]
      expect(await titles(Article.where('title', 'in', texts))).toEqual(['Birds'])
      expect(await titles(Article.where('price', 'in', many(dogs!.price!)))).toEqual(['Dogs'])
      expect(await titles(Article.where('huge', 'in', many(dogs!.huge!)))).toEqual(['Dogs'])
      expect(await titles(Article.where('updatedAt', 'in', many(cats!.updatedAt)))).toHaveLength(3)
    })

    test('a field may have the name condition', async () => {
      const fields = { id: ParamType.Long, condition: ParamType.String }
      const Named = model('users', fields, { columnNames: { condition: 'username' } })
      expect(await Named.where({ condition: 'bob' }).pluck('condition')).toEqual(['bob'])
    })

    test('an included relation has a name in conditions', async () => {
      const query = Article.include({ author: articleAuthor, comments: articleComments })
      expect(await query.where({ author: { username: 'bob' } }).pluck('title')).toEqual(['Birds'])
      expect(await query.where({ title: 'Dogs', comments: { userId: 3 } }).pluck('title')).toEqual([
        'Dogs',
      ])
      await expect(async () =>
        // @ts-expect-error no such field
        query.where({ author: { usernam: 'bob' } }).findAll(),
      ).rejects.toMatchObject({ code: 'model.column-unknown' })
      // @ts-expect-error another type
      expect(() => query.where({ author: { username: 1 } })).not.toThrow()
      expect(() =>
        query.where({
          // @ts-expect-error undefined in a condition
          author: { username: undefined },
        }),
      ).toThrow(expect.objectContaining({ code: 'model.condition-undefined' }))
    })

    test('scopes compose and keep the type of the query', async () => {
      const popular = Article.scope((articles) => articles.where('views', '>', 5))
      const by = (username: string) =>
        Article.scope((articles) => articles.where(articleAuthor, { username }))
      expect(await Article.query().apply(popular, by('ann')).pluck('title')).toEqual(['Dogs'])
      const found = await Article.include({ author: articleAuthor }).apply(popular).findAll()
      expect(found.map(({ author }) => author!.username)).toEqual(['ann', 'bob'])
      const users = User.scope((query) => query.limit(1))
      // @ts-expect-error a scope of another model
      expect(Article.query().apply(users)).toBeDefined()
    })
  })

  test('select, pluck and distinct', async () => {
    const selected = await Article.where({ id: 1 }).select('id', 'title').findAll()
    expect(selected).toEqual([{ id: 1, title: 'Cats' }])
    expectTypeOf(selected).toEqualTypeOf<Pick<RowOf<typeof Article>, 'id' | 'title'>[]>()
    expect(await Article.query().pluck('views')).toEqual([5, 7, 7])
    const views = Article.query().select('views').distinct()
    expect(await views.orderBy('views').pluck('views')).toEqual([5, 7])
    expect(await views.count()).toBe(2)
    expect(await Article.query().orderBy('huge').pluck('huge')).toEqual([
      10n,
      99999999999999999999n,
      undefined,
    ])
  })

  test('aggregates', async () => {
    const all = Article.query()
    expect(await all.sum('views')).toBe(19)
    expect(await all.sum('words')).toBe(600)
    expect(await all.sum('price')).toBe('3.75')
    expect(await all.sum('huge')).toBe(100000000000000000009n)
    expect(await all.average('views')).toBeCloseTo(19 / 3)
    expect([await all.min('title'), await all.max('views')]).toEqual(['Birds', 7])
    expect(await all.max('huge')).toBe(99999999999999999999n)
    expect(await all.orderBy('views').limit(1).sum('views')).toBe(5)
    const none = Article.where({ title: 'none' })
    expect([await none.sum('views'), await none.average('views'), await none.min('id')]).toEqual([
      0,
      undefined,
      undefined,
    ])
    expect([...(await all.countBy('views'))]).toEqual([
      [5, 1],
      [7, 2],
    ])
    // @ts-expect-error not a number
    await expect(all.sum('title')).rejects.toMatchObject({ code: 'db.query-failed' })
  })

  test('search finds words in several fields, the best match first', async () => {
    const english = { language: 'english' }
    const find = (text: string, options = {}) =>
      Article.query().search(['title', 'body'], text, options).pluck('title')
    expect(await find('cat', english)).toEqual(['Cats', 'Dogs'])
    expect(await find('cat -dogs', english)).toEqual(['Cats'])
    expect(await find('cat')).toEqual(['Cats'])
    expect(await find(`'; drop table articles --`)).toEqual([])
    const query = Article.query().orderBy('title', 'desc')
    expect(await query.search(['body'], 'cats', english).pluck('title')).toEqual(['Dogs', 'Cats'])
    expect(() => Article.query().search(['title'], 'x', { language: `x'` })).toThrow(
      expect.objectContaining({ code: 'model.query-invalid' }),
    )
  })

  test('stream reads all rows in parts, with their relations', async () => {
    const seen: unknown[] = []
    const query = Article.include({ author: articleAuthor }).orderBy('id', 'desc')
    for await (const { title, author } of query.stream({ batchSize: 2 })) {
      seen.push([title, author?.username])
      // Other statements run between the rows.
      expect(await User.count()).toBe(3)
    }
    expect(seen).toEqual([
      ['Birds', 'bob'],
      ['Dogs', 'ann'],
      ['Cats', 'ann'],
    ])
    await database.transaction(async () => {
      let rows = 0
      for await (const row of Comment.where({ userId: 2 }).stream({ batchSize: 1 })) rows += row.id
      expect(rows).toBe(4)
    })
    expect(database.state.reserved).toBe(0)
    await expect(Article.query().stream({ batchSize: 0 }).next()).rejects.toMatchObject({
      code: 'model.query-invalid',
    })
  })

  test('a stream that is left returns its connection', async () => {
    for await (const row of Comment.query().stream({ batchSize: 1 })) {
      expect(row.id).toBe(1)
      break
    }
    expect(database.state.reserved).toBe(0)
  })

  test('Kysely has the tables, fields and types of the models', async () => {
    const kysely = FwModel.kysely({ User, Article, Tag, Category, articleAuthor })
    const found = await kysely
      .selectFrom('articles')
      .innerJoin('users', 'users.id', 'articles.authorId')
      .select(['articles.title', 'users.username', 'articles.authorId', 'articles.huge'])
      .where('articles.deletedAt', 'is', null)
      .orderBy('articles.id')
      .execute()
    expect(found).toEqual([
      { title: 'Cats', username: 'ann', authorId: 1, huge: 10n },
      { title: 'Dogs', username: 'ann', authorId: 1, huge: 99999999999999999999n },
      { title: 'Birds', username: 'bob', authorId: 2, huge: null },
    ])
    expectTypeOf(found[0]!.huge).toEqualTypeOf<bigint | null>()
    const tags = await kysely.selectFrom('Tags').selectAll().where('tagName', '=', 'pets').execute()
    expect(tags).toEqual([{ id: 1, tagName: 'pets' }])
    const renamed = await kysely
      .with('changed', (inner) =>
        inner
          .updateTable('Tags')
          .set({ tagName: 'pets' })
          .where('tagName', '=', 'pets')
          .returning('id'),
      )
      .selectFrom('Tags')
      .select('tagName')
      .where('id', 'in', kysely.selectFrom('Tags').select('id').where('tagName', '=', 'pets'))
      .execute()
    expect(renamed).toEqual([{ tagName: 'pets' }])
    const { count } = await kysely
      .selectFrom('categories as parents')
      .innerJoin('categories as c', 'c.parentId', 'parents.id')
      .select(({ fn }) => fn.countAll().as('count'))
      .executeTakeFirstOrThrow()
    expect(count).toBe(3)
    // @ts-expect-error no such field
    await expect(kysely.selectFrom('users').select('nam').execute()).rejects.toMatchObject({
      code: 'db.query-failed',
    })
    // @ts-expect-error not among the models
    await expect(kysely.selectFrom('comments').select('articleId').execute()).resolves.toBeDefined()
  })

  test('findBySql gives rows of SQL types, and checks columns and NULL', async () => {
    const sql =
      'select username, count(articles) as article_count, max(price) as best from users left join articles on author_id = users.id group by username order by 1'
    const columns = {
      username: ParamType.String,
      articleCount: ParamType.Long,
      best: ParamType.optional(ParamType.BigDecimal),
    }
    const statement = { sql, parameters: [] }
    const found = await FwModel.findBySql(columns, statement)
    expect(found).toEqual([
      { username: 'ann', articleCount: 2, best: '2.25' },
      { username: 'bob', articleCount: 2, best: undefined },
      { username: 'cy', articleCount: 0, best: undefined },
    ])
    expectTypeOf(found[0]!.articleCount).toEqualTypeOf<number>()
    await expect(
      FwModel.findBySql({ ...columns, best: ParamType.BigDecimal }, statement),
    ).rejects.toMatchObject({
      code: 'model.query-invalid',
      message: expect.stringContaining("'best'"),
    })
    await expect(
      FwModel.findBySql({ worstPrice: ParamType.BigDecimal }, statement),
    ).rejects.toMatchObject({ message: expect.stringContaining("no column 'worst_price'") })
  })

  test('arrays of enums and domains are lists, and are written as lists', async () => {
    const values = { moods: ['fine', 'so "so"', 'NULL'], years: [1984, 2026] }
    const created = await Shelf.create(permitValues(values, 'moods', 'years'))
    expect(created).toEqual(values)
    expect(await Shelf.findAll()).toEqual([values])
    const kysely = FwModel.kysely({ Shelf })
    expect(await kysely.selectFrom('shelves').select('years').execute()).toEqual([
      { years: [1984, 2026] },
    ])
    const wrong = permitValues({ ...values, moods: ['sad'] }, 'moods', 'years')
    await expect(Shelf.create(wrong)).rejects.toMatchObject({ sqlState: '22P02' })
  })

  test('updateAll and deleteAll write with one statement', async () => {
    await undone(async () => {
      const title: PermittedValues & { title: string } = permitValues({ title: 'New' }, 'title')
      const [changed, statements] = await counted(() =>
        Article.where('views', '=', 7).updateAll(title),
      )
      expect([changed, statements]).toEqual([2, 1])
      const rows = await Article.where({ title: 'New' }).findAll()
      expect(rows.map(({ lockVersion }) => lockVersion)).toEqual([1, 1])
      expect(String(rows[0]!.updatedAt)).not.toMatch(/^2020-01-01/)
      expect(await Article.query().orderBy('id').limit(1).updateAll(title)).toBe(1)
      expect(await Article.where(articleAuthor, { username: 'bob' }).updateAll(title)).toBe(1)
      expect(await Article.query().withDeleted().where({ title: 'New' }).count()).toBe(3)
      // @ts-expect-error not permitted
      await expect(Article.query().updateAll({ title: 'x' })).rejects.toMatchObject({
        code: 'model.not-permitted',
      })
    })
    await undone(async () => {
      expect(await Comment.where({ userId: 2 }).deleteAll()).toBe(2)
      expect(await Comment.query().orderBy('id', 'desc').limit(1).deleteAll()).toBe(1)
      expect(await Comment.query().pluck('text')).toEqual(['b'])
      expect(await Tag.where('tagName', 'in', []).deleteAll()).toBe(0)
      expect(await Tag.query().orderBy('tagName').limit(1).deleteAll()).toBe(1)
      expect(await Tag.where({ tagName: 'unused' }).deleteAll()).toBe(1)
      expect(await Article.query().deleteAll()).toBe(3)
      expect(await Article.query().withDeleted().count()).toBe(4)
    })
    expect(await Article.count()).toBe(3)
  })
})

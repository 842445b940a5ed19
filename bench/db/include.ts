/**
 * CPU time of loading 20 rows with 5 related rows each, in this process: a model, Kysely by hand, Drizzle and TypeORM, with
 * the same statements and results. Part of `npm run bench -- db`.
 */
import { asc, gt, relations } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/node-postgres'
import * as pgCore from 'drizzle-orm/pg-core'
import { Kysely, PostgresDialect } from 'kysely'
import pg from 'pg'
import { DataSource, EntitySchema } from 'typeorm'
import { openDatabase, useDatabase } from '../../src/runtime/db.ts'
import { hasMany, model } from '../../src/runtime/model.ts'
import { ParamType } from '../../src/runtime/params.ts'
import { estimate, type Estimate } from '../http/statistics.ts'

const owners = 20
const each = 5

async function makeRows(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query(`
    create table author (id int primary key, name text not null, country text not null);
    create table book (id int primary key, author_id int not null references author, title text not null, pages int not null);
    create index on book (author_id);
    insert into author select n, 'author ' || n, 'country ' || n % 7 from generate_series(1, 1000) n;
    insert into book select n, 1 + (n - 1) / ${each}, 'book ' || n, n % 900 from generate_series(1, ${1000 * each}) n;
    analyze author; analyze book`)
  await client.end()
}

/** The database is dropped while connections may still be closing. */
function openPool(url: string): pg.Pool {
  return new pg.Pool({ connectionString: url, max: 1 }).on('error', () => {})
}

type Load = (from: number) => Promise<unknown>
interface Subject {
  readonly load: Load
  close(): Promise<void>
}

async function fw(url: string): Promise<Subject> {
  const database = await openDatabase({ kind: 'postgres', url, poolSize: 1 })
  useDatabase(database)
  const Author = model('author', {
    id: ParamType.Int,
    name: ParamType.String,
    country: ParamType.String,
  })
  const Book = model('book', {
    id: ParamType.Int,
    authorId: ParamType.Int,
    title: ParamType.String,
    pages: ParamType.Int,
  })
  const books = hasMany(Author, Book, 'authorId')
  return {
    load: (from) => Author.where('id', '>', from).limit(owners).include({ books }).findAll(),
    close: () => database.close(),
  }
}

interface Tables {
  author: { id: number; name: string; country: string }
  book: { id: number; author_id: number; title: string; pages: number }
}

async function kysely(url: string): Promise<Subject> {
  const pool = openPool(url)
  const db = new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) })
  const load: Load = async (from) => {
    const authors = await db
      .selectFrom('author')
      .select(['id', 'name', 'country'])
      .where('id', '>', from)
      .orderBy('id')
      .limit(owners)
      .execute()
    const ids = authors.map(({ id }) => id)
    const books = await db
      .selectFrom('book')
      .select(['id', 'author_id as authorId', 'title', 'pages'])
      .where('author_id', 'in', ids)
      .orderBy('id')
      .execute()
    const groups = Map.groupBy(books, ({ authorId }) => authorId)
    return authors.map((author) => ({ ...author, books: groups.get(author.id) ?? [] }))
  }
  return { load, close: () => db.destroy() }
}

async function drizzleOrm(url: string): Promise<Subject> {
  const pool = openPool(url)
  const author = pgCore.pgTable('author', {
    id: pgCore.integer().primaryKey(),
    name: pgCore.text().notNull(),
    country: pgCore.text().notNull(),
  })
  const book = pgCore.pgTable('book', {
    id: pgCore.integer().primaryKey(),
    authorId: pgCore.integer('author_id').notNull(),
    title: pgCore.text().notNull(),
    pages: pgCore.integer().notNull(),
  })
  const authorRelations = relations(author, ({ many }) => ({ books: many(book) }))
  const bookRelations = relations(book, ({ one }) => ({
    author: one(author, { fields: [book.authorId], references: [author.id] }),
  }))
  const db = drizzle(pool, { schema: { author, book, authorRelations, bookRelations } })
  return {
    load: (from) =>
      db.query.author.findMany({
        where: gt(author.id, from),
        orderBy: asc(author.id),
        limit: owners,
        with: { books: { orderBy: asc(book.id) } },
      }),
    close: () => pool.end(),
  }
}

async function typeorm(url: string): Promise<Subject> {
  const Author = new EntitySchema<Record<string, unknown>>({
    name: 'author',
    columns: {
      id: { type: 'int', primary: true },
      name: { type: 'text' },
      country: { type: 'text' },
    },
    relations: { books: { type: 'one-to-many', target: 'book', inverseSide: 'author' } },
  })
  const Book = new EntitySchema<Record<string, unknown>>({
    name: 'book',
    columns: {
      id: { type: 'int', primary: true },
      authorId: { type: 'int', name: 'author_id' },
      title: { type: 'text' },
      pages: { type: 'int' },
    },
    relations: {
      author: { type: 'many-to-one', target: 'author', joinColumn: { name: 'author_id' } },
    },
  })
  const source = new DataSource({
    type: 'postgres',
    url,
    entities: [Author, Book],
    extra: { max: 1 },
  })
  await source.initialize()
  const { MoreThan } = await import('typeorm')
  return {
    load: (from) =>
      source.getRepository('author').find({
        where: { id: MoreThan(from) },
        // With an order of the books, `take` would count joined rows.
        order: { id: 'ASC' },
        take: owners,
        relations: { books: true },
      }),
    close: () => source.destroy(),
  }
}

const makers = { fw, kysely, drizzle: drizzleOrm, typeorm }
type Name = keyof typeof makers

interface Author {
  readonly id: number
  readonly books: readonly { readonly id: number }[]
}

/** The rows as JSON in a fixed order of rows and keys. */
const normal = (found: unknown): string =>
  JSON.stringify(
    (found as Author[])
      .toSorted((a, b) => a.id - b.id)
      .map((author) => [author.id, author.books.map(({ id }) => id).toSorted((a, b) => a - b)]),
  )

/** Microseconds of CPU time per load. */
async function measure(load: Load, times: number): Promise<number> {
  const before = process.cpuUsage()
  for (let at = 0; at < times; at++) await load((at * 37) % 900)
  const { user, system } = process.cpuUsage(before)
  return (user + system) / times
}

/** The results, the CPU time of each subject ÷ that of the model; the order of the subjects alternates. */
export async function compareIncludes(url: string, rounds: number) {
  await makeRows(url)
  const subjects = new Map<Name, Subject>()
  for (const name of Object.keys(makers) as Name[]) subjects.set(name, await makers[name](url))
  const expected = normal(await subjects.get('fw')!.load(10))
  for (const [name, { load }] of subjects) {
    if (normal(await load(10)) !== expected) throw new Error(`${name} loads other rows`)
    await measure(load, 300)
  }
  const costs = new Map<Name, number[]>()
  for (let round = 0; round < rounds; round++) {
    const order = round % 2 === 0 ? [...subjects] : [...subjects].reverse()
    for (const [name, { load }] of order)
      costs.set(name, [...(costs.get(name) ?? []), await measure(load, 200)])
  }
  for (const subject of subjects.values()) await subject.close()
  useDatabase(undefined)
  const own = costs.get('fw')!
  const results: Record<string, { microseconds: number; ratio: Estimate }> = {}
  for (const [name, all] of costs)
    results[name] = {
      microseconds: estimate(all).median,
      ratio: estimate(all.map((cost, at) => cost / own[at]!)),
    }
  return results
}

/**
 * CPU time of reads in this process: 20 rows with 5 related rows each, and a page by key with a bounded count. A model, Kysely
 * by hand, Drizzle and TypeORM have the same statements and results. Part of `npm run bench -- db`.
 */
import { asc, count, gt, relations, sql as drizzleSql } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/node-postgres'
import * as pgCore from 'drizzle-orm/pg-core'
import { Kysely, PostgresDialect, sql } from 'kysely'
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
    create index on author (name, id);
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
interface Page {
  readonly rows: readonly unknown[]
  readonly next: string | undefined
  readonly total: number
}
interface Subject {
  /** The owners after an id, with their related rows. */
  readonly include: Load
  /** The page after the author with this number, by name. */
  readonly page: (from: number) => Promise<Page>
  close(): Promise<void>
}

const countLimit = 10_001
const formatCursor = (...values: readonly unknown[]): string =>
  Buffer.from(JSON.stringify(values)).toString('base64url')
const parseCursor = (cursor: string): [name: string, id: number] =>
  JSON.parse(Buffer.from(cursor, 'base64url').toString()) as [string, number]
const nameOf = (from: number): string => `author ${from}`

/** A page of rows, of which one more than its size was read. */
function toPage(found: readonly { name: string; id: number }[], total: number): Page {
  const rows = found.slice(0, owners)
  const last = rows.at(-1)
  const hasNext = found.length > owners && last !== undefined
  return { rows, next: hasNext ? formatCursor(last.name, last.id) : undefined, total }
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
    include: (from) => Author.where('id', '>', from).limit(owners).include({ books }).findAll(),
    page: (from) =>
      Author.query()
        .orderBy('name')
        .paginate({ size: owners, after: formatCursor('name,id', nameOf(from), String(from)) }),
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
  const include: Load = async (from) => {
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
  const page: Subject['page'] = async (from) => {
    const [name, id] = parseCursor(formatCursor(nameOf(from), from))
    const [rows, { total }] = await Promise.all([
      db
        .selectFrom('author')
        .select(['id', 'name', 'country'])
        .where((eb) => eb(eb.refTuple('name', 'id'), '>', eb.tuple(name, id)))
        .orderBy('name')
        .orderBy('id')
        .limit(owners + 1)
        .execute(),
      db
        .selectFrom((eb) =>
          eb
            .selectFrom('author')
            .select(sql`1`.as('one'))
            .limit(countLimit)
            .as('counted'),
        )
        .select((eb) => eb.fn.countAll<string>().as('total'))
        .executeTakeFirstOrThrow(),
    ])
    return toPage(rows, Number(total))
  }
  return { include, page, close: () => db.destroy() }
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
    page: async (from) => {
      const [name, id] = parseCursor(formatCursor(nameOf(from), from))
      const counted = db
        .select({ one: drizzleSql`1`.as('one') })
        .from(author)
        .limit(countLimit)
      const [rows, [all]] = await Promise.all([
        db
          .select()
          .from(author)
          .where(drizzleSql`(${author.name}, ${author.id}) > (${name}, ${id})`)
          .orderBy(asc(author.name), asc(author.id))
          .limit(owners + 1),
        db.select({ total: count() }).from(counted.as('counted')),
      ])
      return toPage(rows, all!.total)
    },
    include: (from) =>
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
    page: async (from) => {
      const [name, id] = parseCursor(formatCursor(nameOf(from), from))
      const [rows, [all]] = await Promise.all([
        source
          .getRepository('author')
          .createQueryBuilder('a')
          .where('(a.name, a.id) > (:name, :id)', { name, id })
          .orderBy('a.name')
          .addOrderBy('a.id')
          .limit(owners + 1)
          .getMany(),
        source.query<{ total: string }[]>(
          `select count(*) as total from (select 1 from author limit ${countLimit}) counted`,
        ),
      ])
      return toPage(rows as { name: string; id: number }[], Number(all!.total))
    },
    include: (from) =>
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

/** Rows and count of a page. */
const normalPage = ({ rows, next, total }: Page): string =>
  JSON.stringify([
    rows.map((row) => (row as Author & { name: string }).name),
    next !== undefined,
    total,
  ])

/** Microseconds of CPU time per load. */
async function measure(load: Load, times: number): Promise<number> {
  const before = process.cpuUsage()
  for (let at = 0; at < times; at++) await load((at * 37) % 900)
  const { user, system } = process.cpuUsage(before)
  return (user + system) / times
}

type Compared = Record<string, { microseconds: number; ratio: Estimate }>

/** The CPU time of each subject ÷ that of the model; the order of the subjects alternates. */
async function compare(
  subjects: readonly (readonly [Name, Load])[],
  rounds: number,
): Promise<Compared> {
  for (const [, load] of subjects) await measure(load, 500)
  const costs = new Map<Name, number[]>()
  for (let round = 0; round < rounds; round++) {
    for (const [name, load] of round % 2 === 0 ? subjects : subjects.toReversed())
      costs.set(name, [...(costs.get(name) ?? []), await measure(load, 200)])
  }
  const own = costs.get('fw')!
  const results: Compared = {}
  for (const [name, all] of costs)
    results[name] = {
      microseconds: estimate(all).median,
      ratio: estimate(all.map((cost, at) => cost / own[at]!)),
    }
  return results
}

/** The reads by name, each with the results of its subjects. */
export async function compareReads(url: string, rounds: number) {
  await makeRows(url)
  const subjects = new Map<Name, Subject>()
  for (const name of Object.keys(makers) as Name[]) subjects.set(name, await makers[name](url))
  const [included, page] = [
    normal(await subjects.get('fw')!.include(10)),
    normalPage(await subjects.get('fw')!.page(10)),
  ]
  for (const [name, subject] of subjects) {
    if (
      normal(await subject.include(10)) !== included ||
      normalPage(await subject.page(10)) !== page
    )
      throw new Error(`${name} loads other rows`)
  }
  const list = [...subjects]
  const results = {
    'include of 20 × 5 rows': await compare(
      list.map(([name, { include }]) => [name, include] as const),
      rounds,
    ),
    'page of 20 rows by key': await compare(
      list.map(([name, subject]) => [name, subject.page] as const),
      rounds,
    ),
  }
  for (const subject of subjects.values()) await subject.close()
  useDatabase(undefined)
  return results
}

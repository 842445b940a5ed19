/**
 * Fw refuses the forms of COPY for which the embedded engine would wait without an end: in statements, scripts, migrations and
 * seeds. It sends all others. No refused text reaches a real engine: most tests use an object that records the texts.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { silentLogger } from '../base.ts'
import { Database, migrate, readMigrations, seed } from '../db.ts'
import type { EmbeddedEngine } from './hosted-engine.ts'
import { checkMigration } from './migration-files.ts'
import { openEngine, PgliteConnection } from './pglite.ts'
import { ConnectionPool } from './pool.ts'

/** The texts that an engine without a database has got. */
let sent: string[]
const keep = (sql: string) => {
  sent.push(sql)
  return Promise.resolve({ rows: [], fields: [] })
}
const recorder = {
  closed: false,
  close: () => Promise.resolve(),
  exec: keep,
  query: keep,
  isInTransaction: () => false,
} as unknown as EmbeddedEngine

let folder: string
beforeEach(() => {
  sent = []
  folder = mkdtempSync(join(tmpdir(), 'fw-embedded-'))
})
afterEach(() => {
  rmSync(folder, { recursive: true })
})

/** Fw refuses these texts by their first words. An engine would only find their syntax wrong. */
const refused: readonly [sql: string, line: number, remedy: RegExp][] = [
  ['copy t from program list', 1, /put its rows below COPY … FROM stdin, or set DATABASE_URL/],
  ['COPY t(a) TO PROGRAM sort', 1, /read the rows with a query and run the program yourself/],
  ["select 1;\n-- a\ncopy (select a from u) /* to 'f' */ to\n  program sort", 3, /COPY … PROGRAM/],
  ['copy s.to to program sort', 1, /COPY … PROGRAM/],
  ['copy program from program list;', 1, /COPY … PROGRAM/],
  ['select 1;\ncopy t from stdin stdin', 2, /waits for rows that nobody sends: put them below it/],
  ['copy t from stdin stdin;\n1\n\\.\n', 1, /use INSERT/],
]

const harmless = [
  '-- copy t from program list\nselect 1',
  '/* copy t from program list; /* copy t from stdin stdin */ */ select 1',
  "select 'copy t from program list; copy t from stdin stdin'",
  "do $$ begin perform 'copy t to program x'; end $$",
  `select e'\\'; copy t from program list'`,
  `select 1 as "copy t to program"`,
  "copy program to '/tmp/program'",
  "copy stdin (program) from 'program'",
  'copy t to stdout',
  `copy "from" to 'stdin'`,
  "copy t from 'rows' where a is distinct from program",
  'create table copy (program text); select program from stdin',
]

test.each(refused)('%s is not sent', async (sql, line, remedy) => {
  const connection = new PgliteConnection(recorder)
  const error = {
    code: 'db.embedded-refused',
    message: expect.stringMatching(
      new RegExp(`because of its line ${line}: .*${remedy.source}`),
    ) as string,
  }
  await expect(connection.query({ sql, parameters: [] })).rejects.toMatchObject(error)
  await expect(connection.script(sql)).rejects.toMatchObject(error)
  expect(sent).toEqual([])
})

test.each(harmless)('%s is sent', async (sql) => {
  const connection = new PgliteConnection(recorder)
  await connection.query({ sql, parameters: [] })
  await connection.script(sql)
  expect(sent).toEqual([sql, sql])
})

test('the rows of COPY … FROM stdin are sent, whatever they look like', async () => {
  const sql = 'copy t from stdin'
  await new PgliteConnection(recorder).script(sql, 'copy t from program list;\n')
  expect(sent).toEqual(["copy t from '/dev/blob'"])
})

test.each(harmless)('a migration with %s can be used', (sql) => {
  writeFileSync(join(folder, 'V1__a.sql'), sql)
  checkMigration(readMigrations(folder)[0]!, 'pglite')
})

test('a migration for a server can start a program there', () => {
  writeFileSync(join(folder, 'V1__a.sql'), 'copy t from program list')
  const [migration] = readMigrations(folder)
  checkMigration(migration!, 'postgres')
  expect(() => checkMigration(migration!, 'pglite')).toThrow('V1__a.sql:1 cannot be used: COPY')
})

/** An embedded engine that gets no text with the word. */
async function openGuarded(word: string): Promise<Database> {
  const engine = await openEngine({ folder: 'memory' })
  for (const method of ['exec', 'query'] as const) {
    const own = engine[method].bind(engine) as (sql: string, ...rest: unknown[]) => Promise<never>
    engine[method] = (sql: string, ...rest: unknown[]) =>
      sql.includes(word) ? Promise.reject(new Error(`sent: ${sql}`)) : own(sql, ...rest)
  }
  const fail = () => Promise.reject(new Error('the engine is closed'))
  const pool = new ConnectionPool(fail, { acquireTimeout: 5000, queueLimit: 10, size: 1 })
  pool.add(new PgliteConnection(engine))
  return new Database('pglite', pool, silentLogger)
}

let database: Database
beforeAll(async () => {
  database = await openGuarded('program')
})
afterAll(() => database.close())

const tables = async () =>
  (
    await database.query({
      sql: "select relname from pg_class where relname in ('first', 'second') order by 1",
      parameters: [],
    })
  ).rows

test('files name the line before anything of a run is applied; a module says that it changed nothing', async () => {
  writeFileSync(join(folder, 'V1__first.sql'), 'create table first (a text)')
  const second = 'create table second (a text);\n\n'
  const copy = 'copy second from program list'
  const path = join(folder, 'V2__second.sql')
  for (const [text, line] of [
    [`${second}${copy};`, 3],
    [`-- no transaction\n${second}${copy};`, 4],
    [`${second}-- down\n${copy}`, 4],
  ] as const) {
    writeFileSync(path, text)
    await expect(migrate(database, folder)).rejects.toMatchObject({
      code: 'db.migration-invalid',
      message: expect.stringContaining(
        `V2__second.sql:${line} cannot be used: COPY … PROGRAM starts a program on a server`,
      ) as string,
    })
    expect(await tables()).toEqual([])
  }
  rmSync(path)
  writeFileSync(
    join(folder, 'V2__second.js'),
    `export const up = (database) => database.currentTransaction().script(${JSON.stringify(second + copy)})`,
  )
  await expect(migrate(database, folder)).rejects.toMatchObject({
    code: 'db.migration-failed',
    message: expect.stringMatching(
      /V2__second\.js failed: The SQL was not sent .* line 3: .* It changed nothing/,
    ) as string,
  })
  expect(await tables()).toEqual([{ relname: 'first' }])
  writeFileSync(join(folder, 'seed.sql'), `insert into first values ('a');\n${copy}`)
  await expect(seed(database, folder)).rejects.toThrow(
    /seed\.sql failed, and nothing was kept: line 2: COPY … PROGRAM/,
  )
})

/** Migrations forward and back, refused ones, and concurrent nodes, on every engine. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import {
  Database,
  migrate,
  migrationsChecksum,
  migrationStatus,
  openDatabase,
  type PostgresSettings,
  readMigrations,
  rollback,
} from '../db.ts'
import { jsonLogger, silentLogger } from '../base.ts'
import { engines, type OpenEngine } from './engines.fixture.ts'

let folder: string
const write = (file: string, text: string) => writeFileSync(join(folder, file), text)

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'fw-migrations-'))
})
afterEach(() => {
  rmSync(folder, { recursive: true })
})

describe('reading a folder', () => {
  test('files in order of version; the way back from a down line or a U file; a missing folder has no migrations', () => {
    write('V20260102000000__second.sql', 'create table b ()')
    write('U20260102000000__second.sql', 'drop table b')
    write('V20260101000000__first.sql', 'create table a ();\n-- Down\ndrop table a;')
    write('notes.txt', 'not read')
    const [first, second] = readMigrations(folder)
    expect(first).toMatchObject({
      version: 20260101000000,
      name: 'first',
      up: { sql: 'create table a ();\n' },
      down: { sql: '\ndrop table a;' },
    })
    expect(second).toMatchObject({
      version: 20260102000000,
      name: 'second',
      down: { sql: 'drop table b' },
    })
    expect(readMigrations(join(folder, 'none'))).toEqual([])
  })

  test.each([
    ['create.sql', 'name it like V'],
    ['V1__a.sql', 'same version'],
    ['U9__b.sql', 'no V file'],
    ['U1__a.ts', 'contains the reversal already'],
  ])('%s is refused with its reason', (file, reason) => {
    write('V01__a.sql', '-- down\n')
    write(file, '')
    expect(() => readMigrations(folder)).toThrow(
      expect.objectContaining({
        code: 'db.migration-invalid',
        message: expect.stringContaining(reason),
      }),
    )
  })

  test('a file that starts with B is a baseline without a way back', () => {
    write('B1__existing.sql', 'create table a ()')
    write('U1__existing.sql', 'drop table a')
    expect(readMigrations(folder)).toMatchObject([
      { isBaseline: true, up: { sql: 'create table a ()' }, down: undefined },
    ])
  })

  test.each([
    ['V1__sessions.sql', /V1__sessions\.sql would run before this baseline: give it a higher/],
    ['V4__later.sql', undefined],
    ['B1__older.sql', undefined],
  ])('a baseline is refused after %s', (file, refused) => {
    write('B2__existing.sql', 'create table a ()')
    write(file, 'create table b ()')
    if (refused === undefined) expect(readMigrations(folder)).toHaveLength(2)
    else
      expect(() => readMigrations(folder)).toThrow(
        expect.objectContaining({
          code: 'db.migration-invalid',
          message: expect.stringMatching(refused),
        }),
      )
  })

  test('a changed text changes the checksum, line ends do not', () => {
    write('V1__a.sql', 'select 1;\nselect 2;\n')
    const before = migrationsChecksum(folder)
    write('V1__a.sql', 'select 1;\r\nselect 2;\r\n')
    expect(migrationsChecksum(folder)).toBe(before)
    write('V1__a.sql', 'select 3;')
    expect(migrationsChecksum(folder)).not.toBe(before)
  })
})

describe.each(engines)('migrating $name', ({ open, name }) => {
  let engine: OpenEngine
  let database: Database

  const tables = async () =>
    (
      await database.query<{ t: string }>({
        sql: `select tablename as t from pg_tables where schemaname = 'public' order by 1`,
        parameters: [],
      })
    ).rows
      .map(({ t }) => t)
      .filter((t) => t !== 'fw_schema_migrations')

  beforeAll(async () => {
    engine = await open()
    database = engine.database
  })
  afterAll(() => engine.close())
  afterEach(async () => {
    await database.transaction(async () => {
      for (const table of [...(await tables()), 'fw_schema_migrations'])
        await database.query({ sql: `drop table if exists ${table}`, parameters: [] })
    })
  })

  test('forward once, status, back step by step', async () => {
    write('V1__a.sql', 'create table a (n int); insert into a values (1);\n-- down\ndrop table a;')
    write(
      'V2__b.ts',
      `
      export const up = (database) => database.query({ sql: 'create table b (n int)', parameters: [] })
      export const down = (database) => database.query({ sql: 'drop table b', parameters: [] })`,
    )
    expect((await migrate(database, folder)).map(({ file }) => file)).toEqual([
      'V1__a.sql',
      'V2__b.ts',
    ])
    expect(await migrate(database, folder)).toEqual([])
    expect(await tables()).toEqual(['a', 'b'])
    write('V3__c.sql', 'create table c ()')
    expect(
      (await migrationStatus(database, folder)).map(({ version, state }) => [version, state]),
    ).toEqual([
      [1, 'applied'],
      [2, 'applied'],
      [3, 'pending'],
    ])
    expect((await rollback(database, folder)).map(({ version }) => version)).toEqual([2])
    expect(await tables()).toEqual(['a'])
    expect((await rollback(database, folder, 5)).map(({ version }) => version)).toEqual([1])
    expect(await tables()).toEqual([])
  })

  test('a late migration is reported, and is rolled back first, because it was applied last', async () => {
    write('V2__b.sql', 'create table b ();\n-- down\ndrop table b;')
    await migrate(database, folder)
    write('V1__a.sql', 'create table a ();\n-- down\ndrop table a;')
    const lines: string[] = []
    const logger = jsonLogger((line) => lines.push(line))
    await migrate(new Database(database.engine, database.pool, logger), folder)
    expect(lines.map((line) => JSON.parse(line) as object)).toEqual([
      expect.objectContaining({ file: 'V1__a.sql', newest: 2 }),
    ])
    expect((await rollback(database, folder)).map(({ version }) => version)).toEqual([1])
    expect((await rollback(database, folder)).map(({ version }) => version)).toEqual([2])
    expect(await tables()).toEqual([])
  })

  test('a baseline runs in an empty database, and is only recorded in one with tables', async () => {
    write('B1__existing.sql', 'create table a ()')
    write('V2__b.sql', 'create table b ();\n-- down\ndrop table b;')
    await migrate(database, folder)
    expect(await tables()).toEqual(['a', 'b'])
    await expect(rollback(database, folder, 2)).rejects.toMatchObject({
      code: 'db.migration-invalid',
    })
    await database.query({ sql: 'drop table fw_schema_migrations', parameters: [] })
    await database.query({ sql: 'drop table if exists b', parameters: [] })
    expect((await migrate(database, folder)).map(({ version }) => version)).toEqual([1, 2])
    expect(await tables()).toEqual(['a', 'b'])
    expect(await migrate(database, folder)).toEqual([])
  })

  test('a squash counts as applied where all its migrations are, runs in an empty database, and is refused in between', async () => {
    write('V1__a.sql', 'create table a ()')
    write('V2__b.sql', 'create table b ()')
    await migrate(database, folder)
    for (const file of ['V1__a.sql', 'V2__b.sql']) rmSync(join(folder, file))
    write(
      'B3__squashed.sql',
      '-- a comment\n-- squashes 1 2\ncreate table a ();\ncreate table b ()',
    )
    write('V4__c.sql', 'create table c ()')
    const states = async () =>
      (await migrationStatus(database, folder)).map(({ version, state }) => `${version} ${state}`)
    expect(await states()).toEqual(['3 pending', '4 pending'])
    expect((await migrate(database, folder)).map(({ version }) => version)).toEqual([3, 4])
    expect(await states()).toEqual(['3 applied', '4 applied'])
    const run = (sql: string) => database.query({ sql, parameters: [] })
    await run('delete from fw_schema_migrations where version > 1')
    for (const table of ['b', 'c']) await run(`drop table ${table}`)
    await expect(migrate(database, folder)).rejects.toMatchObject({
      code: 'db.migration-missing',
      message: expect.stringContaining('B3__squashed.sql replaces the migration 2'),
    })
    expect(await tables()).toEqual(['a'])
    await run('drop table a')
    await run('drop table fw_schema_migrations')
    expect((await migrate(database, folder)).map(({ version }) => version)).toEqual([3, 4])
    expect(await tables()).toEqual(['a', 'b', 'c'])
  })

  test('an edited migration is named in the error, and none is applied', async () => {
    write('V1__a.sql', 'create table a ()')
    await migrate(database, folder)
    write('V1__a.sql', 'create table a (n int)')
    write('V2__b.sql', 'create table b ()')
    await expect(migrate(database, folder)).rejects.toMatchObject({
      code: 'db.migration-changed',
      message: expect.stringContaining('V1__a.sql'),
    })
    expect(await tables()).toEqual(['a'])
    expect((await migrationStatus(database, folder))[0]!.state).toBe('changed')
  })

  test('a failing migration is undone, and earlier ones stay', async () => {
    write('V1__a.sql', 'create table a ()')
    write('V2__b.sql', 'create table b (); insert into nowhere values (1)')
    write('V3__c.sql', 'create table c ()')
    await expect(migrate(database, folder)).rejects.toMatchObject({
      code: 'db.migration-failed',
      message: expect.stringContaining('V2__b.sql'),
    })
    expect(await tables()).toEqual(['a'])
    write('V2__b.sql', 'create table b ()')
    expect((await migrate(database, folder)).map(({ version }) => version)).toEqual([2, 3])
  })

  test('a failing statement is named with its line, and with the hint of PostgreSQL', async () => {
    write('V1__a.sql', 'create table a (name text);\n\nselect a.nmae\n  from a;\n')
    await expect(migrate(database, folder)).rejects.toMatchObject({
      message: expect.stringMatching(
        /\/V1__a\.sql:3 failed: .* Hint: .*a\.name.* It changed nothing\. .*db:migrate\.$/,
      ) as string,
      location: { path: join(folder, 'V1__a.sql'), line: 3, column: 8 },
    })
    write('V1__a.sql', 'create table a ();\n-- down\ndrop table a;\ndrop table b;\n')
    await migrate(database, folder)
    await expect(rollback(database, folder)).rejects.toMatchObject({
      code: 'db.migration-failed',
      message: expect.stringMatching(/V1__a\.sql failed: .*db:rollback\.$/) as string,
    })
  })

  test('a table that a deleted migration has made is explained, with both ways out', async () => {
    write('V1__a.sql', 'create table a ()')
    await migrate(database, folder)
    rmSync(join(folder, 'V1__a.sql'))
    write('V2__a.sql', 'create table a ()')
    const remedy =
      /1 \(a\) is applied and its file is gone.* fw db:rollback; .* delete from fw_schema_migrations where version = 1\./
    await expect(migrate(database, folder)).rejects.toMatchObject({
      code: 'db.migration-failed',
      message: expect.stringMatching(remedy) as string,
    })
    rmSync(join(folder, 'V2__a.sql'))
    await expect(rollback(database, folder)).rejects.toThrow(remedy)
  })

  test('a module that ends its transaction is refused', async () => {
    const module = (sql: string): string =>
      `export const up = (database) => database.currentTransaction().script(${JSON.stringify(sql)})`
    write('V1__a.ts', module('create table a (); commit'))
    await expect(migrate(database, folder)).rejects.toMatchObject({
      code: 'db.migration-invalid',
      message: expect.stringContaining('COMMIT'),
    })
    await database.query({ sql: 'drop table a', parameters: [] })
    rmSync(join(folder, 'V1__a.ts'))
    write('V2__a.ts', module('create table a (); commit; select b from a'))
    await expect(migrate(database, folder)).rejects.toThrow(
      /V2__a\.ts failed: .* What it did before stays in the database\./,
    )
    await database.ping()
  })

  test('a missing way back and a missing file are errors with their own codes', async () => {
    write('V1__a.sql', 'create table a ()')
    await migrate(database, folder)
    await expect(rollback(database, folder)).rejects.toMatchObject({
      code: 'db.migration-invalid',
      message: expect.stringContaining('-- down'),
    })
    rmSync(join(folder, 'V1__a.sql'))
    expect((await migrationStatus(database, folder))[0]!.state).toBe('missing')
    await expect(rollback(database, folder)).rejects.toMatchObject({ code: 'db.migration-missing' })
  })

  test('of nodes that start together each migration runs once', async () => {
    mkdirSync(join(folder, 'sub'))
    for (const n of [1, 2, 3]) write(`V${n}__t.sql`, `create table t${n} (); select pg_sleep(0.02)`)
    const others =
      name === 'postgres'
        ? await Promise.all([openDatabase(engine.settings), openDatabase(engine.settings)])
        : [database, database]
    const done = await Promise.all([database, ...others].map((node) => migrate(node, folder)))
    if (name === 'postgres') await Promise.all(others.map((node) => node.close()))
    expect(
      done
        .flat()
        .map(({ version }) => version)
        .sort((a, b) => a - b),
    ).toEqual([1, 2, 3])
    expect(await tables()).toEqual(['t1', 't2', 't3'])
  })

  const index = async (name: string) =>
    (
      await database.query<{ valid: boolean }>({
        sql: 'select indisvalid as valid from pg_index where indexrelid = to_regclass($1)',
        parameters: [name],
      })
    ).rows

  test('a migration without a transaction builds an index concurrently, forward and back', async () => {
    write('V1__a.sql', 'create table a (n int); insert into a select generate_series(1, 100)')
    write(
      'V2__index.sql',
      `-- no transaction
-- A first attempt may have left an invalid index; a comment.
drop index concurrently if exists a_n;
create index concurrently a_n on a (n);
-- down
drop index concurrently a_n;`,
    )
    expect((await migrate(database, folder)).map(({ version }) => version)).toEqual([1, 2])
    expect(await index('a_n')).toEqual([{ valid: true }])
    expect(await migrate(database, folder)).toEqual([])
    expect((await rollback(database, folder)).map(({ version }) => version)).toEqual([2])
    expect(await index('a_n')).toEqual([])
  })

  test('a module without a transaction commits its batches one by one', async () => {
    write('V1__a.sql', 'create table a (n int)')
    write(
      'V2__fill.ts',
      `
      export const transaction = false
      export async function up(database) {
        for (const n of [1, 2]) {
          await database.transaction(() => database.query({ sql: 'insert into a values ($1)', parameters: [n] }))
          if (n === 2) throw new Error('interrupted')
        }
      }`,
    )
    await expect(migrate(database, folder)).rejects.toMatchObject({
      code: 'db.migration-failed',
      message: expect.stringContaining('stays in the database'),
    })
    const sql = 'select count(*) as c from a'
    expect((await database.query({ sql, parameters: [] })).rows).toEqual([{ c: 2 }])
    const states = await migrationStatus(database, folder)
    expect(states.map(({ state }) => state)).toEqual(['applied', 'pending'])
  })

  test.each([
    ['in a transaction', ''],
    ['without one', 'export const transaction = false\n'],
  ])('a module %s that lacks a function is refused', async (_, start) => {
    const lacks = (name: string) => ({
      code: 'db.migration-invalid',
      message: expect.stringContaining(`has no function '${name}'`),
    })
    write('V1__a.ts', `${start}export const up = 1`)
    await expect(migrate(database, folder)).rejects.toMatchObject(lacks('up'))
    rmSync(join(folder, 'V1__a.ts'))
    write('V2__b.ts', `${start}export const up = () => {}`)
    await migrate(database, folder)
    await expect(rollback(database, folder)).rejects.toMatchObject(lacks('down'))
  })

  test('a failed statement outside a transaction keeps those before it, and the file runs again', async () => {
    write('V1__a.sql', '-- no transaction\ncreate table if not exists a (n int); select 1 / 0')
    await expect(migrate(database, folder)).rejects.toMatchObject({ code: 'db.migration-failed' })
    expect(await tables()).toEqual(['a'])
    write('V1__a.sql', '-- no transaction\ncreate table if not exists a (n int); select 1')
    expect((await migrate(database, folder)).map(({ version }) => version)).toEqual([1])
    await database.ping()
  })

  test.skipIf(name === 'pglite')('the status does not wait for a running migration', async () => {
    write('V1__a.sql', 'select pg_advisory_xact_lock(77)')
    const holder = await database.pool.reserve()
    await holder.begin({})
    await holder.query({ sql: 'select pg_advisory_xact_lock(77)', parameters: [] })
    const running = migrate(database, folder)
    const waiting = `select 1 from pg_locks where locktype = 'advisory' and not granted`
    await expect
      .poll(async () => (await database.query({ sql: waiting, parameters: [] })).rows.length)
      .toBeGreaterThan(0)
    expect((await migrationStatus(database, folder)).map(({ state }) => state)).toEqual(['pending'])
    await holder.rollback()
    database.pool.release(holder)
    await running
  })

  test.skipIf(name === 'pglite')(
    'a migration that waits for a lock lets others pass, and is repeated',
    async () => {
      write('V1__a.sql', 'create table a (n int)')
      await migrate(database, folder)
      write('V2__add.sql', 'create table once (); alter table a add column m int')
      let repeated = 0
      let onRepeat = (): void => {}
      const logger = {
        ...silentLogger,
        warn: () => {
          repeated += 1
          onRepeat()
        },
      }
      const settings = engine.settings as PostgresSettings
      const node = await openDatabase({ ...settings, lockTimeout: 20, logger })
      const holder = await database.pool.reserve()
      await holder.begin({})
      await holder.query({ sql: 'select * from a', parameters: [] })
      const isRepeated = new Promise<void>((resolve) => (onRepeat = resolve))
      const running = migrate(node, folder)
      await isRepeated
      // Without a limit this read would wait for the migration, which waits for the holder.
      await database.query({ sql: 'select * from a', parameters: [] })
      await holder.rollback()
      database.pool.release(holder)
      expect((await running).map(({ version }) => version)).toEqual([2])
      expect(repeated).toBeGreaterThan(0)
      await node.close()
    },
  )

  test('a migration may exceed the time limit of statements', async () => {
    const limited =
      name === 'postgres'
        ? await openDatabase({ ...(engine.settings as PostgresSettings), statementTimeout: 50 })
        : database
    write('V1__a.sql', 'select pg_sleep(0.2); create table a ()')
    await migrate(limited, folder)
    if (name === 'postgres') {
      await expect(
        limited.query({ sql: 'select pg_sleep(0.2)', parameters: [] }),
      ).rejects.toMatchObject({ code: 'db.statement-timeout' })
      await limited.close()
    }
    expect(await tables()).toEqual(['a'])
  })

  test.skipIf(name === 'pglite')(
    'a pool of one connection is refused only for a step outside a transaction, before the step',
    async () => {
      const settings = engine.settings as PostgresSettings
      const small = await openDatabase({ ...settings, poolSize: 1, acquireTimeout: 500 })
      write('V1__a.sql', 'create table a (n int)')
      write('V2__b.sql', '-- no transaction\ncreate table b (n int)')
      write(
        'V3__c.ts',
        "export const transaction = false\nexport const up = (database) => database.query({ sql: 'create table c ()', parameters: [] })",
      )
      for (const file of ['V2__b.sql', 'V3__c.ts']) {
        await expect(migrate(small, folder)).rejects.toMatchObject({
          code: 'db.setting-invalid',
          message: expect.stringMatching(`${file} .* set poolSize .* 2 or more`) as string,
        })
        expect(await tables()).toEqual(['a'])
        rmSync(join(folder, file))
      }
      await small.close()
    },
  )

  test.skipIf(name === 'pglite')(
    'a step that waits for a lock by a limit of the server is repeated with pauses',
    async () => {
      const settings = engine.settings as PostgresSettings
      const url = `${settings.url}?options=-c%20lock_timeout%3D20ms`
      const times: number[] = []
      let onThird = (): void => {}
      const third = new Promise<void>((resolve) => (onThird = resolve))
      const logger = jsonLogger((line) => {
        if (line.includes('is repeated') && times.push(performance.now()) === 3) onThird()
      })
      const node = await openDatabase({ ...settings, url, lockTimeout: 0, logger })
      write('V1__a.sql', 'create table a (n int)')
      await migrate(node, folder)
      write('V2__b.sql', 'alter table a add b int')
      const holder = await database.pool.reserve()
      await holder.begin({})
      await holder.query({ sql: 'select * from a', parameters: [] })
      const running = migrate(node, folder)
      await third
      await holder.rollback()
      database.pool.release(holder)
      expect(await running).toHaveLength(1)
      await node.close()
      // The pauses are at least 50 and 100 milliseconds.
      expect(times[2]! - times[0]!).toBeGreaterThan(140)
    },
  )
})

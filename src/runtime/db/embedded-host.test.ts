/** EmbeddedHost keeps a database open while client processes start and stop. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { Temporal } from '../base.ts'
import type { Database } from './database.ts'
import { connectedChannels } from './engines.fixture.ts'
import { EmbeddedHost } from './embedded-host.ts'
import { lockFolder, readFolderLock } from './folder-lock.ts'
import { openAhead, useEmbeddedHost } from './hosted-engine.ts'
import { openDatabase } from './open-database.ts'

const root = mkdtempSync(join(tmpdir(), 'fw-host-'))
const folder = join(root, 'data')
let host: EmbeddedHost

/** Opens the database as a new client process. */
async function begin(): Promise<{ database: Database; leave: () => Promise<void> }> {
  const [above, below] = connectedChannels()
  const { leave } = host.serve(above)
  useEmbeddedHost(below)
  return { database: await openDatabase({ kind: 'pglite', folder }), leave }
}

beforeAll(() => {
  host = new EmbeddedHost()
})
afterAll(async () => {
  useEmbeddedHost(undefined)
  await host.close()
  rmSync(root, { recursive: true, force: true })
})

const sql = (text: string, ...parameters: unknown[]) => ({ sql: text, parameters })

test('values equal those of a database in this process', async () => {
  const { database, leave } = await begin()
  const { rows, count, command } = await database.query(
    sql(
      `select 7::int8 as n, true as b, '2000-01-02'::date as d, array[1,2] as l, '{"a":null}'::jsonb as j,
        'null'::jsonb as z, null as e, $1::bytea as y, 1.50::numeric as m, $2::text as t`,
      new Uint8Array([1, 255]),
      'ü',
    ),
  )
  expect(rows).toEqual([
    {
      n: 7,
      b: true,
      d: Temporal.PlainDate.from('2000-01-02'),
      l: [1, 2],
      j: { a: null },
      z: null,
      e: null,
      y: new Uint8Array([1, 255]),
      m: '1.50',
      t: 'ü',
    },
  ])
  expect({ count, command }).toEqual({ count: 1, command: 'SELECT' })
  await database.close()
  await leave()
})

test('errors equal those of a database in this process, and transactions roll back', async () => {
  const { database, leave } = await begin()
  await database.query(sql('create table names (name text unique)'))
  const twice = database.transaction(async () => {
    await database.query(sql("insert into names values ('Ann')"))
    await database.query(sql("insert into names values ('Ann')"))
  })
  await expect(twice).rejects.toMatchObject({
    code: 'db.query-failed',
    sqlState: '23505',
    constraint: 'names_name_key',
    table: 'names',
  })
  expect((await database.query(sql('select * from names'))).rows).toEqual([])
  await database.close()
  await leave()
})

test('a stopped process leaves only what it committed; the folder stays locked', async () => {
  const first = await begin()
  await first.database.query(sql("insert into names values ('kept')"))
  await first.database.query(sql("set search_path = 'nowhere'"))
  const connection = await first.database.pool.reserve()
  await connection.begin({})
  await connection.script("insert into public.names values ('lost')")
  const left = first.leave()
  expect(() => lockFolder(folder)).toThrow(expect.objectContaining({ code: 'db.folder-locked' }))

  const second = await begin()
  expect((await second.database.query(sql('select name from names'))).rows).toEqual([
    { name: 'kept' },
  ])
  await left
  await second.leave()
})

test('two databases of one process share no engine: a second use of a folder is refused, a second one in memory is separate', async () => {
  const first = await begin()
  await expect(openDatabase({ kind: 'pglite', folder })).rejects.toMatchObject({
    code: 'db.folder-locked',
  })
  const memory = await openDatabase({ kind: 'pglite', folder: 'memory' })
  const other = await openDatabase({ kind: 'pglite', folder: 'memory' })
  await memory.query(sql('create table only_here (id int)'))
  await expect(other.query(sql('select * from only_here'))).rejects.toMatchObject({
    sqlState: '42P01',
  })
  for (const database of [memory, other, first.database]) await database.close()
  const again = await openDatabase({ kind: 'pglite', folder })
  await again.close()
  await first.leave()
})

test('a failure to open keeps its error code; closing unlocks the folder', async () => {
  await host.close()
  const unlock = lockFolder(folder)
  await expect(begin()).rejects.toMatchObject({
    name: 'FwError',
    code: 'db.folder-locked',
    message: expect.stringContaining(String(process.pid)),
  })
  unlock()
  const { database, leave } = await begin()
  expect((await database.query(sql('select name from names'))).rows).toEqual([{ name: 'kept' }])
  await leave()
  await host.close()
  lockFolder(folder)()
})

test('a client that waits for the turn of another one is told who has it', async () => {
  const { database, leave } = await begin()
  await database.query(sql('create table turns (n int)'))
  const [above, below] = connectedChannels()
  const shared = host.share(above)
  useEmbeddedHost(below, 'fw console --sandbox (process 4711)')
  const sandbox = await openDatabase({ kind: 'pglite', folder })
  const begun = Promise.withResolvers<void>()
  const over = Promise.withResolvers<void>()
  const holding = sandbox.transaction(async () => {
    await sandbox.query(sql('insert into turns values (1)'))
    begun.resolve()
    await over.promise
  })
  await begun.promise
  const start = performance.now()
  const maxWait = 10_000 // milliseconds; a busy machine may need more than the usual second
  const insert = (n: number) => database.query(sql(`insert into turns values (${n})`))
  const waiting = [
    insert(2),
    database.transaction(() => insert(3)),
    database.transaction(async () => {
      // A refused BEGIN must not let a later statement run outside the transaction.
      await insert(4).catch(() => {})
      await insert(5)
    }),
    database.kysely.selectFrom('turns').selectAll().execute(),
  ]
  const refusal = {
    status: 503,
    code: 'db.turn-taken',
    message: expect.stringMatching(
      /fw console --sandbox \(process 4711\) has .* in a transaction .* since /,
    ) as string,
  }
  for (const one of waiting) await expect(one).rejects.toMatchObject(refusal)
  expect(performance.now() - start).toBeLessThan(maxWait)
  await expect(insert(6)).rejects.toMatchObject(refusal)
  expect(performance.now() - start).toBeLessThan(maxWait)
  over.resolve()
  await holding
  await insert(7)
  const { rows } = await database.query<{ n: number }>(sql('select n from turns order by n'))
  expect(rows.map(({ n }) => n)).toEqual([1, 7])
  await sandbox.close()
  await shared.leave()
  await database.close()
  await leave()
})

test('a client whose own transaction takes long is not refused, nor one that gets its turn in time', async () => {
  const { database, leave } = await begin()
  const [above, below] = connectedChannels()
  const shared = host.share(above)
  useEmbeddedHost(below, 'other')
  const other = await openDatabase({ kind: 'pglite', folder })
  let waiting: Promise<unknown> | undefined
  await database.transaction(async () => {
    await database.query(sql('select 1'))
    waiting = other.query(sql('select 2 as n'))
    await database.query(sql('select 3'))
  })
  expect(await waiting).toMatchObject({ rows: [{ n: 2 }] })
  await other.close()
  await shared.leave()
  await database.close()
  await leave()
})

test('a client lets the host open a folder before it needs it; an error waits until then', async () => {
  const [above, below] = connectedChannels()
  const { leave } = host.serve(above)
  useEmbeddedHost(below)
  const ahead = join(root, 'ahead')
  openAhead(ahead)
  await vi.waitFor(() => expect(readFolderLock(ahead)).toMatchObject({ pid: process.pid }), 30_000)
  const database = await openDatabase({ kind: 'pglite', folder: ahead })
  await database.ping()
  await database.close()
  const locked = join(root, 'locked ahead')
  const unlock = lockFolder(locked)
  openAhead(locked)
  await expect(openDatabase({ kind: 'pglite', folder: locked })).rejects.toMatchObject({
    code: 'db.folder-locked',
  })
  unlock()
  await leave()
})

/** Tests the contract of `session-store.ts` on every store. */
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Database, openDatabase, outsideTransaction } from '../db.ts'
import { openInMemory } from '../db/engines.fixture.ts'
import { emptyDatabaseOn, hasTestServer, type EmptyDatabase } from '../db/test-server.fixture.ts'
import { sessionMigration } from './session-sql.ts'
import { DatabaseStore } from './database-store.ts'
import type { SqlExecutor } from './database-store.ts'
import { MemoryStore } from './memory-store.ts'
import { createClient } from '@redis/client'
import {
  canStartPgbouncer,
  startPgbouncer,
  type Pgbouncer,
} from '../../../test/support/pgbouncer.ts'
import { RedisStore, type RedisCommands } from './redis-store.ts'
import { Session } from './request-session.ts'
import type { SessionChanges } from './session-changes.ts'
import type { SessionLifetime, SessionStore, StoredSession } from './session-store.ts'
import { hashSessionId, newSessionId } from './session-store.ts'
import { sessionSql } from './session-sql.ts'

/** Creates stores, and ages their records instead of advancing the clock. */
interface TestStores {
  store(lifetime?: Partial<SessionLifetime>): SessionStore
  /** Ages every record by this number of seconds. */
  age(seconds: number): Promise<void>
}

function memoryStores(): TestStores {
  let time = Date.UTC(2026, 0, 1)
  return {
    store: (lifetime) => new MemoryStore({ ...lifetime, now: () => time }),
    age: async (seconds) => void (time += seconds * 1000),
  }
}

function databaseStores(database: Database): TestStores {
  return {
    store: (lifetime) => new DatabaseStore(database, lifetime),
    age: async (seconds) => {
      await database.query({
        sql: `UPDATE fw_sessions SET created_at = created_at - make_interval(secs => $1),
          expire_at = expire_at - make_interval(secs => $1) WHERE expire_at > 'epoch'`,
        parameters: [seconds],
      })
    },
  }
}

const changes = (
  attributes: Record<string, string | undefined>,
  owner?: string,
): SessionChanges => ({
  attributes: new Map(Object.entries(attributes)),
  owner,
})
const plain = (session: StoredSession | undefined) =>
  session && Object.fromEntries(session.attributes)

/** @param sweeps false for a store whose expired records are removed automatically */
function testContract(stores: () => TestStores, rounds: number, sweeps = true): void {
  test('a record is read by the id that create returned', async () => {
    const store = stores().store()
    const created = await store.create(changes({ a: '1', 'ü"\\{},': '"NULL, {}\\"\'"' }))
    expect(created.id).toMatch(/^[A-Za-z0-9_-]{32}$/)
    const read = await store.read(created.id)
    expect(read).toMatchObject({ id: created.id, key: created.key, touchDue: false })
    expect(plain(read)).toEqual({ a: '1', 'ü"\\{},': '"NULL, {}\\"\'"' })
  })

  test('a record without attributes is valid', async () => {
    const store = stores().store()
    const created = await store.create(changes({}, 'ann'))
    expect(plain(await store.read(created.id))).toEqual({})
  })

  test('malformed ids, unknown ids and hashes read no record', async () => {
    const store = stores().store()
    const { id } = await store.create(changes({ a: '1' }))
    const bad = [
      '',
      '../etc/passwd',
      "' OR 1=1 --",
      'x'.repeat(5000),
      `${id}\0`,
      'ü'.repeat(32),
      id.slice(1),
      hashSessionId(id),
      newSessionId(),
    ]
    for (const text of bad) expect(await store.read(text)).toBeUndefined()
  })

  test('save writes, replaces and removes only the given attributes', async () => {
    const store = stores().store()
    const created = await store.create(changes({ a: '1', b: '2', c: '3' }))
    expect(
      await store.save(created, changes({ b: '20', c: undefined, d: '4', never: undefined })),
    ).toBe(created.id)
    expect(plain(await store.read(created.id))).toEqual({ a: '1', b: '20', d: '4' })
  })

  test('an attribute that another request removed meanwhile is set again', async () => {
    const store = stores().store()
    const created = await store.create(changes({ a: '1' }))
    await store.save(created, changes({ a: undefined }))
    expect(await store.save(created, changes({ a: '2' }))).toBe(created.id)
    expect(plain(await store.read(created.id))).toEqual({ a: '2' })
  })

  test('the attributes that a request has read do not change', async () => {
    const store = stores().store()
    const created = await store.create(changes({ a: '1' }))
    const read = await store.read(created.id)
    await store.save(created, changes({ a: '2' }))
    expect(plain(read)).toEqual({ a: '1' })
  })

  test('renewSession invalidates the old id at once and keeps the attributes and later saves', async () => {
    const store = stores().store()
    const created = await store.create(changes({ a: '1' }))
    const renewed = await store.renewSession(created, false)
    expect(renewed?.id).not.toBe(created.id)
    expect(await store.read(created.id)).toBeUndefined()
    expect(await store.save(created, changes({ late: '2' }))).toBe(created.id)
    expect(plain(await store.read(renewed!.id))).toEqual({ a: '1', late: '2' })
    expect(await store.renewSession(created, false)).toBeUndefined()
  })

  test('endSession wins over a later save and a later renewal, under every id of the record', async () => {
    const store = stores().store()
    const created = await store.create(changes({ a: '1' }))
    const renewed = await store.renewSession(created, false)
    await store.endSession(created)
    expect(await store.read(renewed!.id)).toBeUndefined()
    for (const late of [{ a: '2' }, { b: '2' }])
      expect(await store.save(renewed!, changes(late))).toBeUndefined()
    expect(await store.renewSession(renewed!, false)).toBeUndefined()
    expect(await store.read(renewed!.id)).toBeUndefined()
    await store.endSession(created)
  })

  test('endSessionsOf ends the records of one owner, except one', async () => {
    const store = stores().store()
    const [ann, bob] = [newSessionId(), newSessionId()]
    const [here, there, saved, other] = [
      await store.create(changes({ a: '1' }, ann)),
      await store.create(changes({}, ann)),
      await store.create(changes({ b: '1' })),
      await store.create(changes({ c: '1' }, bob)),
    ]
    await store.save(saved, changes({}, bob))
    await store.save(saved, changes({}, ann))
    expect(await store.endSessionsOf(ann, here)).toBe(2)
    expect(await store.read(there.id)).toBeUndefined()
    expect(await store.read(saved.id)).toBeUndefined()
    expect(await store.read(here.id)).toBeDefined()
    expect(await store.read(other.id)).toBeDefined()
    expect(await store.endSessionsOf(ann)).toBe(1)
  })

  test('idle time: an unused record ends, a used one does not', async () => {
    const { store: make, age } = stores()
    const store = make({ idleSeconds: 600, absoluteSeconds: 6000 })
    const [used, unused] = [
      await store.create(changes({ a: '1' })),
      await store.create(changes({ a: '1' })),
    ]
    await age(400)
    await store.save((await store.read(used.id))!, changes({}))
    await age(400)
    expect(await store.read(unused.id)).toBeUndefined()
    for (const late of [{ a: '2' }, { b: '2' }])
      expect(await store.save(unused, changes(late))).toBeUndefined()
    expect(await store.read(used.id)).toBeDefined()
  })

  test('the idle time is prolonged at most once a minute', async () => {
    const { store: make, age } = stores()
    const store = make()
    const { id } = await store.create(changes({ a: '1' }))
    await age(50)
    expect((await store.read(id))?.touchDue).toBe(false)
    await age(20)
    const due = (await store.read(id))!
    expect(due.touchDue).toBe(true)
    await store.save(due, changes({ b: '2' }))
    expect(await store.read(id)).toMatchObject({ touchDue: false })
  })

  test.each([false, true])(
    'a renewal begins a new age, or keeps it: keepAge %s',
    async (keepAge) => {
      const { store: make, age } = stores()
      const store = make({ idleSeconds: 600, absoluteSeconds: 600 })
      const created = await store.create(changes({ a: '1' }))
      await age(400)
      const renewed = (await store.renewSession((await store.read(created.id))!, keepAge))!
      await age(400)
      expect(plain(await store.read(renewed.id))).toEqual(keepAge ? undefined : { a: '1' })
      await age(400)
      expect(await store.read(renewed.id)).toBeUndefined()
      expect(await store.renewSession(renewed, keepAge)).toBeUndefined()
    },
  )

  test('absolute time: a record ends although it is used every minute', async () => {
    const { store: make, age } = stores()
    const store = make({ idleSeconds: 120, absoluteSeconds: 600 })
    let session = await store.create(changes({ a: '1' }))
    for (let minute = 1; minute < 10; minute++) {
      await age(60)
      const read = await store.read(session.id)
      expect(read).toBeDefined()
      await store.save({ ...read!, touchDue: true }, changes({}))
      if (minute === 5) session = (await store.renewSession(read!, true))!
    }
    await age(60)
    expect(await store.read(session.id)).toBeUndefined()
  })

  test.runIf(sweeps)('sweep removes dead records in batches and spares the living', async () => {
    const { store: make, age } = stores()
    const store = make({ idleSeconds: 60, absoluteSeconds: 60 })
    await age(24 * 60 * 60)
    while ((await store.sweep(1000)) > 0);
    for (let count = 0; count < 5; count++) await store.create(changes({ a: '1' }, 'dead'))
    await age(130)
    const living = await store.create(changes({ a: '1' }, 'living'))
    expect(await store.sweep(3)).toBe(3)
    expect(await store.sweep(3)).toBe(2)
    expect(await store.sweep(3)).toBe(0)
    expect(plain(await store.read(living.id))).toEqual({ a: '1' })
  })

  test(`${rounds} rounds of two concurrent requests on different attributes lose no write`, async () => {
    const store = stores().store()
    const { id } = await store.create(changes({ start: '0' }))
    for (let round = 1; round <= rounds; round++) {
      const requests = await Promise.all([Session.load(store, id), Session.load(store, id)])
      requests[0].set('left', round)
      requests[0].set('both', 'left')
      requests[1].set('both', 'right')
      requests[1].set('right', round)
      await Promise.all(requests.map(async (request) => request.commit()))
      const after = await Session.load(store, id)
      expect([after.get('left'), after.get('right')]).toEqual([round, round])
    }
  })

  test('concurrent requests that set and delete the same attributes in different orders all succeed', async () => {
    const store = stores().store()
    const { id } = await store.create(changes({ start: '0' }))
    const loaded = await Promise.all(Array.from({ length: 40 }, () => Session.load(store, id)))
    await Promise.all(
      loaded.map(async (request, index) => {
        request.set(index % 2 ? 'a' : 'b', index)
        request.delete(index % 2 ? 'b' : 'a')
        request.set(`own${index}`, index)
        return request.commit()
      }),
    )
    const after = await Session.load(store, id)
    expect(after.keys().filter((name) => name.startsWith('own'))).toHaveLength(40)
  })

  test(`a concurrent save never recreates an ended session, ${rounds / 4} rounds`, async () => {
    const store = stores().store()
    for (let round = 0; round < rounds / 4; round++) {
      const { id } = await store.create(changes({ a: '1' }))
      const [saver, leaver] = await Promise.all([Session.load(store, id), Session.load(store, id)])
      saver.set('a', 2)
      leaver.endSession()
      const [saved, left] = await Promise.all([saver.commit(), leaver.commit()])
      expect(saved).toBeUndefined()
      expect(left).toEqual({ clear: true })
      expect(await store.read(id)).toBeUndefined()
    }
  })
}

describe('MemoryStore', () => {
  testContract(memoryStores, 1000)

  test('keeps at most maxSessions and removes the one idle longest', async () => {
    let time = 0
    const store = new MemoryStore({ maxSessions: 2, now: () => time })
    const first = await store.create(changes({ a: '1' }))
    const second = await store.create(changes({ a: '1' }))
    time += 61_000
    await store.save((await store.read(first.id))!, changes({}))
    const third = await store.create(changes({ a: '1' }))
    expect(store.size).toBe(2)
    expect(await store.read(second.id)).toBeUndefined()
    expect(await store.read(first.id)).toBeDefined()
    expect(await store.read(third.id)).toBeDefined()
  })

  test('refuses an invalid limit or lifetime', () => {
    expect(() => new MemoryStore({ maxSessions: 0 })).toThrow(/maxSessions 0/)
    expect(() => new MemoryStore({ maxSessions: Number.NaN })).toThrow(
      expect.objectContaining({ code: 'session.limit-invalid' }),
    )
    for (const idleSeconds of [0, -1, Number.NaN, Number.POSITIVE_INFINITY, 50_000]) {
      expect(() => new MemoryStore({ idleSeconds })).toThrow(
        expect.objectContaining({ code: 'session.lifetime-invalid' }),
      )
    }
  })
})

/** Tests of database stores only. */
function keepsItsTables(database: () => Database): void {
  const rowsOf = async <Row>(sql: string, parameters: readonly unknown[] = []): Promise<Row[]> =>
    (await database().query<Row>({ sql, parameters })).rows

  test('no table contains the id', async () => {
    const { id, key } = await new DatabaseStore(database()).create(changes({ a: '1' }))
    const [row] = await rowsOf<{ jsession_id: string }>(
      'SELECT jsession_id FROM servlet_sessions WHERE fw_session_id = $1',
      [key],
    )
    expect(row?.jsession_id).toBe(hashSessionId(id))
    expect(row?.jsession_id).toHaveLength(32)
  })

  test('values are the JSON text in bytea', async () => {
    const store = new DatabaseStore(database())
    const session = new Session(store)
    session.set('cart', [1n, 'é'])
    await session.commit()
    const [row] = await rowsOf<{ text: string }>(
      `SELECT convert_from(attribute_value, 'UTF8') AS text FROM fw_session_attributes WHERE fw_session_id = $1`,
      [session.stored?.key],
    )
    expect(row?.text).toBe('[{"$":"bigint","v":"1"},"é"]')
  })

  test.each([
    ['v8 serialised', '\\xff0f6f22016100'],
    ['invalid UTF-8', '\\x22c328a022'],
    ['an unknown tag', '\\x7b2224223a22666e222c2276223a2231227d'],
    ['empty', '\\x'],
  ])('a value that is %s is absent, logged, and not changed', async (_name, bytes) => {
    const store = new DatabaseStore(database())
    const { id, key } = await store.create(changes({ bad: '1', good: '2' }))
    await rowsOf(
      `UPDATE fw_session_attributes SET attribute_value = $2::text::bytea WHERE fw_session_id = $1 AND attribute_name = 'bad'`,
      [key, bytes],
    )
    const logged: unknown[] = []
    const log = (fields: object) => void logged.push(fields)
    const session = await Session.load(store, id, { debug: log, info: log, warn: log, error: log })
    expect(session.get('bad')).toBeUndefined()
    expect(session.get('good')).toBe(2)
    expect(logged).toEqual([expect.objectContaining({ attribute: 'bad' })])
    expect(session.commit()).toBeUndefined()
  })

  test('a NULL value is absent', async () => {
    const store = new DatabaseStore(database())
    const { id, key } = await store.create(changes({ gone: '1' }))
    await rowsOf(
      'UPDATE fw_session_attributes SET attribute_value = NULL WHERE fw_session_id = $1',
      [key],
    )
    expect((await Session.load(store, id)).keys()).toEqual([])
  })

  test('endSession deletes the attributes and the ids', async () => {
    const store = new DatabaseStore(database())
    const created = await store.create(changes({ a: '1' }, 'ann'))
    await store.endSession(created)
    for (const table of ['servlet_sessions', 'fw_session_attributes', 'fw_session_owners']) {
      expect(
        await rowsOf(`SELECT 1 FROM ${table} WHERE fw_session_id = $1`, [created.key]),
      ).toHaveLength(0)
    }
  })

  test('the process clock and the time zone of the connection have no effect', async () => {
    const store = new DatabaseStore(database())
    await rowsOf(`SET TIME ZONE 'Pacific/Kiritimati'`)
    const { id } = await store.create(changes({ a: '1' }))
    await rowsOf(`SET TIME ZONE 'Pacific/Pago_Pago'`)
    expect((await store.read(id))?.touchDue).toBe(false)
    await rowsOf('RESET TIME ZONE')
    expect((await store.read(id))?.touchDue).toBe(false)
  })

  test('reading takes one statement, saving one, and saving no change none', async () => {
    const seen: string[] = []
    const counting: SqlExecutor = {
      query: (statement) => {
        seen.push(statement.name!)
        return database().query(statement)
      },
    }
    const store = new DatabaseStore(counting)
    await store.check()
    seen.length = 0
    const first = new Session(store)
    first.set('a', 1)
    first.set('b', 2)
    const cookie = (await first.commit()) as { set: string }
    const second = await Session.load(store, cookie.set)
    second.get('a')
    expect(second.commit()).toBeUndefined()
    second.set('a', 3)
    second.delete('b')
    second.set('c', 4)
    await second.commit()
    expect(seen).toEqual(['fw-session-create', 'fw-session-read', 'fw-session-save'])
  })

  test('the check at the start names the missing tables', async () => {
    await expect(new DatabaseStore(database()).check()).resolves.toBeUndefined()
    const elsewhere: SqlExecutor = {
      query: async <Row>() => ({ rows: [{ name: 'fw_sessions' } as Row] }),
    }
    await expect(new DatabaseStore(elsewhere).check()).rejects.toMatchObject({
      code: 'session.tables-missing',
    })
  })

  test('an unavailable store is a 503, never an empty session', async () => {
    const broken: SqlExecutor = {
      query: () => Promise.reject(new Error('connect ECONNREFUSED 10.0.0.7:5432')),
    }
    const store = new DatabaseStore(broken)
    const expected = {
      status: 503,
      code: 'session.store-unavailable',
      message: 'The session could not be read or written.',
    }
    await expect(Session.load(store, newSessionId())).rejects.toMatchObject(expected)
    const session = new Session(store)
    session.set('a', 1)
    await expect(session.commit()).rejects.toMatchObject(expected)
  })
}

async function migrate(database: Database): Promise<void> {
  for (const sql of sessionMigration.up) await database.query({ sql, parameters: [] })
}

describe('DatabaseStore on PGlite', () => {
  let database: Database
  beforeAll(async () => {
    database = await openInMemory()
    await migrate(database)
  })
  afterAll(() => database.close())

  testContract(() => databaseStores(database), 200)
  keepsItsTables(() => database)
})

const redisUrl = process.env['REDIS_URL'] ?? 'redis://127.0.0.1:6379'
const redis = createClient({ url: redisUrl, socket: { reconnectStrategy: false } })
redis.on('error', () => {})
const redisReachable = await redis.connect().then(
  () => true,
  () => false,
)
afterAll(() => redis.destroy())

describe.skipIf(!redisReachable)('RedisStore', () => {
  const prefix = `fw:test:${randomUUID()}:`
  const store = (lifetime?: Partial<SessionLifetime>) =>
    new RedisStore(redis, { ...lifetime, prefix })
  const age = `
    for _, record in ipairs(redis.call('KEYS', ARGV[1] .. 'record:*')) do
      redis.call('HINCRBY', record, 'created', -ARGV[2])
      redis.call('PEXPIRE', record, redis.call('PTTL', record) - ARGV[2])
    end`
  const removeAll = `for _, key in ipairs(redis.call('KEYS', ARGV[1] .. '*')) do redis.call('DEL', key) end`
  afterAll(() => redis.sendCommand(['EVAL', removeAll, '0', prefix]))

  testContract(
    () => ({
      store,
      age: async (seconds) => {
        await redis.sendCommand(['EVAL', age, '0', prefix, String(seconds * 1000)])
      },
    }),
    1000,
    false,
  )

  test('the server does not contain the id, and every key expires', async () => {
    const { id } = await store().create(changes({ a: '1' }, 'ann'))
    const keys = (await redis.sendCommand(['KEYS', `${prefix}*`])) as string[]
    const dump = await Promise.all(
      keys.map(async (key) => [key, await redis.sendCommand(['DUMP', key])]),
    )
    expect(JSON.stringify(dump)).not.toContain(id)
    for (const key of keys) expect(await redis.sendCommand(['PTTL', key])).toBeGreaterThan(0)
  })

  test('a server that has lost the scripts gets them again', async () => {
    const { id } = await store().create(changes({ a: '1' }))
    // The reply for an unknown script is that of a restarted server; other clients can keep using this one.
    const asked: string[] = []
    const forgetful: RedisCommands = {
      sendCommand: ([name = '', digest = '', ...rest]) => {
        asked.push(name)
        return redis.sendCommand([name, asked.length === 1 ? '0'.repeat(40) : digest, ...rest])
      },
    }
    expect(plain(await new RedisStore(forgetful, { prefix }).read(id))).toEqual({ a: '1' })
    expect(asked).toEqual(['EVALSHA', 'EVAL'])
  })

  test('closing the store disconnects its client; a closed store is a 503', async () => {
    const own = await RedisStore.connect(redisUrl, { prefix })
    const session = new Session(own)
    session.set('a', 1)
    const { set: id } = (await session.commit()) as { set: string }
    await own.close()
    await expect(Session.load(own, id)).rejects.toMatchObject({
      status: 503,
      code: 'session.store-unavailable',
    })
  })

  test('an unreachable server stops the start', async () => {
    await expect(RedisStore.connect('redis://127.0.0.1:1')).rejects.toMatchObject({
      code: 'session.store-unreachable',
    })
  })
})

const servers = (await hasTestServer()) ? ['PostgreSQL'] : []
if (servers.length > 0 && canStartPgbouncer) servers.push('pgbouncer')

describe.skipIf(servers.length === 0).each(servers)('DatabaseStore on %s', (server) => {
  let own: EmptyDatabase
  let pooler: Pgbouncer | undefined
  let database: Database
  let single: Database

  beforeAll(async () => {
    own = await emptyDatabaseOn('session')
    // One server connection for a transaction, one that waits for its locks, and one that observes both.
    if (server === 'pgbouncer') pooler = await startPgbouncer(own.url, 3)
    const settings = { url: pooler?.url ?? own.url, prepare: pooler === undefined }
    database = await openDatabase({ kind: 'postgres', poolSize: 8, ...settings })
    single = await openDatabase({ kind: 'postgres', poolSize: 1, ...settings })
    await migrate(database)
  })
  afterAll(async () => {
    await Promise.all([database.close(), single.close()])
    await pooler?.stop()
    await own.drop()
  })

  testContract(() => databaseStores(database), 1000)
  keepsItsTables(() => single)

  const rowsWith = async (table: string, column: string, key: number) =>
    (
      await database.query({
        sql: `SELECT 1 FROM ${table} WHERE ${column} = $1`,
        parameters: [key],
      })
    ).rows

  test('the session writes of a rolled back request are not kept', async () => {
    const store = new DatabaseStore(database)
    const created = await store.create(changes({ a: '1' }))
    let unmade = ''
    const request = database.transaction(async () => {
      await store.save(created, changes({ a: '2' }))
      unmade = (await store.create(changes({ a: '1' }))).id
      throw new Error('fault')
    })
    await expect(request).rejects.toThrow('fault')
    expect(plain(await store.read(created.id))).toEqual({ a: '1' })
    expect(await store.read(unmade)).toBeUndefined()
  })

  test('a save that waited for a logout writes nothing', async () => {
    const store = new DatabaseStore(database)
    const created = await store.create(changes({ a: '1' }))
    let late: Promise<string | undefined> | undefined
    await database.transaction(async () => {
      await store.endSession(created)
      late = outsideTransaction(() => store.save(created, changes({ a: '2' })))
      await outsideTransaction(someoneWaits)
    })
    expect(await late).toBeUndefined()
    expect(await rowsWith('fw_session_attributes', 'fw_session_id', created.key)).toHaveLength(0)
  })

  test('the sweep skips a locked record and removes it later', async () => {
    const { store: make, age } = databaseStores(database)
    const store = make()
    const created = await store.create(changes({ a: '1' }))
    await database.transaction(async () => {
      await store.save(created, changes({ b: '2' }))
      await outsideTransaction(() => store.sweep(1000))
    })
    expect(plain(await store.read(created.id))).toEqual({ a: '1', b: '2' })
    await age(24 * 60 * 60)
    while ((await store.sweep(1000)) > 0);
    expect(await rowsWith('fw_sessions', 'id', created.key)).toHaveLength(0)
  })

  test('reading a record uses only indexes', async () => {
    const sql = `EXPLAIN ${sessionSql.read}`.replaceAll('$1', `'x'`).replaceAll(/\$[234]/g, '60')
    const plan = await database.transaction(async () => {
      await database.query({ sql: 'SET LOCAL enable_seqscan = off', parameters: [] })
      return (await database.query<Record<string, string>>({ sql, parameters: [] })).rows
    })
    const text = plan.map((row) => row['QUERY PLAN']).join('\n')
    expect(text).toMatch(/servlet_sessions_pkey/)
    expect(text).toMatch(/fw_session_attributes_unique_idx/)
    expect(text).not.toMatch(/Seq Scan/)
  })

  async function someoneWaits(): Promise<void> {
    const sql = `SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = '${own.name}'`
    await expect
      .poll(async () => (await single.query({ sql, parameters: [] })).rows, { interval: 20 })
      .not.toEqual([])
  }
})

/** Short reads of one turn of the event loop are sent together, and slow reads alone. */
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { openDatabase, type Database } from '../db.ts'
import type { Statement } from './connection.ts'
import { type OpenEngine, servers } from './engines.fixture.ts'
import { SlowStatements } from './statement-batch.ts'

const read = (text: string): Statement => ({
  sql: `select ${text}, pg_backend_pid() as pid`,
  name: text,
  parameters: [],
  isRead: true,
})
const short = read('1 as x')

const afterTurn = () => new Promise((resolve) => setImmediate(resolve))
/** Keeps the event loop busy. */
function block(millis: number): void {
  for (const end = performance.now() + millis; performance.now() < end;);
}

describe.skipIf(servers.length === 0)('statements of one turn', () => {
  let engine: OpenEngine
  let database: Database

  /** The number of statements that each connection ran. */
  const shares = async (...statements: readonly Statement[]): Promise<number[]> => {
    const counts = new Map<number, number>()
    for (const { rows } of await Promise.all(
      statements.map((one) => database.query<{ pid: number }>(one)),
    ))
      counts.set(rows[0]!.pid, (counts.get(rows[0]!.pid) ?? 0) + 1)
    return [...counts.values()].toSorted((a, b) => b - a)
  }
  const copies = (count: number, statement = short) =>
    Array.from({ length: count }, () => statement)

  beforeAll(async () => {
    // Without a time limit, a read that is not cancelled never ends.
    engine = await servers[0]!.open({ poolSize: 4, statementTimeout: 0 })
    database = engine.database
    // Opens all connections.
    await shares(...copies(4, { ...read('pg_sleep(0.05)'), isRead: false }))
  })
  afterAll(() => engine.close())

  test('short reads share a connection, with their own results', async () => {
    expect(await shares(...copies(3))).toEqual([3])
    expect(await shares(short, read('2 as x'), { ...read('3 as x'), name: undefined })).toEqual([3])
    const results = await Promise.all(
      ['4 as x', '5 as x'].map((text) => database.query<{ x: number }>(read(text))),
    )
    expect(results.map(({ rows }) => rows[0]!.x)).toEqual([4, 5])
  })

  test('a read joins no batch that has been sent', async () => {
    const sent = database.query<{ pid: number }>(read('pg_sleep(0.05) as sent'))
    await afterTurn()
    const next = await database.query<{ pid: number }>(short)
    expect(next.rows[0]!.pid).not.toBe((await sent).rows[0]!.pid)
  })

  test('at most eight share one', async () => {
    expect(await shares(...copies(11))).toEqual([8, 3])
  })

  test('a statement that may write or lock has a connection of its own', async () => {
    const other = { ...read('6 as x'), isRead: false }
    expect(await shares(short, other, short)).toEqual([2, 1])
    expect(await shares(other, short, short)).toEqual([2, 1])
    // While all connections run other statements, reads are spread over them and join none.
    expect(await shares(...copies(4, other), short, short)).toEqual([2, 2, 1, 1])
  })

  test('the error of a read does not concern the others', async () => {
    const wrong: Statement = { sql: 'select 1 / 0', parameters: [], isRead: true }
    const settled = await Promise.allSettled(
      [short, wrong, short].map((one) => database.query(one)),
    )
    expect(settled.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
  })

  const slowShares = async (text: string, meanwhile: () => Promise<unknown>) => {
    const slow = read(text)
    const state = { isDone: false }
    const running = database.query(slow).finally(() => (state.isDone = true))
    while (!state.isDone) await meanwhile()
    await running
    expect(await shares(short, slow)).toEqual([1, 1])
    return shares(slow, slow, short, short)
  }

  test('a read that was slow while others were sent shares no connection', async () => {
    const other = () => database.query({ ...short, isRead: false })
    expect(await slowShares('pg_sleep(0.2)', other)).toEqual([2, 1, 1])
  })

  test('a read that was slow in an idle process shares no connection', async () => {
    const nothing = () => new Promise((resolve) => setTimeout(resolve, 10))
    expect(await slowShares('pg_sleep(0.2) as idle', nothing)).toEqual([2, 1, 1])
  })

  test('a read that was slow in a process that is never idle shares no connection', async () => {
    const other = async () => {
      const state = { isDone: false }
      const running = database
        .query({ ...short, isRead: false })
        .finally(() => (state.isDone = true))
      while (!state.isDone) await afterTurn()
      await running
    }
    expect(await slowShares('pg_sleep(0.2) as never_idle', other)).toEqual([2, 1, 1])
  })

  test('a read is not slow because this process was busy before it sent the next batch', async () => {
    const busy = read('pg_sleep(0.005) as blocked')
    const running = database.query(busy)
    await afterTurn()
    // The event loop reads sockets, blocks, then sends the next batch.
    const blocked = afterTurn().then(() => block(60))
    const other = database.query({ ...short, isRead: false })
    await Promise.all([blocked, running, other])
    expect(await shares(busy, busy)).toEqual([2])
  })

  test('a read is not slow because it waited for a slow one in its batch', async () => {
    const [slow, next] = [read('pg_sleep(0.2) as first'), read('pg_sleep(0.005) as second')]
    const running = database.query(slow).then(() => block(60))
    await Promise.all([running, database.query(next)])
    expect(await shares(next, next)).toEqual([2])
    const last = read('10 as last')
    await Promise.all([database.query(read('pg_sleep(0.2) as third')), database.query(last)])
    expect(await shares(last, last)).toEqual([2])
  })

  test('a slow read shares no connection, also without prepared statements', async () => {
    const { url } = engine.settings as { url: string }
    const name = new URL(url).pathname.slice(1)
    await database.query({ sql: `alter database ${name} set timezone to 'UTC'`, parameters: [] })
    const settings = { prepare: false, statementTimeout: 0, poolSize: 2 }
    const unprepared = await openDatabase({ kind: 'postgres', url, ...settings })
    onTestFinished(() => unprepared.close())
    const { pool } = unprepared
    const connections = await Promise.all([pool.reserve(), pool.reserve()])
    for (const connection of connections) pool.release(connection)
    // Connections that set their settings for each statement are not shared by reads.
    expect(connections[0].beginSettings?.({})).toBeUndefined()
    const slow = read('pg_sleep(0.1) as unprepared')
    const countConnections = async (): Promise<number> => {
      const both = [slow, slow].map((one) => unprepared.query<{ pid: number }>(one))
      return new Set((await Promise.all(both)).map(({ rows }) => rows[0]!.pid)).size
    }
    expect(await countConnections()).toBe(1)
    expect(await countConnections()).toBe(2)
  })

  test('a read is not slow because this process was busy', async () => {
    const busy = read('7 as busy')
    const running = database.query(busy)
    // After the statement has been sent, another batch is sent, and then the response waits for this process.
    await afterTurn()
    const other = database.query({ ...short, isRead: false })
    await afterTurn()
    block(60)
    await Promise.all([running, other])
    expect(await shares(busy, busy)).toEqual([2])
  })

  describe('whose callers leave', () => {
    const send = (text: string, signal?: AbortSignal) => database.pool.query(read(text), signal)
    const outcomes = async (...all: Promise<unknown>[]) =>
      (await Promise.allSettled(all)).map(({ status }) => status)

    test('are cancelled when all have left, and the connection stays', async () => {
      const [a, b] = [new AbortController(), new AbortController()]
      const running = [send('pg_sleep(600), 1', a.signal), send('pg_sleep(600), 2', b.signal)]
      a.abort()
      await afterTurn()
      b.abort()
      expect(await outcomes(...running)).toEqual(['rejected', 'rejected'])
      await expect.poll(() => database.pool.state).toMatchObject({ open: 4, reserved: 0 })
    })

    test('are cancelled one after another, each without a pause', async () => {
      const left = new AbortController()
      const running = copies(8, read('pg_sleep(600), 5')).map((one) =>
        database.pool.query(one, left.signal),
      )
      await afterTurn()
      left.abort()
      expect(await outcomes(...running)).toEqual(Array.from({ length: 8 }, () => 'rejected'))
    })

    test('leave no trace on the connection after their responses', async () => {
      const [a, b] = [new AbortController(), new AbortController()]
      const first = send('11 as x', a.signal)
      a.abort()
      await outcomes(first)
      await expect.poll(() => database.pool.state).toMatchObject({ reserved: 0 })
      const next = [send('12 as x', b.signal), send('pg_sleep(0.1), 6')]
      b.abort()
      expect(await outcomes(...next)).toEqual(['fulfilled', 'fulfilled'])
      const late = new AbortController()
      await send('13 as x', late.signal)
      const last = send('pg_sleep(0.1), 7')
      late.abort()
      expect(await outcomes(last)).toEqual(['fulfilled'])
    })

    test('are cancelled after the read of the last caller that stays', async () => {
      const left = new AbortController()
      const running = [send('pg_sleep(0.1), 3'), send('pg_sleep(600), 4', left.signal)]
      left.abort()
      expect(await outcomes(...running)).toEqual(['fulfilled', 'rejected'])
    })

    test('are not mistaken for another read, even if several responses arrive together', async () => {
      const signals = [1, 2, 3].map(() => new AbortController())
      const texts = ['8 as b', '9 as a', 'pg_sleep(0.3)']
      const running = texts.map((text, at) => send(text, signals[at]!.signal))
      signals[1]!.abort()
      await afterTurn()
      block(60)
      expect(await outcomes(...running)).toEqual(['fulfilled', 'fulfilled', 'fulfilled'])
    })
  })
})

test('a statement is short again after 100 runs that were not slow', () => {
  const slow = new SlowStatements()
  slow.record('a', 19)
  expect(slow.has('a')).toBe(false)
  slow.record('a', 20)
  for (let run = 1; run < 100; run++) slow.record('a', 0)
  expect(slow.has('a')).toBe(true)
  slow.record('a', 0)
  expect(slow.has('a')).toBe(false)
})

test('a slow run begins the 100 anew, and other statements do not count', () => {
  const slow = new SlowStatements()
  slow.record('a', 20)
  for (let run = 1; run < 100; run++) slow.record('a', 0)
  slow.record('a', 20)
  slow.record('a', 0)
  for (let run = 0; run < 100; run++) slow.record('b', 0)
  expect(slow.has('a')).toBe(true)
})

test('forgets the oldest rather than remember more than a thousand', () => {
  const slow = new SlowStatements()
  for (let number = 0; number <= 1000; number++) slow.record(`${number}`, 20)
  expect(slow.has('0')).toBe(false)
  expect(slow.has('1')).toBe(true)
  expect(slow.has('1000')).toBe(true)
})

test('a further slow run of a statement evicts no other', () => {
  const slow = new SlowStatements()
  for (let number = 0; number < 1000; number++) slow.record(`${number}`, 20)
  slow.record('5', 20)
  expect(slow.has('0')).toBe(true)
  slow.record('1000', 20)
  slow.record('0', 20)
  expect(slow.has('5')).toBe(true)
})

/** The health of read replicas: the pause after failures, and checks outside requests. */
import { AsyncLocalStorage } from 'node:async_hooks'
import { describe, expect, onTestFinished, test } from 'vitest'
import { silentLogger, type Logger } from '../base.ts'
import { servers } from './engines.fixture.ts'
import { openDatabase } from './open-database.ts'
import type { PostgresSettings } from './settings.ts'

describe.skipIf(servers.length === 0)('a replica', () => {
  /** A database that is its own replica. */
  async function open(logger: Logger = silentLogger) {
    const { settings, close } = await servers[0]!.open()
    onTestFinished(close)
    const { url } = settings as PostgresSettings
    const database = await openDatabase({
      kind: 'postgres',
      url,
      poolSize: 2,
      logger,
      replicas: { urls: [url] },
    })
    onTestFinished(() => database.close())
    const replicas = database.replicas!
    const reserve = async () => {
      const lease = await replicas.reserve()
      lease?.pool.release(lease.connection)
      return lease !== undefined
    }
    return { replicas, reserve }
  }

  test('that many requests find broken at once is used again after a single pause', async () => {
    const { replicas, reserve } = await open()
    await expect.poll(reserve).toBe(true)
    const { pool } = replicas.states[0]!
    for (let at = 0; at < 100; at++) replicas.fail(pool, new Error('broken'))
    expect(await reserve()).toBe(false)
    // The pause after 100 failures would be 15 seconds or more.
    await expect.poll(reserve, { timeout: 10_000 }).toBe(true)
  })

  test('whose connections are all in use is still checked', async () => {
    const { replicas, reserve } = await open()
    const [replica] = replicas.states
    const busy = await Promise.all([replica!.pool.reserve(), replica!.pool.reserve()])
    expect(await reserve()).toBe(false)
    await expect.poll(() => replica!.isUsable).toBe(true)
    for (const connection of busy) replica!.pool.release(connection)
  })

  test('is checked outside the request that needs it first', async () => {
    const requests = new AsyncLocalStorage<string>()
    const found: unknown[] = []
    const info = (_fields: unknown, message: string) =>
      void found.push([message, requests.getStore()])
    const { reserve } = await open({ ...silentLogger, info })
    await requests.run('first', reserve)
    await expect.poll(() => found).toEqual([['reads use the replica', undefined]])
  })
})

/** The limiter of attempts on each engine: its delays, what it forgets, and attempts at the same time on several nodes. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { openDatabase, useDatabase } from '../db.ts'
import { engines, servers, type OpenEngine } from '../db/engines.fixture.ts'
import { attemptLimiter, consumeBoth, sweepAttempts } from './attempt-limiter.ts'
import { attemptMigrationText } from './attempt-sql.ts'

const hour = 3_600_000
const limits = { name: 'login', attempts: 5, delay: '1h', maxDelay: '5h', forget: '100d' } as const

/** Tries `key`, and returns the hours to wait, rounded up; 0 for an allowed attempt. */
const attempt = (key: string, own: object = {}): Promise<number> =>
  attemptLimiter({ ...limits, ...own })
    .consume(key)
    .then(
      () => 0,
      (refusal: unknown) => Math.ceil((refusal as { msBeforeNext: number }).msBeforeNext / hour),
    )

async function attempts(key: string, count: number, own?: object): Promise<number[]> {
  const waits: number[] = []
  for (let at = 0; at < count; at++) waits.push(await attempt(key, own))
  return waits
}

describe.each(engines)('on $name', (engine) => {
  let opened: OpenEngine
  const run = async (sql: string) => (await opened.database.query({ sql, parameters: [] })).rows
  /** Moves the times of all keys into the past, as if the time had passed. */
  const wait = (interval: string) =>
    run(`update fw_attempts set retry_at = retry_at - interval '${interval}',
      forgotten_at = forgotten_at - interval '${interval}'`)
  beforeAll(async () => {
    opened = await engine.open({ poolSize: 10 })
    await run(attemptMigrationText().split('-- down')[0]!)
    useDatabase(opened.database)
  })
  beforeEach(() => run('delete from fw_attempts'))
  afterAll(async () => {
    useDatabase(undefined)
    await opened.close()
  })

  test('after five attempts, each further one waits twice as long, up to the longest delay', async () => {
    expect(await attempts('ann', 7)).toEqual([0, 0, 0, 0, 0, 1, 1])
    const waits: number[][] = []
    for (const interval of ['61 minutes', '2 hours', '4 hours', '5 hours']) {
      await wait(interval)
      waits.push(await attempts('ann', 2))
    }
    expect(waits).toEqual([
      [0, 2],
      [0, 4],
      [0, 5],
      [0, 5],
    ])
    expect(await attempts('bob', 1)).toEqual([0])
    expect(await attempt('ann', { name: 'reset' })).toBe(0)
  })

  test('one attempt is forgotten in each interval', async () => {
    await attempts('ann', 5, { forget: '10h' })
    await wait('30 hours')
    expect(await attempts('ann', 5, { forget: '10h' })).toEqual([0, 0, 0, 1, 1])
    await wait('1000 hours')
    expect(await attempts('ann', 6, { forget: '10h' })).toEqual([0, 0, 0, 0, 0, 1])
  })

  test('a delay of any number of attempts is calculated', async () => {
    const many = { attempts: 1, forget: '30000d' }
    expect(await attempts('ann', 2, many)).toEqual([0, 1])
    await run(
      "update fw_attempts set forgotten_at = now() + interval '2000 years', retry_at = null",
    )
    expect(await attempts('ann', 2, { ...many, forget: '1s' })).toEqual([0, 5])
  })

  test('a reset forgets the attempts of one key', async () => {
    await attempts('ann', 6)
    await attempts('bob', 6)
    await attemptLimiter(limits).reset('ann')
    expect(await attempt('ann')).toBe(0)
    expect(await attempt('bob')).toBe(1)
  })

  test('of two limits in one statement, the second counts what the first allows', async () => {
    const own = { ...limits, delay: '1h', forget: '100d' } as const
    const client = attemptLimiter({ ...own, name: 'client', attempts: 2 })
    const account = attemptLimiter({ ...own, name: 'account', attempts: 3, delay: '4h' })
    const tries = async (clientKey: string) => {
      const refused = await consumeBoth(client, clientKey, account, 'ann').catch(
        (refusal: unknown) => refusal,
      )
      return refused && Math.ceil((refused as { msBeforeNext: number }).msBeforeNext / hour)
    }
    const names = async () =>
      Object.fromEntries(
        (
          await run(`select name, round(extract(epoch from forgotten_at - now()) / 8640000) as n
          from fw_attempts where key like '%'`)
        ).map(({ name, n }) => [name, Number(n)]),
      )
    expect([await tries('a'), await tries('a'), await tries('a')]).toEqual([
      undefined,
      undefined,
      1,
    ])
    expect(await names()).toEqual({ client: 2, account: 2 })
    expect([await tries('b'), await tries('b')]).toEqual([undefined, 4])
    const racing = await Promise.all(Array.from({ length: 50 }, (_, at) => tries(`c${at % 7}`)))
    expect(racing.filter((wait) => wait === undefined)).toEqual([])
    await Promise.all([
      ...Array.from({ length: 50 }, (_, at) => tries(`d${at % 7}`)),
      sweepAttempts(),
    ])
  })

  test('a rollback does not undo an attempt', async () => {
    const failing = opened.database.transaction(async () => {
      await attempt('ann', { attempts: 1 })
      throw new Error('rolled back')
    })
    await expect(failing).rejects.toThrow('rolled back')
    expect(await attempt('ann', { attempts: 1 })).toBe(1)
  })

  test('an attempt after a write is part of the transaction, which may have the only connection', async () => {
    await opened.database.transaction(async () => {
      await run('delete from fw_attempts')
      await attempt('ann', { attempts: 1 })
    })
    expect(await attempt('ann', { attempts: 1 })).toBe(1)
  })

  test('forgotten keys are swept, waiting ones are not; the table contains no key in plain text', async () => {
    await attempts('ann', 1)
    await attempts('bob', 6)
    expect(JSON.stringify(await run('select * from fw_attempts'))).not.toMatch(/ann|bob/)
    await sweepAttempts()
    expect(await run('select * from fw_attempts')).toHaveLength(2)
    await run("update fw_attempts set forgotten_at = now() - interval '1 second'")
    await sweepAttempts()
    expect(await run('select * from fw_attempts')).toHaveLength(1)
    await wait('2 hours')
    await sweepAttempts()
    expect(await run('select * from fw_attempts')).toEqual([])
  })

  test('of 200 attempts at the same time, five are allowed', async () => {
    const waits = await Promise.all(Array.from({ length: 200 }, () => attempt('ann')))
    expect(waits.filter((wait) => wait === 0)).toHaveLength(5)
  })

  test('without its table, the error names the migration', async () => {
    await run('alter table fw_attempts rename to other')
    const failing = attemptLimiter(limits).consume('ann')
    await expect(failing).rejects.toMatchObject({ code: 'accounts.tables-missing' })
    await run('alter table other rename to fw_attempts')
  })
})

describe.each(servers)('on two nodes', (engine) => {
  test(
    'of 10,000 guesses at the password of an account, five are allowed',
    { timeout: 300_000 },
    async () => {
      const opened = await engine.open({ poolSize: 5 })
      const other = await openDatabase(opened.settings)
      await opened.database.query({
        sql: attemptMigrationText().split('-- down')[0]!,
        parameters: [],
      })
      let allowed = 0
      const guess = async () => {
        if ((await attempt('ann')) === 0) allowed++
      }
      for (let round = 0; round < 100; round++)
        await Promise.all(
          Array.from({ length: 100 }, (_, at) => {
            useDatabase(at % 2 === 0 ? opened.database : other)
            return guess()
          }),
        )
      useDatabase(undefined)
      await other.close()
      await opened.close()
      expect(allowed).toBe(5)
    },
  )
})

test.each([
  [{ name: '' }],
  [{ name: 'a b' }],
  [{ attempts: 0 }],
  [{ attempts: 1.5 }],
  [{ delay: 0 }],
  [{ forget: 0 }],
])('limits %j are refused', (own) => {
  expect(() => attemptLimiter({ ...limits, ...own })).toThrow(
    expect.objectContaining({ code: 'accounts.limit-invalid' }),
  )
})

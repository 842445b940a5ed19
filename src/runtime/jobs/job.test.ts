/** Jobs on every engine: enqueuing in transactions, arguments, attempts, steps, unique keys, time limits and stops. */
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { FwError, Temporal } from '../base.ts'
import {
  currentDatabase,
  currentTransaction,
  outsideTransaction,
  runInTransaction,
  Transaction,
  type Database,
} from '../db.ts'
import { engines } from '../db/engines.fixture.ts'
import { json, model } from '../model.ts'
import { ParamType, permitValues } from '../params.ts'
import { recordingLogger, type LogLine } from '../../../test/support/serve.ts'
import { enqueueListeners, job } from './job.ts'
import type { JobContext } from './job.ts'
import {
  addEffect,
  eventually,
  jobName as name,
  rowsOf,
  startRunner,
  useJobs,
} from './runner.fixture.ts'
import { runJobs } from './run-jobs.ts'

const jobRows = (database: Database) =>
  rowsOf(database, 'select name, attempt, worker, error, dead_at from fw_jobs order by id')
const effects = async (database: Database) =>
  (await rowsOf<{ name: string }>(database, 'select name from effects')).map((row) => row.name)

describe.each(engines)('on $name', (engine) => {
  const opened = useJobs(engine)

  test('a job exists exactly if the transaction that enqueues it commits', async () => {
    const database = opened()
    const one = job(name(), { id: ParamType.Long }, ({ id }) => addEffect(database, `run ${id}`))
    await one.enqueue({ id: 1 })
    await database.transaction(() => one.enqueue({ id: 2 }))
    const failing = database.transaction(async () => {
      await one.enqueue({ id: 3 })
      throw new Error('rolled back')
    })
    await expect(failing).rejects.toThrow('rolled back')
    expect(await runJobs()).toBe(2)
    expect(await effects(database)).toEqual(['run 1', 'run 2'])
    expect(await jobRows(database)).toEqual([])
  })

  test('an enqueue that is not awaited belongs to the transaction, and wakes the workers after its commit', async () => {
    const database = opened()
    const one = job(name(), {}, () => {})
    let woken = 0
    const wake = (): void => void woken++
    enqueueListeners.add(wake)
    onTestFinished(() => void enqueueListeners.delete(wake))
    const transaction = new Transaction(database)
    const enqueued = runInTransaction(transaction, () => one.enqueue())
    await transaction.commit()
    const id = await enqueued
    expect(await rowsOf(database, 'select id::text from fw_jobs')).toEqual([{ id }])
    expect(woken).toBe(1)
  })

  test('a hook of a model enqueues in the transaction of its write', async () => {
    const database = opened()
    const seen = job(name(), { name: ParamType.String }, (args) => addEffect(database, args.name))
    const Effect = model(
      'effects',
      { name: ParamType.String, jobId: ParamType.optional(ParamType.Long) },
      {
        primaryKey: 'name',
        hooks: { afterSave: (row) => seen.enqueue({ name: `saved ${row.name}` }) },
      },
    )
    const create = (text: string) => Effect.create(permitValues({ name: text }, 'name'))
    await create('one')
    const failing = database.transaction(async () => {
      await create('two')
      throw new Error('rolled back')
    })
    await expect(failing).rejects.toThrow('rolled back')
    expect(await runJobs()).toBe(1)
    expect(await effects(database)).toEqual(['one', 'saved one'])
  })

  test('every type of argument arrives as it was enqueued', async () => {
    const types = {
      text: ParamType.String,
      long: ParamType.Long,
      big: ParamType.BigInt,
      double: ParamType.Double,
      yes: ParamType.Boolean,
      date: ParamType.LocalDate,
      instant: ParamType.DateTime,
      duration: ParamType.Duration,
      bytes: ParamType.ByteArray,
      list: ParamType.array(ParamType.Int),
      json: json(),
      left: ParamType.optional(ParamType.String),
    }
    const values = {
      text: 'ä "quoted" \\ \n 𝄞',
      long: Number.MAX_SAFE_INTEGER,
      big: 2n ** 80n,
      double: Number.POSITIVE_INFINITY,
      yes: false,
      date: Temporal.PlainDate.from('2026-02-03'),
      instant: Temporal.Instant.from('2026-02-03T04:05:06.789012Z'),
      duration: Temporal.Duration.from('PT90S'),
      bytes: new Uint8Array([0, 255]),
      list: [1, 2],
      json: { a: [null, 'b'] },
    }
    const got: unknown[] = []
    const all = job(name(), types, (given) => void got.push(given))
    await all.enqueue(values)
    await runJobs()
    const texts = (value: object) => ({ ...value, ...dates(value as typeof values) })
    const dates = ({ date, instant, duration }: typeof values) => ({
      date: String(date),
      instant: String(instant),
      duration: String(duration),
    })
    expect(texts(got[0] as object)).toEqual(texts(values))
  })

  test('wrong arguments and options are refused when they are enqueued', async () => {
    const database = opened()
    const one = job(name(), { id: ParamType.Long }, () => {})
    const wrong = { id: 'x' } as unknown as { id: number }
    await expect(one.enqueue(wrong)).rejects.toThrow(/'id' must be an integer/)
    await expect(one.enqueue({} as never)).rejects.toThrow(/needs the argument 'id'/)
    await expect(one.enqueue({ id: 1, more: 2 } as never)).rejects.toThrow(/no argument 'more'/)
    await expect(one.enqueue({ id: 1 }, { in: 'soon' as never })).rejects.toThrow(
      /option in is soon/,
    )
    await expect(one.enqueue({ id: 1 }, { queue: 'a b' })).rejects.toThrow(/queue "a b" is no name/)
    await expect(one.enqueue({ id: 1 }, { priority: 1.5 })).rejects.toThrow(/priority is 1.5/)
    await expect(one.enqueue({ id: 1 }, { uniqueBy: '' })).rejects.toThrow(/uniqueBy has 0/)
    const text = job(name(), { text: ParamType.String }, () => {})
    await expect(text.enqueue({ text: 'a\0' })).rejects.toMatchObject({
      code: 'jobs.argument-invalid',
    })
    await expect(text.enqueue({ text: 'x'.repeat(300_000) })).rejects.toThrow(/the limit is/)
    const any = job(name(), { any: json() }, () => {})
    for (const value of ['a\0', { '\udfff': 1 }])
      await expect(any.enqueue({ any: value })).rejects.toMatchObject({
        code: 'jobs.argument-invalid',
      })
    expect(await jobRows(database)).toEqual([])
  })

  test('two jobs with one name are refused', () => {
    const taken = name()
    job(taken, {}, () => {})
    expect(() => job(taken, {}, () => {})).toThrow(`Two jobs have the name '${taken}'`)
  })

  test('missing tables are a clear error', async () => {
    const database = opened()
    await rowsOf(database, 'alter table fw_jobs rename to hidden')
    onTestFinished(() => rowsOf(database, 'alter table hidden rename to fw_jobs').then(() => {}))
    const one = job(name(), {}, () => {})
    const missing = {
      code: 'jobs.tables-missing',
      message: expect.stringContaining('fw g migration create_fw_jobs') as string,
    }
    await expect(one.enqueue()).rejects.toMatchObject(missing)
    await expect(database.transaction(() => one.enqueue())).rejects.toMatchObject(missing)
  })

  test('the id is known before the job is stored, except with uniqueBy', async () => {
    const database = opened()
    const one = job(name(), {}, () => {})
    const ids = await database.transaction(async () => {
      await one.enqueue({}, { in: '1h' })
      const query = vi.spyOn(currentTransaction()!, 'query')
      const early = await one.enqueue({}, { in: '1h' })
      // The transaction did not wait for the result of the statement.
      await expect(query.mock.results[0]!.value).resolves.toMatchObject({ command: '' })
      return [early, await one.enqueue({}, { uniqueBy: 1 }), await one.enqueue({}, { uniqueBy: 1 })]
    })
    expect(ids[1]).toBe(ids[2])
    const stored = await rowsOf<{ id: string }>(
      database,
      'select id::text from fw_jobs order by id',
    )
    expect(stored.map(({ id }) => id).slice(1)).toEqual([ids[0], ids[1]])
  })

  test.skipIf(engine.name === 'pglite')(
    'the delay of a job counts from the turn of enqueue, also if it is not waited for',
    async () => {
      const database = opened()
      const one = job(name(), {}, () => {})
      const lastStatement = () =>
        outsideTransaction(() =>
          rowsOf<{ query: string }>(
            database,
            `select query from pg_stat_activity where state = 'idle in transaction' and datname = current_database()`,
          ),
        )
      const later = await database.transaction(async () => {
        await rowsOf(database, 'select 1')
        await one.enqueue({}, { in: '1h' })
        // No other statement of the transaction follows.
        await eventually(
          lastStatement,
          (rows) => rows[0]?.query.includes('INSERT INTO fw_jobs') === true,
        )
        return outsideTransaction(() => rowsOf(database, 'select clock_timestamp()::text as time'))
      })
      const [times] = await rowsOf(
        database,
        `select run_at - created_at = '1 hour' as delay, created_at < '${later[0]!['time'] as string}' as early from fw_jobs`,
      )
      expect(times).toEqual({ delay: true, early: true })
    },
  )

  test('a failed job is rolled back, waits for its back-off and runs again', async () => {
    const database = opened()
    const failing = job(name(), {}, async (_, { attempt }) => {
      await addEffect(database, `attempt ${attempt}`)
      if (attempt === 1) throw new RangeError('not yet')
    })
    await failing.enqueue()
    await expect(runJobs()).rejects.toThrow('not yet')
    expect(await effects(database)).toEqual([])
    const [{ error, delay }] = (await rowsOf(
      database,
      'select error, extract(epoch from run_at - statement_timestamp())::float as delay from fw_jobs',
    )) as [{ error: string; delay: number }]
    expect(error).toMatch(/^RangeError: not yet/)
    expect(delay).toBeGreaterThan(5)
    expect(delay).toBeLessThan(8)
    expect(await runJobs()).toBe(1)
    expect(await effects(database)).toEqual(['attempt 2'])
  })

  test('the delays of jobs that fail together differ by up to a quarter', async () => {
    const database = opened()
    const failing = job(name(), {}, () => Promise.reject(new Error('no')), {
      backOff: () => '1 hour',
    })
    await failing.enqueueAll(Array.from({ length: 20 }, () => ({})))
    await startRunner(database)
    const failed =
      'select extract(epoch from run_at - statement_timestamp())::float as delay from fw_jobs where error is not null'
    const rows = await eventually(
      () => rowsOf<{ delay: number }>(database, failed),
      ({ length }) => length === 20,
    )
    const delays = rows.map(({ delay }) => delay)
    // The jobs have failed one after the other, at most a minute ago.
    expect(Math.min(...delays)).toBeGreaterThan(3600 - 60)
    expect(Math.max(...delays)).toBeLessThanOrEqual(3600 * 1.25)
    expect(Math.max(...delays) - Math.min(...delays)).toBeGreaterThan(120)
  })

  test('the last attempt leaves a dead letter, and so does ctx.deadLetter at once', async () => {
    const database = opened()
    const twice = job(name(), {}, () => Promise.reject(new Error('never')), { attempts: 2 })
    const refused = job(name(), {}, (_, ctx) => ctx.deadLetter('550 no such mailbox'))
    await twice.enqueue()
    await expect(runJobs()).rejects.toThrow('never')
    expect(await rowsOf(database, 'select dead_at from fw_jobs')).toEqual([{ dead_at: null }])
    await expect(runJobs()).rejects.toThrow('never')
    await refused.enqueue()
    await expect(runJobs()).rejects.toThrow('550')
    const dead = await rowsOf<{ attempt: number; error: string }>(
      database,
      'select attempt, error from fw_jobs where dead_at is not null order by id',
    )
    expect(dead.map(({ attempt }) => attempt)).toEqual([2, 1])
    expect(dead[1]!.error).toBe('550 no such mailbox')
    expect(await runJobs()).toBe(0)
  })

  test('a job whose processes end at each attempt becomes a dead letter without running', async () => {
    const database = opened()
    const fatal = job(name(), {}, () => addEffect(database, 'ran'), { attempts: 3 })
    await fatal.enqueue()
    await rowsOf(database, "update fw_jobs set attempt = 3, worker = 'killed'")
    await expect(runJobs()).rejects.toThrow('The process ended while the job ran.')
    expect(await effects(database)).toEqual([])
    expect(
      await rowsOf(database, 'select 1 as dead from fw_jobs where dead_at is not null'),
    ).toEqual([{ dead: 1 }])
  })

  test('ctx.retryIn sets the delay of the next attempt', async () => {
    const database = opened()
    const listed = job(name(), {}, (_, ctx) => ctx.retryIn('10 minutes', '451 greylisted'))
    await listed.enqueue()
    await expect(runJobs()).rejects.toThrow('451')
    const [{ delay }] = (await rowsOf(
      database,
      'select extract(epoch from run_at - statement_timestamp())::float as delay from fw_jobs',
    )) as [{ delay: number }]
    expect(Math.abs(delay - 600)).toBeLessThan(30)
  })

  test('a step runs once: a later attempt gets its result, and its writes are kept', async () => {
    const database = opened()
    const calls: unknown[] = []
    const long = job(name(), {}, async (_, ctx) => {
      const first = await ctx.step('first', async () => {
        await addEffect(database, 'first')
        return { at: 1 }
      })
      calls.push(first)
      await ctx.step('second', () => addEffect(database, 'second').then(() => {}))
      await addEffect(database, 'end')
      if (ctx.attempt === 1) throw new Error('stopped')
    })
    await long.enqueue()
    await expect(runJobs()).rejects.toThrow('stopped')
    expect(await effects(database)).toEqual(['first', 'second'])
    await runJobs()
    expect(await effects(database)).toEqual(['first', 'second', 'end'])
    expect(calls).toEqual([{ at: 1 }, { at: 1 }])
  })

  test('a failed step is rolled back and runs again', async () => {
    const database = opened()
    const failing = job(name(), {}, async (_, ctx) => {
      await ctx.step('one', () => addEffect(database, 'one').then(() => {}))
      await ctx.step('two', async () => {
        await addEffect(database, 'two')
        if (ctx.attempt === 1) throw new Error('in two')
      })
    })
    await failing.enqueue()
    await expect(runJobs()).rejects.toThrow('in two')
    expect(await effects(database)).toEqual(['one'])
    await runJobs()
    expect(await effects(database)).toEqual(['one', 'two'])
  })

  test('a step whose result or name cannot be stored is a clear error', async () => {
    const database = opened()
    const wrong: [string, unknown, RegExp][] = [
      ['nul', 'a\0b', /'nul' returns a NUL character or half/],
      ['half', { '\ud800': 1 }, /'half' returns a NUL character or half/],
      [
        'n\0l',
        1,
        /needs another name, of at most 255 characters without NUL or half a surrogate pair/,
      ],
      ['n'.repeat(256), 1, /needs another name/],
      [
        'long',
        'x'.repeat(300_000),
        /brings the results of all steps to 300006 characters; the limit is 262144/,
      ],
    ]
    for (const [step, result, message] of wrong) {
      await rowsOf(database, 'delete from fw_jobs')
      const one = job(name(), {}, (_, ctx) => ctx.step(step, () => result))
      await one.enqueue()
      await expect(runJobs()).rejects.toMatchObject({
        code: 'jobs.step-invalid',
        message: expect.stringMatching(message) as string,
      })
    }
    const fine = job(name(), {}, (_, ctx) => ctx.step('escaped', () => '\\u0000'))
    await rowsOf(database, 'delete from fw_jobs')
    await fine.enqueue()
    expect(await runJobs()).toBe(1)
  })

  test('the results of all steps of a job have a limit, also over several attempts', async () => {
    const database = opened()
    const large = job(name(), {}, async (_, ctx) => {
      for (let at = 1; at <= ctx.attempt; at++) await ctx.step(`${at}`, () => 'x'.repeat(100_000))
      throw new Error('again')
    })
    await large.enqueue()
    await expect(runJobs()).rejects.toThrow('again')
    await expect(runJobs()).rejects.toThrow('again')
    await expect(runJobs()).rejects.toThrow(
      /'3' brings the results of all steps to 300009 characters/,
    )
    const numbers = job(name(), {}, async (_, ctx) => {
      await ctx.step('numbers', () => Array.from({ length: 100_000 }, () => 1))
      if (ctx.attempt === 1) throw new Error('again')
      await ctx.step('more', () => 1)
    })
    await rowsOf(database, 'delete from fw_jobs')
    await numbers.enqueue()
    await expect(runJobs()).rejects.toThrow('again')
    expect(await runJobs()).toBe(1)
    const many = job(name(), {}, async (_, ctx) => {
      for (let at = 0; at < 10; at++) await ctx.step(`${at}`, () => at)
    })
    await rowsOf(database, 'delete from fw_jobs')
    const id = await many.enqueue()
    const steps = `(select jsonb_object_agg('old ' || n, n) from generate_series(1, 995) as n)`
    await rowsOf(database, `update fw_jobs set steps = ${steps} where id = '${id}'`)
    await expect(runJobs()).rejects.toThrow(/'5' is one more than 1000/)
  })

  test('a write before a step, and a step in a step, are refused', async () => {
    const database = opened()
    const early = job(name(), {}, async (_, ctx) => {
      await addEffect(database, 'early')
      await ctx.step('late', () => {})
    })
    const nested = job(name(), {}, (_, ctx) => ctx.step('outer', () => ctx.step('inner', () => {})))
    await early.enqueue()
    await expect(runJobs()).rejects.toThrow(/follows a write outside a step/)
    await rowsOf(database, 'delete from fw_jobs')
    await nested.enqueue()
    await expect(runJobs()).rejects.toThrow(/'inner' runs inside or beside another step/)
    expect(await effects(database)).toEqual([])
  })

  test('a job with a unique key waits once, with the newest arguments', async () => {
    const database = opened()
    const seen: number[] = []
    const index = job(name(), { version: ParamType.Int }, ({ version }) => void seen.push(version))
    const first = await index.enqueue({ version: 1 }, { uniqueBy: 'page 7', in: '5 minutes' })
    expect(await index.enqueue({ version: 2 }, { uniqueBy: 'page 7' })).toBe(first)
    await index.enqueue({ version: 3 }, { uniqueBy: 'page 8' })
    const ids = await index.enqueueAll([{ version: 4 }, { version: 5 }, { version: 6 }], {
      uniqueBy: ({ version }) => version % 2,
    })
    expect(ids).toHaveLength(2)
    expect(await rowsOf(database, 'select count(*)::int as count from fw_jobs')).toEqual([
      { count: 4 },
    ])
    await runJobs()
    expect(seen.toSorted((a, b) => a - b)).toEqual([2, 3, 5, 6])
  })

  test('a job that is enqueued again while it runs runs once more afterwards', async () => {
    const database = opened()
    const seen: number[] = []
    const again = job(name(), { version: ParamType.Int }, async ({ version }) => {
      seen.push(version)
      if (version === 1)
        await outsideTransaction(() => again.enqueue({ version: 2 }, { uniqueBy: 'one' }))
    })
    await again.enqueue({ version: 1 }, { uniqueBy: 'one' })
    expect(await runJobs()).toBe(2)
    expect(seen).toEqual([1, 2])
    expect(await jobRows(database)).toEqual([])
  })

  test('a job that enqueues itself again with a delay waits for it, also after a failure', async () => {
    const database = opened()
    let runs = 0
    const again = job(name(), { fails: ParamType.Boolean }, async ({ fails }) => {
      runs++
      const enqueue = () => again.enqueue({ fails }, { uniqueBy: 'one', in: '5 minutes' })
      if (!fails) return void (await enqueue())
      await outsideTransaction(enqueue)
      throw new Error('failed')
    })
    for (const fails of [false, true]) {
      runs = 0
      await rowsOf(database, 'delete from fw_jobs')
      await again.enqueue({ fails }, { uniqueBy: 'one' })
      const runner = await startRunner(database, { pollInterval: '1h' })
      const row = await eventually(
        async () => {
          // Read before the query, which may see the row as it was before the runner claimed it.
          const hasRun = runs > 0
          const [found] = await rowsOf<{ worker: string | null; attempt: number; delay: number }>(
            database,
            'select worker, attempt, extract(epoch from run_at - statement_timestamp())::float as delay from fw_jobs',
          )
          return hasRun ? found : undefined
        },
        (found) => found?.worker === null,
      )
      await runner.close(0)
      expect(row!.attempt).toBe(0)
      expect(Math.abs(row!.delay - 300)).toBeLessThan(30)
    }
  })

  test('a job that fails for the last time, but was enqueued again, is no dead letter', async () => {
    const database = opened()
    const lines: LogLine[] = []
    const again = job(
      name(),
      {},
      async () => {
        if (lines.length > 0) return
        await outsideTransaction(() => again.enqueue({}, { uniqueBy: 'one' }))
        throw new Error('failed')
      },
      { attempts: 1 },
    )
    await again.enqueue({}, { uniqueBy: 'one' })
    await startRunner(database, {}, recordingLogger(lines))
    await eventually(
      () => jobRows(database),
      (rows) => rows.length === 0,
    )
    expect(lines[0]).toMatchObject({ level: 'warn', message: 'job failed: it runs again' })
  })

  test('an option backOff that fails does not keep a failure from being stored', async () => {
    const database = opened()
    const lines: LogLine[] = []
    const backOff = () => 'soon' as never
    const failing = () => Promise.reject(new Error('failed'))
    const twice = job(name(), {}, failing, { attempts: 2, backOff })
    await twice.enqueue()
    await startRunner(database, {}, recordingLogger(lines))
    await eventually(
      () => lines,
      (found) => found.some(({ message }) => message.startsWith('job')),
    )
    expect(lines).toMatchObject([
      {
        level: 'error',
        message: 'the option backOff of the job failed: the default delay is used',
      },
      { level: 'warn', message: 'job failed: it runs again' },
    ])
    await expect(runJobs()).rejects.toThrow('failed')
    const rows = await rowsOf(database, 'select attempt, dead_at is not null as dead from fw_jobs')
    expect(rows).toEqual([{ attempt: 2, dead: true }])
  })

  test('a job enqueues others in its own transaction', async () => {
    const database = opened()
    const inner = job(name(), {}, () => addEffect(database, 'inner'))
    const outer = job(name(), {}, async (_, { attempt }) => {
      await inner.enqueue()
      if (attempt === 1) throw new Error('failed')
    })
    await outer.enqueue()
    await expect(runJobs()).rejects.toThrow('failed')
    expect(await rowsOf(database, 'select count(*)::int as count from fw_jobs')).toEqual([
      { count: 1 },
    ])
    expect(await runJobs()).toBe(2)
    expect(await effects(database)).toEqual(['inner'])
  })

  test('afterCommit runs after the commit, and not after a rollback', async () => {
    const database = opened()
    const order: string[] = []
    const one = job(name(), {}, async (_, ctx) => {
      ctx.afterCommit(async () => void order.push(`after ${(await jobRows(database)).length}`))
      if (ctx.attempt === 1) throw new Error('failed')
    })
    await one.enqueue()
    await expect(runJobs()).rejects.toThrow('failed')
    await runJobs()
    expect(order).toEqual(['after 0'])
  })

  test('due jobs run by priority, delayed ones later', async () => {
    const database = opened()
    const order: string[] = []
    const one = job(name(), { text: ParamType.String }, ({ text }) => void order.push(text))
    await one.enqueue({ text: 'low' }, { priority: -1 })
    await one.enqueue({ text: 'plain' })
    await one.enqueue({ text: 'high' }, { priority: 5 })
    await one.enqueue({ text: 'later' }, { priority: 9, in: '1 hour' })
    const instant = Temporal.Now.instant().add({ hours: 2 })
    await one.enqueue({ text: 'latest' }, { priority: 9, at: instant })
    await startRunner(database, { concurrency: 1 })
    await eventually(
      () => jobRows(database),
      (rows) => rows.length === 2,
    )
    expect(order).toEqual(['high', 'plain', 'low'])
  })

  test('a job gets the queue and the priority with which it was enqueued', async () => {
    const seen: unknown[] = []
    const note = ({ queue, priority }: JobContext): void => void seen.push({ queue, priority })
    const one = job(name(), {}, (_, ctx) => note(ctx), { queue: 'slow', priority: 2 })
    await one.enqueue()
    await runJobs()
    await one.enqueue({}, { queue: 'fast', priority: -3 })
    await runJobs()
    expect(seen).toEqual([
      { queue: 'slow', priority: 2 },
      { queue: 'fast', priority: -3 },
    ])
  })

  test('a runner runs new jobs at once, several of a queue at a time', async () => {
    const database = opened()
    let running = 0
    let most = 0
    const gate = Promise.withResolvers<void>()
    const slow = job(name(), {}, async () => {
      most = Math.max(most, ++running)
      if (running === 3) gate.resolve()
      await gate.promise
      running--
    })
    await startRunner(database, { pollInterval: '1h', queues: { wide: '3' } })
    await slow.enqueueAll(
      Array.from({ length: 7 }, () => ({})),
      { queue: 'wide' },
    )
    await eventually(
      () => jobRows(database),
      (rows) => rows.length === 0,
    )
    expect(most).toBe(3)
  })

  test('the time limit aborts the signal, and rolls back a handler that ignores it', async () => {
    const database = opened()
    let signal: AbortSignal | undefined
    const endless = job(
      name(),
      {},
      async (_, ctx) => {
        signal = ctx.signal
        await addEffect(database, 'rolled back')
        await new Promise(() => {})
      },
      { timeout: 30, attempts: 1 },
    )
    await endless.enqueue()
    await expect(runJobs()).rejects.toMatchObject({ code: 'jobs.timeout' })
    expect(signal?.aborted).toBe(true)
    expect(await effects(database)).toEqual([])
  })

  test('a stop waits for running jobs, then gives them back without counting the attempt', async () => {
    const database = opened()
    const started = Promise.withResolvers<JobContext>()
    const hanging = job(name(), {}, async (_, ctx) => {
      started.resolve(ctx)
      await new Promise((_resolve, reject) => ctx.signal.addEventListener('abort', reject))
    })
    await hanging.enqueue()
    const runner = await startRunner(database)
    const { signal } = await started.promise
    await runner.close(10)
    expect(signal.aborted).toBe(true)
    expect(await jobRows(database)).toMatchObject([{ attempt: 0, worker: null, error: null }])
  })

  test('a stop gives jobs back that a claim takes meanwhile, without running them', async () => {
    const database = opened()
    const one = job(name(), {}, () => addEffect(database, 'ran'))
    await one.enqueue()
    const runner = await startRunner(database)
    // The first claim has been sent, and its answer has not arrived.
    await runner.close(0)
    expect(await effects(database)).toEqual([])
    expect(await jobRows(database)).toMatchObject([{ attempt: 0, worker: null }])
  })

  test('a stop ends a job after its step, and another process continues there', async () => {
    const database = opened()
    const started = Promise.withResolvers<void>()
    const gate = Promise.withResolvers<void>()
    const long = job(name(), {}, async (_, ctx) => {
      await ctx.step('one', async () => {
        started.resolve()
        await gate.promise
        await addEffect(database, 'one')
      })
      await ctx.step('two', () => addEffect(database, 'two').then(() => {}))
    })
    await long.enqueue()
    const runner = await startRunner(database)
    await started.promise
    const closed = runner.close(60_000)
    gate.resolve()
    await closed
    expect(await effects(database)).toEqual(['one'])
    await startRunner(database)
    await eventually(
      () => jobRows(database),
      (rows) => rows.length === 0,
    )
    expect(await effects(database)).toEqual(['one', 'two'])
  })

  test('a job whose lease has ended is taken by another process, and the first one is rolled back', async () => {
    const database = opened()
    const started = Promise.withResolvers<void>()
    const gate = Promise.withResolvers<void>()
    const one = job(name(), {}, async (_, { attempt }) => {
      if (attempt === 1) {
        started.resolve()
        await gate.promise
      }
      await addEffect(database, `attempt ${attempt}`)
    })
    await one.enqueue()
    const lines: LogLine[] = []
    const first = await startRunner(database, {}, recordingLogger(lines))
    await started.promise
    await rowsOf(database, "update fw_jobs set run_at = run_at - interval '1 minute'")
    const second = await startRunner(database)
    await eventually(
      () => jobRows(database),
      (rows) => rows.length === 0,
    )
    gate.resolve()
    await first.close(1000)
    await second.close(1000)
    expect(await effects(database)).toEqual(['attempt 2'])
    expect(lines.map(({ message }) => message)).toContain('job rolled back: another process has it')
  })

  test('jobs that no code defines stay, and are logged at the start', async () => {
    const database = opened()
    const own = job(name(), {}, () => addEffect(database, 'own'))
    await own.enqueue()
    await rowsOf(database, "update fw_jobs set name = 'removed'")
    await own.enqueue()
    const lines: LogLine[] = []
    await startRunner(database, {}, recordingLogger(lines))
    await eventually(
      () => effects(database),
      (found) => found.length === 1,
    )
    expect(await jobRows(database)).toMatchObject([{ name: 'removed', attempt: 0 }])
    expect(lines[0]).toMatchObject({ level: 'warn', fields: { jobs: ['removed'] } })
  })

  test('each attempt is logged with the job, its id and its error', async () => {
    const database = opened()
    const lines: LogLine[] = []
    const failing = job(name(), {}, (_, { logger }) => {
      logger.info({ own: 1 }, 'working')
      throw new FwError('jobs.timeout', 'late')
    })
    const jobId = await failing.enqueue()
    await startRunner(database, {}, recordingLogger(lines))
    await eventually(
      () => lines,
      (found) => found.some(({ level }) => level === 'warn'),
    )
    expect(lines).toMatchObject([
      { level: 'info', message: 'working', fields: { job: failing.name, jobId, own: 1 } },
      { level: 'warn', message: 'job failed: it runs again', fields: { jobId, attempt: 1 } },
    ])
  })

  test('the error of a handler is logged also if the end of the attempt cannot be stored', async () => {
    const database = opened()
    const lines: LogLine[] = []
    const rename = (from: string, to: string) =>
      rowsOf(database, `alter table ${from} rename to ${to}`)
    onTestFinished(() => rename('hidden', 'fw_jobs').then(() => {}))
    const failing = job(name(), {}, async () => {
      await outsideTransaction(() => rename('fw_jobs', 'hidden'))
      throw new Error('of the handler')
    })
    await failing.enqueue()
    await startRunner(database, {}, recordingLogger(lines))
    const isEnd = ({ message }: LogLine) => message.startsWith('the end of a job')
    await eventually(
      () => lines,
      (found) => found.some(isEnd),
    )
    const own = lines.find(({ message }) => message === 'job failed: it runs again')
    expect(own?.fields['err']).toMatchObject({ message: 'of the handler' })
  })

  test('a job uses currentDatabase and its transaction', async () => {
    const database = opened()
    const one = job(name(), {}, async () => {
      await addEffect(currentDatabase(), 'inside')
      expect(database.state.reserved).toBe(1)
      expect(database.currentTransaction()?.begun).toBe(true)
    })
    await one.enqueue()
    await runJobs()
    expect(await effects(database)).toEqual(['inside'])
  })
})

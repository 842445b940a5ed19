/**
 * Sends writing requests over HTTP while the database fails. Each request is committed completely or not at all, and
 * the next one works.
 */
import { Agent } from 'node:http'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { mix, routes } from '../../src/runtime/controller.ts'
import { currentDatabase, currentTransaction } from '../../src/runtime/db.ts'
import { hasTestServer } from '../../src/runtime/db/test-server.fixture.ts'
import { transaction } from '../../src/runtime/feature.ts'
import {
  loggedCodes,
  emptyDatabase,
  eventually,
  mixingOrders,
  serveData,
  TxFirst,
} from '../support/data-app.ts'
import { PostgresProxy, type ProxyAction } from '../support/postgres-proxy.ts'

const insert = (n: number) =>
  currentDatabase().query({ sql: 'insert into notes values ($1)', parameters: [n] })
const sql = (text: string) => currentDatabase().query({ sql: text, parameters: [] })
const killed = (pid: number) => ({
  sql: 'select pg_terminate_backend($1, 2000)',
  parameters: [pid],
})
async function ownBackend(): Promise<number> {
  const { rows } = await sql('select pg_backend_pid() as pid')
  return rows[0]!['pid'] as number
}

describe.skipIf(!(await hasTestServer()))('a request on PostgreSQL', () => {
  let own: Awaited<ReturnType<typeof emptyDatabase>>

  beforeAll(async () => {
    own = await emptyDatabase([
      'create table notes (n int primary key)',
      'create table links (n int references notes (n) deferrable initially deferred)',
      'create table totals (id int primary key, amount int not null)',
    ])
  })
  beforeEach(async () => {
    await own.direct.query({
      sql: 'truncate notes, links, totals, fw_sessions cascade',
      parameters: [],
    })
  })
  afterAll(() => own.drop())

  const numbers = async () =>
    (
      await own.direct.query<{ n: number }>({
        sql: 'select n from notes order by n',
        parameters: [],
      })
    ).rows.map(({ n }) => n)
  const count = async (table: string) =>
    (
      await own.direct.query<{ c: number }>({
        sql: `select count(*) as c from ${table}`,
        parameters: [],
      })
    ).rows[0]!.c

  /** Checks after a failure that the process responds, the pool is idle and the next request writes. */
  const recovers = async (
    app: Awaited<ReturnType<typeof serveData>>,
    kept: readonly number[] = [],
  ) => {
    await app.idle()
    expect(await app.send('/fine')).toMatchObject({ status: 200, body: 'fine' })
    expect(await numbers()).toEqual([...kept, 99])
    await app.idle()
  }

  const withFine = (controller: typeof TxFirst, action: (c: TxFirst) => unknown) =>
    routes(controller, (r) => ({
      fine: r.get('/fine', async () => {
        await insert(99)
        return 'fine'
      }),
      act: r.get('/act', (c) => action(c)),
    }))

  describe.each(mixingOrders)('with the filter %s', (_order, controller) => {
    test('whose connection is terminated inside the action: 503, nothing is kept', async () => {
      const act = withFine(controller, async (c) => {
        c.session.set('a', '1')
        await insert(1)
        await own.direct.query(killed(await ownBackend()))
        await insert(2)
        return 'written'
      })
      const app = await serveData([act], own.url)
      const answer = await app.send('/act')
      expect(answer.status).toBe(503)
      expect(answer.headers).toMatchObject({ 'retry-after': '1' })
      expect(answer.headers['set-cookie']).toBeUndefined()
      expect(await numbers()).toEqual([])
      expect(await count('fw_sessions')).toBe(0)
      await recovers(app)
    })

    test('whose connection is terminated before COMMIT without an error in the action: 500, nothing is kept', async () => {
      const act = withFine(controller, async () => {
        await insert(1)
        await own.direct.query(killed(await ownBackend()))
        return 'written'
      })
      const app = await serveData([act], own.url)
      expect((await app.send('/act')).status).toBeGreaterThanOrEqual(500)
      expect(loggedCodes(app.lines)).toContain('db.commit-failed')
      await recovers(app)
    })

    test('whose deferred constraint fails at COMMIT: 500, neither rows nor session nor cookie', async () => {
      const act = withFine(controller, async (c) => {
        c.session.set('a', '1')
        c.flash.set('notice', 'Saved')
        await insert(1)
        await sql('insert into links values (7)')
        return c.redirect('/fine')
      })
      const app = await serveData([act], own.url)
      const answer = await app.send('/act')
      expect(answer.status).toBe(500)
      expect(answer.headers.location).toBeUndefined()
      expect(answer.headers['set-cookie']).toBeUndefined()
      expect(loggedCodes(app.lines)).toContain('db.commit-failed')
      expect(await count('fw_sessions')).toBe(0)
      await recovers(app)
    })

    test('that exceeds the time limit of the handler: 503, the statement is cancelled, nothing is kept', async () => {
      const act = withFine(controller, async () => {
        await insert(1)
        await sql('select pg_sleep(30)')
        return 'late'
      })
      const app = await serveData([act], own.url, { handlerTimeout: 500 })
      expect(await app.send('/act')).toMatchObject({ status: 503 })
      await recovers(app)
      await eventually(
        async () =>
          await count(
            "pg_stat_activity where datname = current_database() and query like '%pg_sleep(30)%' and state = 'active' and pid <> pg_backend_pid()",
          ),
      ).toBe(0)
    })

    test('whose action never ends: its connection returns to the pool', async () => {
      const act = withFine(controller, async () => {
        await insert(1)
        await new Promise(() => {})
      })
      const app = await serveData([act], own.url, { handlerTimeout: 500, poolSize: 1 })
      expect(await app.send('/act')).toMatchObject({ status: 503 })
      await recovers(app)
    })

    test('whose client disconnects: nothing is kept, the after filter runs once', async () => {
      const begun = Promise.withResolvers<void>()
      let after = 0
      class Counting extends controller {
        static {
          this.after(() => (after += 1))
        }
      }
      const act = withFine(Counting, async () => {
        await insert(1)
        begun.resolve()
        await sql('select pg_sleep(30)')
        return 'for nobody'
      })
      const app = await serveData([act], own.url)
      const client = new AbortController()
      const asked = app.send('/act', { signal: client.signal })
      await begun.promise
      client.abort()
      await expect(asked).rejects.toThrow()
      await eventually(() => after).toBe(1)
      await app.idle()
      expect(await numbers()).toEqual([])
      await recovers(app)
    })
  })

  test.each([
    { title: 'alone', hasSession: false, end: 'Q' },
    { title: 'with its session under one Sync', hasSession: true, end: 'PBES' },
  ])(
    'whose connection is cut after its COMMIT was sent $title: 500, logged as unknown, never a success',
    async ({ hasSession, end }) => {
      const proxy = new PostgresProxy(own.url)
      let last = 0
      const act = withFine(TxFirst, async (c) => {
        if (hasSession) c.session.set('a', '1')
        await insert((last += 1))
        return c.redirect('/fine')
      })
      const app = await serveData([act], await proxy.listen(), { poolSize: 1 })
      try {
        // The server now knows the statement that stores a session.
        expect(await app.send('/act')).toMatchObject({ status: 302 })
        let sent = ''
        proxy.onClient = (type, text) => {
          if (sent !== '' || /^\0?commit/.test(text)) sent += type
          return sent === end ? 'cut after' : 'pass'
        }
        expect(await app.send('/act')).toMatchObject({ status: 500 })
        expect(sent).toBe(end)
        expect(loggedCodes(app.lines)).toContain('db.commit-outcome-unknown')
        // PostgreSQL has received the COMMIT, but the application cannot know this.
        await eventually(numbers).toEqual([1, 2])
        proxy.onClient = () => 'pass'
        await recovers(app, [1, 2])
      } finally {
        await proxy.close()
      }
    },
  )

  test('sends no byte of the response before the server has confirmed COMMIT', async () => {
    const proxy = new PostgresProxy(own.url)
    const reached = Promise.withResolvers<void>()
    const held = Promise.withResolvers<void>()
    const events: string[] = []
    const act = withFine(TxFirst, async (c) => {
      c.session.set('a', '1')
      await insert(1)
      return c.redirect('/fine')
    })
    const idleRoute = routes(TxFirst, (r) => ({ ping: r.get('/ping', () => 'pong') }))
    const app = await serveData([act, idleRoute], await proxy.listen())
    proxy.onServer = (type, text) => {
      if (type !== 'C' || text !== 'COMMIT') return
      events.push('confirmed')
      reached.resolve()
      return held.promise
    }
    try {
      const answered = app.send('/act').then((answer) => {
        events.push('answered')
        return answer
      })
      await reached.promise
      // While the COMMIT waits, the application responds to another request.
      expect(await app.send('/ping')).toMatchObject({ status: 200, body: 'pong' })
      expect(events).toEqual(['confirmed'])
      held.resolve()
      expect(await answered).toMatchObject({ status: 302, headers: { location: '/fine' } })
    } finally {
      held.resolve()
      await proxy.close()
    }
  })

  describe('cut at each message to the server', () => {
    test.each<{ action: ProxyAction; title: string; isPrepared: boolean }>([
      { action: 'cut before', title: 'in the first request', isPrepared: false },
      { action: 'cut after', title: 'in the first request', isPrepared: false },
      { action: 'cut before', title: 'if its statements are prepared', isPrepared: true },
      { action: 'cut after', title: 'if its statements are prepared', isPrepared: true },
    ])('$action it $title', async ({ action, isPrepared }) => {
      const proxy = new PostgresProxy(own.url)
      const write = withFine(TxFirst, async (c) => {
        c.session.set('a', '1')
        c.flash.set('notice', 'Saved')
        for (const n of [1, 2, 3]) await insert(n)
        await sql('insert into totals values (1, 3)')
        await sql('update totals set amount = amount + 1')
        await currentDatabase().query({
          sql: 'insert into links values ($1)',
          parameters: [1],
          name: 'link',
          explainLate: (error) => error,
        })
        return c.redirect('/fine')
      })
      const app = await serveData([write], await proxy.listen(), { poolSize: 1 })
      const whole = async () => [
        await count('notes'),
        await count('totals where amount = 4'),
        await count('links'),
        await count('fw_sessions'),
        await count('servlet_sessions'),
        (await count('fw_session_attributes')) > 0,
      ]
      const truncate = () =>
        own.direct.query({
          sql: 'truncate notes, links, totals, fw_sessions cascade',
          parameters: [],
        })
      const gone = () =>
        count(
          "pg_stat_activity where datname = current_database() and application_name <> 'observer'",
        )
      let points = 0
      let passed = false
      try {
        while (!passed) {
          await app.database.ping()
          if (isPrepared) {
            expect(await app.send('/act')).toMatchObject({ status: 302 })
            await truncate()
          }
          points += 1
          let left = points
          let hit = false
          proxy.onClient = () => {
            left -= 1
            hit ||= left === 0
            return left === 0 ? action : 'pass'
          }
          const answer = await app.send('/act')
          proxy.onClient = () => 'pass'
          await app.idle()
          if (hit) await eventually(gone).toBe(0)
          const found = await whole()
          const nothing = [0, 0, 0, 0, 0, false]
          const all = [3, 1, 1, 1, 1, true]
          if (hit) expect(answer.status).toBeGreaterThanOrEqual(500)
          else expect(answer).toMatchObject({ status: 302 })
          if (answer.status < 500) expect(found).toEqual(all)
          // The rows of a failed request may exist only if the COMMIT was sent but not confirmed.
          else if (!loggedCodes(app.lines).includes('db.commit-outcome-unknown'))
            expect(found).toEqual(nothing)
          else expect([nothing, all]).toContainEqual(found)
          passed = !hit
          app.lines.length = 0
          await truncate()
        }
        expect(points).toBeGreaterThan(20)
        await recovers(app)
      } finally {
        await proxy.close()
      }
    })
  })

  test('with an exhausted pool: 503 with Retry-After, other routes are unaffected', async () => {
    const release = Promise.withResolvers<void>()
    let holding = 0
    const act = withFine(TxFirst, async () => {
      await insert(1000 + (holding += 1))
      await release.promise
      return 'done'
    })
    const plain = routes(TxFirst, (r) => ({ plain: r.get('/plain', () => 'plain') }))
    const app = await serveData([act, plain], own.url, { poolSize: 2, acquireTimeout: 5000 })
    const asked = Array.from({ length: 10 }, () => app.send('/act'))
    await eventually(() => app.database.state.waiting).toBe(8)
    expect(await app.send('/plain')).toMatchObject({ status: 200 })
    await eventually(() => app.database.state.waiting).toBe(0)
    release.resolve()
    const answers = await Promise.all(asked)
    expect(answers.map(({ status }) => status).sort((a, b) => a - b)).toEqual([
      200,
      200,
      ...Array(8).fill(503),
    ])
    for (const { status, headers } of answers)
      expect(headers['retry-after']).toBe(status === 503 ? '1' : undefined)
    expect(await numbers()).toHaveLength(2)
    await own.direct.query({ sql: 'truncate notes cascade', parameters: [] })
    await recovers(app)
  })

  test('twenty concurrent ones with session and transaction on a pool of one connection all succeed', async () => {
    let next = 0
    const act = withFine(TxFirst, async (c) => {
      const n = (next += 1)
      c.session.set('n', String(n))
      c.flash.set('notice', 'Saved')
      await insert(n)
      return String(n)
    })
    const app = await serveData([act], own.url, { poolSize: 1 })
    const answers = await Promise.all(Array.from({ length: 20 }, () => app.send('/act')))
    expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(200))
    expect(await count('fw_sessions')).toBe(20)
    expect(await numbers()).toHaveLength(20)
    await own.direct.query({ sql: 'truncate notes cascade', parameters: [] })
    await recovers(app)
  })

  test('after a failed one on the same socket and the same connection starts without its state', async () => {
    const seen: unknown[] = []
    const act = withFine(TxFirst, async (c) => {
      c.set('leak', 'yes')
      c.session.set('a', '1')
      await sql("set local statement_timeout = '7s'")
      await insert(1)
      throw new Error('boom')
    })
    const look = routes(TxFirst, (r) => ({
      look: r.get('/look', async (c) => {
        seen.push([...c.ctx.requestScope().keys()], c.session.get('a'), currentTransaction()?.begun)
        const { rows } = await sql(
          "select current_setting('statement_timeout') as limit, (select count(*) from notes) as c",
        )
        return rows[0]
      }),
    }))
    const app = await serveData([act, look], own.url, { poolSize: 1, statementTimeout: 9000 })
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    try {
      expect(await app.send('/act', { agent })).toMatchObject({ status: 500 })
      const answer = await app.send('/look', { agent })
      expect(JSON.parse(answer.body)).toEqual({ limit: '9s', c: 0 })
      expect(seen).toEqual([[], undefined, false])
      expect(app.database.state.open).toBe(1)
    } finally {
      agent.destroy()
    }
    await recovers(app)
  })

  test('in flight when the server stops, with a hanging action: ended at the deadline, rolled back', async () => {
    const begun = Promise.withResolvers<void>()
    const act = withFine(TxFirst, async () => {
      await insert(1)
      begun.resolve()
      await new Promise(() => {})
    })
    const app = await serveData([act], own.url, { isStopped: true })
    const asked = app.send('/act')
    await begun.promise
    await app.app.close(50)
    expect(await asked).toMatchObject({ status: 503 })
    await app.idle()
    expect(await numbers()).toEqual([])
  })

  describe('that the database refuses', () => {
    const refusing = async (action: () => Promise<unknown>, options: object = {}) => {
      const act = withFine(TxFirst, action)
      const app = await serveData([act], own.url, options)
      const answer = await app.send('/act')
      const codes = loggedCodes(app.lines)
      await recovers(app)
      return { status: answer.status, retry: answer.headers['retry-after'], code: codes[0] }
    }

    test('because it is read-only', async () => {
      expect(
        await refusing(async () => {
          await sql('set transaction read only')
          await insert(1)
        }),
      ).toEqual({ status: 503, retry: '1', code: 'db.read-only' })
    })

    test('because a statement exceeds its time limit', async () => {
      expect(await refusing(() => sql('select pg_sleep(9)'), { statementTimeout: 100 })).toEqual({
        status: 503,
        retry: '1',
        code: 'db.statement-timeout',
      })
    })

    test('because a lock is not available', async () => {
      await own.direct.query({ sql: 'insert into totals values (1, 0)', parameters: [] })
      const holder = await own.direct.pool.reserve()
      const notify = holder.begin({})
      await notify
      await holder.query({ sql: 'select * from totals for update', parameters: [] })
      const act = withFine(TxFirst, async () => {
        await sql("set local lock_timeout = '50ms'")
        await sql('update totals set amount = 1')
      })
      const app = await serveData([act], own.url)
      expect(await app.send('/act')).toMatchObject({ status: 503, headers: { 'retry-after': '1' } })
      expect(loggedCodes(app.lines)[0]).toBe('db.lock-timeout')
      await holder.rollback()
      own.direct.pool.release(holder)
      await recovers(app)
    })
  })

  describe('that conflicts with another transaction', () => {
    /** Two concurrent requests read a sum and then write it. Serializable isolation rejects one of them. */
    const transfer = (controller: typeof TxFirst, retries: number | undefined) => {
      const both = Promise.withResolvers<void>()
      let readers = 0
      let runs = 0
      let failures = 0
      const serializable = transaction({
        only: ['act'],
        isolation: 'serializable',
        ...(retries === undefined ? {} : { retries }),
      })
      class Transfer extends mix(controller, serializable) {
        static {
          this.addErrorFilter(() => (failures += 1))
        }
        async act() {
          runs += 1
          this.response.headers.set('X-Run', String(runs))
          this.session.set('by', this.queryParams.get('id') ?? '')
          const { rows } = await sql('select coalesce(max(id), 0) as id from totals')
          if ((readers += 1) === 2) both.resolve()
          await both.promise
          const id = (rows[0]!['id'] as number) + 1
          await currentDatabase().query({
            sql: 'insert into totals values ($1, 0)',
            parameters: [id],
          })
          return String(id)
        }
      }
      const routed = routes(Transfer, (r) => ({
        act: r.get('/transfer', 'act').as('act'),
        fine: r.get('/fine', async () => {
          await insert(99)
          return 'fine'
        }),
      }))
      return { routed, tally: () => ({ runs, failures }) }
    }

    test.each(mixingOrders)(
      'is run again where the route allows it (%s)',
      async (_order, controller) => {
        const { routed, tally } = transfer(controller, 3)
        const app = await serveData([routed], own.url)
        const answers = await Promise.all([app.send('/transfer?id=1'), app.send('/transfer?id=2')])
        expect(answers.map(({ status }) => status)).toEqual([200, 200])
        expect(answers.map(({ body }) => body).sort()).toEqual(['1', '2'])
        expect(tally().runs).toBeGreaterThan(2)
        expect(tally().failures).toBe(0)
        expect(await count('fw_sessions')).toBe(2)
        await recovers(app)
      },
    )

    test('is 503 with Retry-After for a route without retries', async () => {
      const { routed, tally } = transfer(TxFirst, undefined)
      const app = await serveData([routed], own.url)
      const answers = await Promise.all([app.send('/transfer?id=1'), app.send('/transfer?id=2')])
      expect(answers.map(({ status }) => status).sort((a, b) => a - b)).toEqual([200, 503])
      expect(answers.find(({ status }) => status === 503)!.headers['retry-after']).toBe('1')
      expect(tally()).toEqual({ runs: 2, failures: 1 })
      await recovers(app)
    })
  })
})

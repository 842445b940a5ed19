/** Filters › TxPerRequestFilter of the specification, decision 20, and the tables of docs/transactions.md. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { mix, routes } from '../../src/controller.ts'
import { currentDatabase, currentTransaction, outsideTransaction } from '../../src/db.ts'
import { hasTestServer } from '../../src/db/test-server.fixture.ts'
import { HttpError } from '../../src/base.ts'
import { requestTransaction, TxPerRequestFilter } from '../../src/feature.ts'
import { emptyDatabase, mixingOrders, serveData, TxFirst } from '../support/data-app.ts'
import { paramKey, required } from '../../src/validation.ts'

const sql = (text: string) => currentDatabase().query({ sql: text, parameters: [] })
const write = () => sql('insert into notes values (1)')

/** What stands in the first column of the table, and how an action ends so. */
const endings: Readonly<Record<string, (c: TxFirst) => unknown>> = {
  'a value': () => 'value',
  '`halt` below 300': (c) => c.halt(202),
  '`halt` of 3xx': (c) => c.halt({ status: 303, headers: { Location: '/x' } }),
  'a redirect': (c) => c.redirect('/x'),
  '`halt` of 4xx': (c) => c.halt(409),
  'a failed validation': (c) => {
    expect(c.validation(c.params, paramKey('name').is(required)).validate()).toBe(false)
    return 'the form again'
  },
  'an `HttpError` below 500': () => {
    throw new HttpError(422, 'params.invalid', 'no')
  },
  '`halt` of 5xx': (c) => c.halt(503),
  'a status of 5xx': (c) => {
    c.status = 500
    return 'broken'
  },
  'an error that is thrown': () => {
    throw new Error('thrown')
  },
  'a promise that rejects later': () =>
    new Promise((_resolve, reject) => setImmediate(() => reject(new Error('rejected')))),
  'a view that fails': (c) => c.render('/no/such/view' as never),
  'a before filter that throws': () => expect.unreachable(),
  'an after filter that throws': () => 'value',
  'a deferred constraint that fails at COMMIT': async () => {
    await sql('insert into links values (7)')
    return 'value'
  },
  'a query that failed and was swallowed': async () => {
    await sql('select 1 / 0').catch(() => {})
    return 'value'
  },
  '`rollbackTxPerRequest()`': (c) => {
    c.rollbackTxPerRequest()
    return 'value'
  },
  '`pass()`': (c) => c.pass(),
  "the handler's time running out": () => new Promise(() => {}),
  'the client going away': () => new Promise(() => {}),
}

const page = readFileSync(join(import.meta.dirname, '../../docs/transactions.md'), 'utf8')
const section = page.slice(page.indexOf('## What is kept'), page.indexOf('`pass()` undoes'))
const rows = [...section.matchAll(/^\| (.*?) \| *(\d*) *\| (kept|undone) \|$/gm)].map(
  ([, ending, status, outcome]) => ({
    ending: ending!,
    status: status === '' ? undefined : Number(status),
    kept: outcome === 'kept',
  }),
)

test('the page’s table and this one are the same', () => {
  expect(rows.map(({ ending }) => ending)).toEqual(Object.keys(endings))
})

describe.skipIf(!(await hasTestServer()))('a request in a transaction', () => {
  let own: Awaited<ReturnType<typeof emptyDatabase>>

  beforeAll(async () => {
    own = await emptyDatabase([
      'create table notes (n int primary key)',
      'create table links (n int references notes (n) deferrable initially deferred)',
    ])
  })
  beforeEach(async () => {
    await own.direct.query({ sql: 'truncate notes, links', parameters: [] })
  })
  afterAll(() => own.drop())

  const kept = async () =>
    (
      await own.direct.query<{ c: number }>({
        sql: 'select count(*) as c from notes',
        parameters: [],
      })
    ).rows[0]!.c > 0

  describe.each(mixingOrders)('with the filter %s', (_order, controller) => {
    test.each(rows)('$ending: kept is $kept', async ({ ending, status, kept: expected }) => {
      const wrote = Promise.withResolvers<void>()
      class Endings extends controller {
        static {
          if (ending.includes('before filter'))
            this.before(async () => {
              await write()
              throw new Error('before')
            })
          if (ending.includes('after filter'))
            this.after(() => {
              throw new Error('after')
            })
        }
      }
      const routed = routes(Endings, (r) => ({
        next: r.get('/*', () => 'the next one'),
        end: r.get('/end', async (c) => {
          await write()
          wrote.resolve()
          return endings[ending]!(c)
        }),
      }))
      const late = ending.includes('time running out') ? { handlerTimeout: 200 } : {}
      const app = await serveData([routed], own.url, { poolSize: 1, ...late })
      const client = new AbortController()
      const asked = app.ask('/end', { signal: client.signal })
      if (status === undefined) {
        await wrote.promise
        client.abort()
        await expect(asked).rejects.toThrow()
      } else expect((await asked).status).toBe(status)
      await app.idle()
      expect(await kept()).toBe(expected)
    })
  })

  const serveActions = async (
    actions: Readonly<Record<string, (c: TxFirst) => unknown>>,
    configure: (controller: typeof TxFirst) => void = () => {},
    base = TxFirst,
  ) => {
    class Actions extends base {}
    configure(Actions)
    const routed = routes(Actions, (r) =>
      Object.fromEntries(
        Object.entries(actions).map(([name, action]) => [name, r.get(`/${name}`, action).as(name)]),
      ),
    )
    return serveData([routed], own.url)
  }

  test('touches no connection before its first query, and none without one', async () => {
    const app = await serveActions({ quiet: () => 'quiet' })
    const taken = await Promise.all([1, 2].map(() => app.database.pool.reserve()))
    expect(await app.ask('/quiet')).toMatchObject({ status: 200 })
    for (const connection of taken) app.database.pool.release(connection)
  })

  test('afterCommit runs after COMMIT and before the answer, not at all after a rollback', async () => {
    const told: string[] = []
    const app = await serveActions({
      good: async (c) => {
        c.afterCommit(async () => told.push(`good ${await kept()} ${currentTransaction()?.active}`))
        c.afterCommit(() => {
          throw new Error('a mail that fails')
        })
        await write()
        return 'x'
      },
      bad: async (c) => {
        c.afterCommit(() => told.push('bad'))
        await write()
        throw new Error('no')
      },
      bare: (c) => {
        c.afterCommit(() => told.push('bare'))
        return 'x'
      },
    })
    expect(await app.ask('/good')).toMatchObject({ status: 200 })
    expect(told).toEqual(['good true undefined'])
    expect(app.databaseLines.map(({ message }) => message)).toEqual([
      'a callback after commit failed; the commit stands',
    ])
    expect(await app.ask('/bad')).toMatchObject({ status: 500 })
    expect(told).toHaveLength(1)
    expect(await app.ask('/bare')).toMatchObject({ status: 200 })
    expect(told).toEqual(['good true undefined', 'bare'])
  })

  test('is what the routes say: isolation, read only, none; the last one that names a route decides', async () => {
    const look = async () =>
      (
        await sql(
          "select current_setting('transaction_isolation') as i, current_setting('transaction_read_only') as r",
        )
      ).rows[0]
    const app = await serveActions(
      {
        usual: look,
        report: look,
        again: look,
        none: async (c) => {
          c.afterCommit(() => c.response.headers.set('X-Done', 'at once'))
          return { here: currentTransaction() === undefined, ...(await look()) }
        },
      },
      (controller) => {
        requestTransaction(controller, { except: ['usual'] }, { isolation: 'serializable' })
        requestTransaction(
          controller,
          { only: ['report'] },
          { isolation: 'repeatable read', readOnly: true },
        )
        requestTransaction(controller, { only: ['none'] }, 'none')
      },
    )
    const body = async (path: string) => JSON.parse((await app.ask(path)).body)
    expect(await body('/usual')).toEqual({ i: 'read committed', r: 'off' })
    expect(await body('/report')).toEqual({ i: 'repeatable read', r: 'on' })
    expect(await body('/again')).toEqual({ i: 'serializable', r: 'off' })
    expect(await body('/none')).toEqual({ here: true, i: 'read committed', r: 'off' })
    expect((await app.ask('/none')).headers).toMatchObject({ 'x-done': 'at once' })
  })

  test('of a route that is not there stops the start', async () => {
    const started = serveActions({ index: () => 'x' }, (controller) =>
      requestTransaction(controller, { only: ['indx'] }, 'none'),
    )
    await expect(started).rejects.toMatchObject({ code: 'action.unknown-route-name' })
  })

  test('is one, where a subclass mixes the filter in again', async () => {
    class Twice extends mix(TxFirst, TxPerRequestFilter) {}
    const app = await serveActions(
      {
        act: async () => {
          await write()
          return 'x'
        },
      },
      undefined,
      Twice,
    )
    expect(await app.ask('/act')).toMatchObject({ status: 200 })
    expect(await kept()).toBe(true)
  })

  test('streams after the commit, outside the transaction', async () => {
    const seen: unknown[] = []
    const app = await serveActions({
      stream: async (c) => {
        await write()
        return c.stream(async function* () {
          seen.push(currentTransaction(), await kept())
          yield 'chunk'
        })
      },
    })
    expect(await app.ask('/stream')).toMatchObject({ status: 200, body: 'chunk' })
    expect(seen).toEqual([undefined, true])
  })

  test('tells work that was not awaited that it came too late', async () => {
    const late = Promise.withResolvers<unknown>()
    const app = await serveActions({
      careless: async () => {
        await write()
        setTimeout(() => void write().then(late.resolve, late.resolve), 50)
        return 'x'
      },
      careful: async () => {
        await outsideTransaction(() => sql('insert into notes values (2)'))
        throw new Error('rolled back')
      },
    })
    await app.ask('/careless')
    expect(await late.promise).toMatchObject({ code: 'db.transaction-ended' })
    await own.direct.query({ sql: 'truncate notes cascade', parameters: [] })
    expect(await app.ask('/careful')).toMatchObject({ status: 500 })
    expect(await kept()).toBe(true)
  })

  test('has its error page asked outside the transaction', async () => {
    const seen: unknown[] = []
    const app = await serveActions(
      {
        broken: async () => {
          await write()
          throw new Error('no')
        },
      },
      (controller) =>
        controller.addErrorFilter(async () => {
          seen.push(currentTransaction(), (await sql('select count(*) as c from notes')).rows[0])
        }),
    )
    expect(await app.ask('/broken')).toMatchObject({ status: 500 })
    expect(seen).toEqual([undefined, { c: 0 }])
  })
})

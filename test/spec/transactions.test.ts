/** Filters › TxPerRequestFilter of the specification, decision 20, and the tables of docs/transactions.md. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { mix, routes } from '../../src/runtime/controller.ts'
import { currentDatabase, currentTransaction, outsideTransaction } from '../../src/runtime/db.ts'
import { hasTestServer } from '../../src/runtime/db/test-server.fixture.ts'
import { HttpError } from '../../src/runtime/base.ts'
import { transaction, TxPerRequestFilter } from '../../src/runtime/feature.ts'
import { emptyDatabase, mixingOrders, serveData, TxFirst } from '../support/data-app.ts'
import { model } from '../../src/runtime/model.ts'
import { ParamType } from '../../src/runtime/params.ts'
import { PostgresProxy } from '../support/postgres-proxy.ts'
import { paramKey, required } from '../../src/runtime/validation.ts'

const sql = (text: string) => currentDatabase().query({ sql: text, parameters: [] })
const write = () => sql('insert into notes values (1)')

/** First column of the table → an action that ends in this way. */
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
  '`transaction.rollbackOnly()`': (c) => {
    c.transaction.rollbackOnly()
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

test('the table of the page equals this one', () => {
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
      const asked = app.send('/end', { signal: client.signal })
      if (status === undefined) {
        await wrote.promise
        client.abort()
        await expect(asked).rejects.toThrow()
      } else expect((await asked).status).toBe(status)
      await app.idle()
      expect(await kept()).toBe(expected)
    })
  })

  test('a controller that cannot be constructed keeps nothing that it wrote, and no connection', async () => {
    const begin = (): string => {
      write().catch(() => {})
      throw new Error('no value for the field')
    }
    class Broken extends TxFirst {
      readonly field = begin()
    }
    const routed = routes(Broken, (r) => ({ end: r.get('/end', (c) => c.field) }))
    const app = await serveData([routed], own.url, { poolSize: 1 })
    for (let times = 0; times < 2; times++)
      expect(await app.send('/end')).toMatchObject({ status: 500 })
    await app.idle()
    expect(await kept()).toBe(false)
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

  test('uses no connection before its first query, and none without a query', async () => {
    const app = await serveActions({ quiet: () => 'quiet' })
    const taken = await Promise.all([1, 2].map(() => app.database.pool.reserve()))
    expect(await app.send('/quiet')).toMatchObject({ status: 200 })
    for (const connection of taken) app.database.pool.release(connection)
  })

  test('begins with the first write; where reads before it could differ, with the first statement', async () => {
    const Note = model('notes', { n: ParamType.Int }, { primaryKey: 'n' })
    const look = async () => {
      await Note.findAll()
      return String(currentTransaction()!.begun)
    }
    const app = await serveActions(
      {
        usual: look,
        strict: look,
        report: look,
        again: look,
        local: async () => {
          await sql(`set local lock_timeout = '1s'`)
          return look()
        },
        write: async () => {
          const before = await look()
          await write()
          return `${before} ${await look()}`
        },
      },
      undefined,
      mix(
        TxFirst,
        transaction({ only: ['strict'], isolation: 'repeatable read' }),
        transaction({ only: ['report'], readOnly: true }),
        transaction({ only: ['again'], retries: 1 }),
      ),
    )
    await app.database.ping()
    const body = async (path: string) => (await app.send(path)).body
    expect(await body('/usual')).toBe('false')
    for (const path of ['/strict', '/report', '/again', '/local'])
      expect(await body(path)).toBe('true')
    expect(await body('/write')).toBe('false true')
    expect(await kept()).toBe(true)
  })

  test('of reads alone sends no BEGIN, COMMIT or ROLLBACK, however the request ends', async () => {
    const Note = model('notes', { n: ParamType.Int }, { primaryKey: 'n' })
    const proxy = new PostgresProxy(own.url)
    const texts: string[] = []
    proxy.onClient = (type, text) => {
      if (type === 'Q' && /^(begin|commit|rollback)/.test(text)) texts.push(text)
      return 'pass'
    }
    const routed = routes(TxFirst, (r) => ({
      next: r.get('/*', () => 'the next one'),
      end: r.get('/end', async (c) => {
        await Note.findAll()
        await currentDatabase().kysely.selectFrom('notes').selectAll().execute()
        return endings[c.params.get('ending')!]!(c)
      }),
    }))
    const app = await serveData([routed], await proxy.listen())
    try {
      await app.database.ping()
      texts.length = 0
      const statuses: number[] = []
      for (const ending of ['a value', 'a redirect', '`halt` of 5xx', 'an error that is thrown'])
        statuses.push((await app.send(`/end?ending=${encodeURIComponent(ending)}`)).status)
      expect([statuses, texts]).toEqual([[200, 302, 503, 500], []])
    } finally {
      await proxy.close()
    }
  })

  test('afterCommit runs after COMMIT and before the response, and never after a rollback', async () => {
    const told: string[] = []
    const app = await serveActions({
      good: async (c) => {
        c.transaction.afterCommit(async () =>
          told.push(`good ${await kept()} ${currentTransaction()?.active}`),
        )
        c.transaction.afterCommit(() => {
          throw new Error('a mail that fails')
        })
        await write()
        return 'x'
      },
      bad: async (c) => {
        c.transaction.afterCommit(() => told.push('bad'))
        await write()
        throw new Error('no')
      },
      bare: (c) => {
        c.transaction.afterCommit(() => told.push('bare'))
        return 'x'
      },
    })
    expect(await app.send('/good')).toMatchObject({ status: 200 })
    expect(told).toEqual(['good true undefined'])
    expect(app.databaseLines.map(({ message }) => message)).toEqual([
      'a callback after commit failed; the commit stands',
    ])
    expect(await app.send('/bad')).toMatchObject({ status: 500 })
    expect(told).toHaveLength(1)
    expect(await app.send('/bare')).toMatchObject({ status: 200 })
    expect(told).toEqual(['good true undefined', 'bare'])
  })

  test('has the options of its route: isolation, read only, none; the last registration for a route counts', async () => {
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
          c.transaction.afterCommit(() => c.response.headers.set('X-Done', 'at once'))
          return { here: currentTransaction() === undefined, ...(await look()) }
        },
      },
      undefined,
      mix(
        TxFirst,
        transaction({ except: ['usual'], isolation: 'serializable' }),
        transaction({ only: ['report'], isolation: 'repeatable read', readOnly: true }),
        transaction({ only: ['none'], enabled: false }),
      ),
    )
    const body = async (path: string) => JSON.parse((await app.send(path)).body)
    expect(await body('/usual')).toEqual({ i: 'read committed', r: 'off' })
    expect(await body('/report')).toEqual({ i: 'repeatable read', r: 'on' })
    expect(await body('/again')).toEqual({ i: 'serializable', r: 'off' })
    expect(await body('/none')).toEqual({ here: true, i: 'read committed', r: 'off' })
    expect((await app.send('/none')).headers).toMatchObject({ 'x-done': 'at once' })
  })

  test('of an unknown route stops the start', async () => {
    const started = serveActions(
      { index: () => 'x' },
      undefined,
      mix(TxFirst, transaction({ only: ['indx'], enabled: false })),
    )
    await expect(started).rejects.toMatchObject({ code: 'action.unknown-route-name' })
  })

  test('is a single one when a subclass mixes the filter in again', async () => {
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
    expect(await app.send('/act')).toMatchObject({ status: 200 })
    expect(await kept()).toBe(true)
  })

  test('streams after the commit, outside the transaction', async () => {
    const seen: unknown[] = []
    const app = await serveActions({
      stream: async (c) => {
        await write()
        return c.response.stream(async function* () {
          seen.push(currentTransaction(), await kept())
          yield 'chunk'
        })
      },
    })
    expect(await app.send('/stream')).toMatchObject({ status: 200, body: 'chunk' })
    expect(seen).toEqual([undefined, true])
  })

  test('rejects late queries of work that was not awaited', async () => {
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
    await app.send('/careless')
    expect(await late.promise).toMatchObject({ code: 'db.transaction-ended' })
    await own.direct.query({ sql: 'truncate notes cascade', parameters: [] })
    expect(await app.send('/careful')).toMatchObject({ status: 500 })
    expect(await kept()).toBe(true)
  })

  test('runs the queries of the error page outside the transaction', async () => {
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
    expect(await app.send('/broken')).toMatchObject({ status: 500 })
    expect(seen).toEqual([undefined, { c: 0 }])
  })
})

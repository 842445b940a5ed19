/** Session filter and mounting, Session store records of the specification; decisions 21 to 24. */
import { createClient } from '@redis/client'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { SessionStoreFactory } from '../../src/runtime/app.ts'
import {
  type Fw,
  FwApiController,
  FwController,
  microFilter,
  mix,
  routes,
} from '../../src/runtime/controller.ts'
import { useDatabase, type Database } from '../../src/runtime/db.ts'
import { openInMemory } from '../../src/runtime/db/engines.fixture.ts'
import { FwSessionFilter, TxPerRequestFilter } from '../../src/runtime/feature.ts'
import {
  MemoryStore,
  RedisStore,
  SealedCookieStore,
  sessionMigration,
} from '../../src/runtime/session.ts'
import { startWithSessions } from '../support/session-app.ts'

const redisUrl = process.env['REDIS_URL'] ?? 'redis://127.0.0.1:6379'
const redis = createClient({ url: redisUrl, socket: { reconnectStrategy: false } })
redis.on('error', () => {})
const hasRedis = await redis.connect().then(
  () => true,
  () => false,
)
let database: Database

beforeAll(async () => {
  database = await openInMemory()
  for (const sql of sessionMigration.up) await database.query({ sql, parameters: [] })
  await database.query({ sql: 'create table notes (text varchar(64) not null)', parameters: [] })
  await database.query({
    sql: 'create table once (text varchar(64) unique deferrable initially deferred)',
    parameters: [],
  })
  useDatabase(database)
})
afterAll(async () => {
  useDatabase(undefined)
  await database.close()
  redis.destroy()
})

const secret = 'DZb2p0xw3RkT9uVnQmYc7sLhEa1JgXo5'
const stores: readonly (readonly [string, SessionStoreFactory | undefined, boolean])[] = [
  ['database', undefined, true],
  ['process', ({ lifetime }) => new MemoryStore(lifetime), true],
  ['sealed cookie', ({ lifetime, keys }) => new SealedCookieStore(keys, lifetime), true],
  [
    'Redis',
    ({ lifetime }) => new RedisStore(redis, { ...lifetime, prefix: `fw:spec:${process.pid}:` }),
    hasRedis,
  ],
]
const options = (store: SessionStoreFactory | undefined) => ({
  database,
  configuration: { secretKeyBase: secret },
  ...(store === undefined ? {} : { store }),
})

const rows = async (sql: string): Promise<readonly Record<string, unknown>[]> =>
  (await database.query({ sql, parameters: [] })).rows

class TxFirst extends mix(FwController, TxPerRequestFilter, FwSessionFilter) {}
class TxLast extends mix(FwController, FwSessionFilter, TxPerRequestFilter) {}

const insert = (table: string) =>
  database.query({ sql: `insert into ${table} values ('a')`, parameters: [] })

const controllerOf = (controller: typeof TxFirst) =>
  routes(controller, (r) => ({
    put: r.get('/put', (c) => {
      c.fwSession.setAttribute('cart', ['book', 1n])
      c.flash.set('notice', 'Kept')
      return 'put'
    }),
    read: r.get('/read', (c) => ({
      cart: String(c.fwSession.getAttribute('cart')),
      same: String(c.session.get('cart')),
      notice: c.flash.get('notice') ?? '-',
      lost: c.session.get('lost') ?? '-',
    })),
    remove: r.get('/remove', (c) => {
      c.fwSession.removeAttribute('cart')
      return 'removed'
    }),
    login: r.get('/login', (c) => {
      c.session.renewSession()
      c.session.set('userId', 7)
      if (c.params.get('everywhere') !== undefined) c.session.sessionBelongsTo('user:7')
      return 'in'
    }),
    logout: r.get('/logout', (c) => {
      c.session.endSession()
      return 'out'
    }),
    everywhere: r.get('/everywhere', async (c) => {
      return { ended: await c.session.endSessionsOf('user:7', { exceptThis: true }) }
    }),
    user: r.get('/user', (c) => ({ user: c.session.get('userId') ?? '-' })),
    fault: r.get('/fault', async (c) => {
      await insert('notes')
      c.session.set('lost', 1)
      throw new Error('boom')
    }),
    halted: r.get('/halted', async (c) => {
      await insert('notes')
      c.session.set('lost', 1)
      c.cookies.set('remember', 'rotated')
      return c.halt(503)
    }),
    commit: r.get('/commit', async (c) => {
      await insert('once')
      await insert('once')
      c.session.set('lost', 1)
      return 'never'
    }),
    refused: r.get('/refused', (c) => {
      c.session.set('kept', 1)
      return c.halt(401)
    }),
    notice: r.get('/notice', (c) => String(c.flash.get('notice'))),
    aside: r.get('/aside', () => 'aside'),
  }))

const cookieOf = (page: { headers: Headers }) =>
  page.headers.getSetCookie().map((line) => line.split(';', 1)[0]!)
const idOf = (page: { headers: Headers }) => cookieOf(page)[0]?.split('=')[1] ?? ''

for (const [name, store, there] of stores) {
  for (const [order, controller] of [
    ['transaction mixed in first', TxFirst],
    ['transaction mixed in last', TxLast],
  ] as const) {
    describe.skipIf(!there)(`sessions on the ${name}, ${order}`, () => {
      const start = () => startWithSessions([controllerOf(controller)], options(store))

      it('attributes, session and flash share one record over requests', async () => {
        const visitor = (await start()).visitor()
        await visitor.get('/put')
        const read = { cart: 'book,1', same: 'book,1', notice: 'Kept', lost: '-' }
        expect((await visitor.get('/read')).json()).toEqual(read)
        expect((await visitor.get('/notice')).body).toBe('Kept')
        expect((await visitor.get('/read')).json()).toEqual({ ...read, notice: '-' })
        await visitor.get('/remove')
        expect((await visitor.get('/read')).json()).toMatchObject({ cart: 'undefined' })
      })

      it('a page that uses no session sets no cookie and stays in the browser', async () => {
        const app = await start()
        const page = await app.get('/aside')
        expect(page.headers.getSetCookie()).toEqual([])
        expect(page.headers.get('cache-control')).toBe('private, no-cache')
        const used = await app.get('/put')
        expect(used.headers.get('cache-control')).toBe('no-store')
      })

      for (const path of ['/fault', '/halted', '/commit']) {
        it(`${path}: a failed request keeps no change and sets no cookie`, async () => {
          const app = await start()
          const visitor = app.visitor()
          const fresh = await visitor.get(path)
          expect(fresh.status).toBeGreaterThanOrEqual(500)
          expect(fresh.headers.getSetCookie()).toEqual([])
          await visitor.get('/put')
          const failed = await visitor.get(path)
          expect(failed.headers.getSetCookie()).toEqual([])
          expect((await visitor.get('/read')).json()).toMatchObject({
            cart: 'book,1',
            lost: '-',
            notice: 'Kept',
          })
          expect(await rows('select * from notes')).toEqual([])
          expect(await rows('select * from once')).toEqual([])
        })
      }

      it('a halt below 500 keeps the session', async () => {
        const visitor = (await start()).visitor()
        const page = await visitor.get('/refused')
        expect(page.status).toBe(401)
        expect(page.headers.getSetCookie()).toHaveLength(1)
      })

      it('a login changes the id, so an id that an attacker set is invalid', async () => {
        const app = await start()
        const fixed = idOf(await app.get('/put'))
        const headers = { cookie: `fw_session=${fixed}` }
        const renewed = await app.get('/login', { headers })
        expect(idOf(renewed)).not.toBe(fixed)
        const mine = await app.get('/read', { headers: { cookie: cookieOf(renewed)[0]! } })
        expect(mine.json()).toMatchObject({ cart: 'book,1' })
        if (name === 'sealed cookie') return
        expect((await app.get('/user', { headers })).json()).toEqual({ user: '-' })
      })

      it('ids are never adopted: a malformed or unknown one starts a new session', async () => {
        const app = await start()
        for (const id of [
          'A'.repeat(32),
          '../../etc/passwd',
          "' or 1=1 --",
          'x'.repeat(3000),
          '%00',
          'é',
        ]) {
          const page = await app.get('/put', {
            headers: { cookie: `fw_session=${encodeURIComponent(id)}` },
          })
          expect(page.status).toBe(200)
          expect(idOf(page)).not.toBe('')
          expect(idOf(page)).not.toBe(id)
        }
      })

      it.skipIf(name === 'sealed cookie')(
        'logout: the cookie is cleared, and a replay finds nothing',
        async () => {
          const app = await start()
          const cookie = cookieOf(await app.get('/login'))[0]!
          expect((await app.get('/user', { headers: { cookie } })).json()).toEqual({ user: 7 })
          const out = await app.get('/logout', { headers: { cookie } })
          expect(out.headers.getSetCookie()[0]).toMatch(/^fw_session=; Max-Age=0/)
          const replay = await app.get('/user', { headers: { cookie } })
          expect(replay.json()).toEqual({ user: '-' })
          expect((await app.get('/read', { headers: { cookie } })).json()).toMatchObject({
            cart: 'undefined',
          })
        },
      )

      it.skipIf(name === 'sealed cookie')('logs an owner out everywhere but here', async () => {
        const app = await start()
        const visitors = [app.visitor(), app.visitor(), app.visitor()]
        for (const visitor of visitors) await visitor.get('/login?everywhere=1')
        const ended = (await visitors[0]!.get('/everywhere')).json() as { ended: number }
        expect(ended.ended).toBeGreaterThanOrEqual(2)
        expect((await visitors[0]!.get('/user')).json()).toEqual({ user: 7 })
        expect((await visitors[1]!.get('/user')).json()).toEqual({ user: '-' })
      })
    })
  }
}

it.each([
  ['removed by the second page that does not show it', {}, 'undefined'],
  ['kept until a page shows it, by the setting', { sweepUnusedFlashEntries: false }, 'Kept'],
])('a flash value is %s', async (_what, session, notice) => {
  const configuration = { secretKeyBase: secret, session }
  const app = await startWithSessions([controllerOf(TxFirst)], { database, configuration })
  const visitor = app.visitor()
  await visitor.get('/put')
  await visitor.get('/aside')
  await visitor.get('/aside')
  expect((await visitor.get('/notice')).body).toBe(notice)
  expect((await visitor.get('/notice')).body).toBe('undefined')
})

describe('the session tables', () => {
  it('have the columns of the specification', async () => {
    const columns = await rows(
      `select c.relname || '.' || a.attname as name, format_type(a.atttypid, a.atttypmod) as type,
         a.attnotnull as required, pg_get_expr(d.adbin, d.adrelid) as fallback
       from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0
       left join pg_attrdef d on d.adrelid = c.oid and d.adnum = a.attnum
       where c.relname in ('fw_sessions', 'servlet_sessions', 'fw_session_attributes')
       order by c.relname desc, a.attnum`,
    )
    const timestamp = 'timestamp without time zone'
    const sequence = "nextval('fw_sessions_id_seq'::regclass)"
    expect(
      columns.map(({ name, type, required, fallback }) => [name, type, required, fallback]),
    ).toEqual([
      ['servlet_sessions.jsession_id', 'character varying(32)', true, null],
      ['servlet_sessions.fw_session_id', 'bigint', true, null],
      ['servlet_sessions.created_at', timestamp, true, null],
      ['fw_sessions.id', 'bigint', true, sequence],
      ['fw_sessions.created_at', timestamp, true, null],
      ['fw_sessions.expire_at', timestamp, true, null],
      ['fw_session_attributes.fw_session_id', 'bigint', true, null],
      ['fw_session_attributes.attribute_name', 'character varying(128)', true, null],
      ['fw_session_attributes.attribute_value', 'bytea', false, null],
    ])
  })

  it('have the keys and references of the specification', async () => {
    const constraints = await rows(
      `select conrelid::regclass || ' ' || pg_get_constraintdef(oid) as text from pg_constraint
       where contype in ('p', 'f', 'u') and conrelid in
         ('fw_sessions'::regclass, 'servlet_sessions'::regclass, 'fw_session_attributes'::regclass)`,
    )
    const reference = 'FOREIGN KEY (fw_session_id) REFERENCES fw_sessions(id)'
    expect(constraints.map(({ text }) => String(text)).sort()).toEqual([
      `fw_session_attributes ${reference}`,
      'fw_session_attributes UNIQUE (fw_session_id, attribute_name)',
      'fw_sessions PRIMARY KEY (id)',
      `servlet_sessions ${reference}`,
      'servlet_sessions PRIMARY KEY (jsession_id)',
    ])
  })

  it('contain the flash and the forgery token', async () => {
    class Pages extends mix(FwController, FwSessionFilter) {
      static {
        this.protectFromForgery()
      }
      page() {
        this.flash.set('notice', 'Kept')
        this.fwSession.setAttribute('cart', 1)
        return (this.ctx.viewHelper as Fw).csrfToken
      }
      save() {
        return 'saved'
      }
    }
    const pages = routes(Pages, (r) => ({ page: r.get('/', 'page'), save: r.post('/', 'save') }))
    for (const table of ['fw_session_attributes', 'servlet_sessions'])
      await rows(`delete from ${table}`)
    const app = await startWithSessions([pages], { database })
    const visitor = app.visitor()
    const token = (await visitor.get('/')).body
    const names = async () =>
      (await rows('select attribute_name as name from fw_session_attributes order by 1')).map(
        ({ name }) => name,
      )
    expect(await names()).toEqual(['cart', 'csrf-token', 'flash:notice'])
    const post = () => visitor.post('/', { form: { 'csrf-token': token } })
    expect((await post()).body).toBe('saved')
    await rows("delete from fw_session_attributes where attribute_name = 'csrf-token'")
    expect((await post()).status).toBe(403)
  })
})

describe('a controller without a session feature', () => {
  class Api extends FwApiController {}
  const attempts = {
    set: (c: FwApiController) => c.session.set('a', 1),
    delete: (c: FwApiController) => c.session.delete('a'),
    flash: (c: FwApiController) => c.ctx.flash.set('notice', 'x'),
    renew: (c: FwApiController) => c.session.renewSession(),
    end: (c: FwApiController) => c.session.endSession(),
    owner: (c: FwApiController) => c.session.sessionBelongsTo('1'),
  }
  const codeOf = (work: () => void): string => {
    try {
      work()
      return 'none'
    } catch (error) {
      expect((error as Error).message).toContain('FwSessionFilter')
      return (error as { code: string }).code
    }
  }
  const names = Object.keys(attempts) as (keyof typeof attempts)[]
  const api = routes(Api, (r) => ({
    try: r.get('/api/:name', (c) =>
      codeOf(() => attempts[c.params.get('name') as keyof typeof attempts](c)),
    ),
    read: r.get('/read', (c) => String(c.session.get('a'))),
  }))
  const passing = microFilter((r) => ({
    first: r.get('/passed', (c) => {
      c.session.get('a')
      return c.pass()
    }),
  }))
  class Pages extends mix(FwController, FwSessionFilter) {}
  const pages = routes(Pages, (r) => ({
    passed: r.get('/passed', (c) => {
      c.session.set('a', 1)
      return 'set'
    }),
  }))

  it.each(names)('refuses a change that would be lost: %s', async (name) => {
    const client = await startWithSessions([api], {
      store: () => new MemoryStore(),
      database: false,
    })
    expect((await client.get(`/api/${name}`)).body).toBe('session.not-saved')
  })

  it('may read, and pass the request to a controller with sessions', async () => {
    const client = await startWithSessions([api, passing, pages], {
      store: () => new MemoryStore(),
      database: false,
    })
    expect((await client.get('/read')).body).toBe('undefined')
    expect((await client.get('/passed')).body).toBe('set')
  })
})

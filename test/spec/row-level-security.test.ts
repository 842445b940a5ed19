/** `rowLevelSecurity`: a request sees the rows of its tenant in every way in which it can read rows. */
import { createHash, randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { FwApiController, FwController, mix, routes } from '../../src/runtime/controller.ts'
import { currentDatabase, outsideTransaction } from '../../src/runtime/db.ts'
import { hasTestServer, runOnServer } from '../../src/runtime/db/test-server.fixture.ts'
import {
  authenticateBearer,
  ErrorPageFilter,
  FwSessionFilter,
  JsonParamsFeature,
  rowLevelSecurity,
  transaction,
  TxPerRequestFilter,
} from '../../src/runtime/feature.ts'
import { HttpError } from '../../src/runtime/base.ts'
import { belongsTo, hasMany, model } from '../../src/runtime/model.ts'
import { ParamType, permitValues } from '../../src/runtime/params.ts'
import { emptyDatabase, loggedCodes, serveData, type TxFirst } from '../support/data-app.ts'
import { canStartPgbouncer, startPgbouncer } from '../support/pgbouncer.ts'

const setting = "nullif(current_setting('app.tenant', true), '')::int"

const createSchema = (role: string) => [
  'create table folders (id serial primary key, tenant int not null, name text not null)',
  `create table notes (id serial primary key, tenant int not null default ${setting},
    folder_id int references folders, text text not null unique)`,
  ...['folders', 'notes'].flatMap((table) => [
    `alter table ${table} enable row level security`,
    `create policy own on ${table} using (tenant = ${setting})`,
  ]),
  `insert into folders (tenant, name) values (1, 'inbox of 1'), (2, 'inbox of 2')`,
  `insert into notes (tenant, folder_id, text) select t, t, 'note ' || n || ' of ' || t
    from generate_series(1, 2) t, generate_series(1, 5) n`,
  `grant select, insert, update, delete on all tables in schema public to ${role}`,
  `grant usage on all sequences in schema public to ${role}`,
]

const Folder = model('folders', { id: ParamType.Int, name: ParamType.String })
const Note = model('notes', {
  id: ParamType.Int,
  folderId: ParamType.optional(ParamType.Int),
  text: ParamType.String,
})
const notesOfFolder = hasMany(Folder, Note, 'folderId')
const folderOfNote = belongsTo(Note, 'folderId', Folder)

const sql = (text: string) =>
  currentDatabase().query<Record<string, unknown>>({ sql: text, parameters: [] })
const texts = (rows: readonly object[]) => rows.map((row) => (row as { text: string }).text)
const find = async () => texts(await Note.where('id', '>', 0).orderBy('id').findAll())
const readAll = async () => {
  const found: string[] = []
  for await (const { text } of Note.where('id', '>', 0).orderBy('id').stream({ batchSize: 2 }))
    found.push(text)
  return found
}
const turn = () => new Promise<void>((resolve) => setImmediate(resolve))
let added = 0
const add = () =>
  Note.createWithPermittedAttributes(permitValues({ text: `added ${++added}` }, 'text'))

type Way = (c: TxFirst) => unknown

/** The ways in which a request can read rows. The result contains the texts that it has found. */
const ways: Readonly<Record<string, Way>> = {
  model: find,
  raw: async () => texts((await sql('select text from notes')).rows),
  kysely: async () =>
    texts(await currentDatabase().kysely.selectFrom('notes').selectAll().execute()),
  relations: async () => {
    const folders = await Folder.include({ notes: notesOfFolder }).findAll()
    return folders.flatMap(({ name, notes }) => [name, ...texts(notes)])
  },
  parents: async () =>
    (await Note.include({ folder: folderOfNote }).findAll()).map(({ folder }) => folder!.name),
  parallel: async () => (await Promise.all([find(), find(), find()])).flat(),
  kyselyTransaction: async () =>
    currentDatabase()
      .kysely.transaction()
      .execute(async (inner) => texts(await inner.selectFrom('notes').selectAll().execute())),
  cursor: readAll,
  outside: () => outsideTransaction(find),
  afterCommit: async (c) => {
    await sql('select 1')
    c.transaction.afterCommit(async () => {
      c.response.headers.set('X-Found', (await find()).join())
    })
    return 'done'
  },
  nothingToCommit: (c) => {
    c.transaction.afterCommit(async () => {
      c.response.headers.set('X-Found', (await find()).join())
    })
    return 'done'
  },
  stream: (c) =>
    c.response.stream(async function* () {
      for (let at = 0; at < 2; at++) {
        await turn()
        yield `${(await find()).join()}\n`
      }
      yield (await readAll()).join()
    }),
  rows: (c) =>
    c.response.stream(async function* () {
      for await (const { text } of Note.where('id', '>', 0).orderBy('id').stream({ batchSize: 2 }))
        yield `${text}\n`
    }),
  events: (c) =>
    c.response.sse(async function* () {
      for (let at = 0; at < 2; at++) {
        await turn()
        yield (await find()).join()
      }
    }),
  writer: (c) =>
    c.response.withOutputStream(async (out) => {
      await out.writeChunk('first')
      await turn()
      await out.writeChunk((await find()).join())
    }),
  errorPage: async () => {
    throw new RangeError('shows the notes')
  },
  report: find,
  reportOfCursor: readAll,
  strict: find,
  again: find,
  bare: async () => [...(await find()), ...(await currentDatabase().transaction(find))],
  detached: (c) => {
    const late = Promise.withResolvers<readonly string[]>()
    detached.set(c.params.get('visitor')!, late.promise)
    const lateFind = () => outsideTransaction(find)
    void lateFind().then(turn).then(turn).then(lateFind).then(late.resolve, late.reject)
    return 'done'
  },
}
const detached = new Map<string, Promise<readonly string[]>>()

const written: Readonly<Record<string, Way>> = {
  write: async () => {
    await add()
    return find()
  },
  savepoint: async () => {
    const database = currentDatabase()
    const undone = async (work: () => Promise<unknown>) => {
      const failing = database.transaction(async () => {
        await work()
        throw new Error('undone')
      })
      await failing.catch(() => {})
    }
    await undone(add)
    const before = await find()
    await add()
    await undone(add)
    await undone(() => sql('select 1 / 0'))
    return [...before, ...(await find())]
  },
}
for (const [name, way] of Object.entries(written))
  Object.assign(ways, {
    [name]: async (c: TxFirst) => {
      c.transaction.rollbackOnly()
      const found = (await way(c)) as string[]
      return found.map((text) =>
        text.replace(/^added.*/, ` of ${c.session.get('tenant') as number}`),
      )
    },
  })

const security = rowLevelSecurity({
  'app.tenant': (c) => c.session.getAs('tenant', ParamType.Int),
})
const options = [
  transaction({ only: ['report', 'reportOfCursor'], readOnly: true }),
  transaction({ only: ['strict'], isolation: 'serializable', retries: 3 }),
  transaction({ only: ['again'], retries: 1 }),
  transaction({ only: ['bare'], enabled: false }),
] as const
const orders = {
  'mixed in first': mix(
    mix(FwApiController, security),
    TxPerRequestFilter,
    FwSessionFilter,
    ErrorPageFilter,
    ...options,
  ),
  'mixed in last': mix(
    mix(FwController, TxPerRequestFilter, FwSessionFilter, ErrorPageFilter, ...options),
    security,
  ),
}

function createRoutes(controller: (typeof orders)[keyof typeof orders]) {
  const Base = controller as (typeof orders)['mixed in last']
  class Pages extends Base {
    static {
      this.error(RangeError, async () => (await find()).join())
      this.notFound(async () => (await find()).join())
    }
    logIn() {
      this.session.set('tenant', this.params.getAs('tenant', ParamType.Int)!)
      return 'in'
    }
  }
  return routes(Pages, (r) => ({
    logIn: r.post('/login/:tenant', 'logIn'),
    ...Object.fromEntries(
      Object.entries(ways).map(([name, way]) => [
        `${name}Url`,
        r.get(`/${name}`, way as never).as(name),
      ]),
    ),
  }))
}

describe.skipIf(!(await hasTestServer()))('on a server', () => {
  const role = `fw_app_${process.pid}_${randomBytes(4).toString('hex')}`
  let own: Awaited<ReturnType<typeof emptyDatabase>>
  let url: string

  beforeAll(async () => {
    await runOnServer(`create role ${role} login password 'fw'`)
    own = await emptyDatabase(createSchema(role))
    const as = new URL(own.url)
    as.username = role
    as.password = 'fw'
    url = as.href
  })
  afterAll(async () => {
    await own.drop()
    await runOnServer(`drop role ${role}`)
  })

  type App = Awaited<ReturnType<typeof serveData>>

  const logIn = async (app: App, tenant: number) => {
    const headers = { 'sec-fetch-site': 'same-origin' }
    const response = await app.send(`/login/${tenant}`, { method: 'POST', headers })
    return { cookie: response.headers['set-cookie']!.map((one) => one.split(';')[0]).join('; ') }
  }

  /** Requests a page, and returns the tenants of the rows that it shows. */
  const tenantsOn = async (app: App, name: string, headers: Record<string, string>) => {
    const visitor = randomBytes(8).toString('hex')
    const page = await app.send(`/${name}?visitor=${visitor}`, { headers })
    const late = (await detached.get(visitor)) ?? []
    const body = `${page.body}${String(page.headers['x-found'])}${late.join()}`
    return { status: page.status, tenants: body.match(/(?<= of )\d/g) ?? [] }
  }

  /** On a busy machine, 40 visitors wait longer for a connection than the default. */
  const acquireTimeout = 60_000
  const setups = {
    directly: () => Promise.resolve({ url, options: { poolSize: 4, acquireTimeout } }),
    'with a replica': () =>
      Promise.resolve({
        url,
        options: {
          poolSize: 3,
          acquireTimeout,
          replicas: { urls: [url], primaryAfterWrite: 0 },
          // The connections to the replica stay open.
          isStopped: true,
        },
      }),
    ...(canStartPgbouncer && {
      'behind pgbouncer': async () => {
        const pooler = await startPgbouncer(url, 3)
        onTestFinished(() => pooler.stop())
        return { url: `${pooler.url}?pgbouncer=true`, options: { poolSize: 6, acquireTimeout } }
      },
    }),
  }

  describe.each(Object.entries(orders))('the trait %s', (_order, Base) => {
    test.each(Object.entries(setups))(
      '40 visitors of two tenants at once see their own rows, %s',
      async (_name, setUp) => {
        const { url: target, options: pool } = await setUp()
        const app = await serveData([createRoutes(Base)], target, pool)
        const visit = async (_: unknown, at: number) => {
          const tenant = 1 + (at % 2)
          const headers = await logIn(app, tenant)
          const names = Object.keys(ways)
          for (let step = 0; step < names.length; step++) {
            const name = names[(step * 7 + at) % names.length]!
            const { status, tenants } = await tenantsOn(app, name, headers)
            expect([name, status]).toEqual([name, name === 'errorPage' ? 500 : 200])
            expect([name, tenants.length >= 5, ...new Set(tenants)]).toEqual([
              name,
              true,
              String(tenant),
            ])
          }
        }
        await Promise.all(Array.from({ length: 40 }, visit))
        // A visitor without a tenant sees nothing, also on connections that others have used.
        for (const name of Object.keys(ways)) {
          const { status, tenants } = await tenantsOn(app, name, {})
          const isRefused = name === 'errorPage' || name in written
          expect([name, status, tenants]).toEqual([name, isRefused ? 500 : 200, []])
        }
        const { replicas } = app.database
        if (replicas !== undefined) expect(replicas.outcomes.replica).toBeGreaterThan(40)
      },
      120_000,
    )
  })

  test('the function gets the controller, with what its filters have found', async () => {
    const hash = createHash('sha256').update('secret').digest('hex')
    const owners = new Map([[hash, { tenant: 2 }]])
    class Api extends mix(
      FwApiController,
      authenticateBearer({ find: (hash) => owners.get(hash) }),
      rowLevelSecurity({
        'app.tenant': (c: { readonly bearer: { tenant: number } }) => c.bearer.tenant,
      }),
    ) {}
    class Hosts extends mix(
      FwController,
      rowLevelSecurity({ 'app.tenant': (c: { readonly tenant?: number | undefined }) => c.tenant }),
    ) {
      tenant: number | undefined
      static {
        this.before(async (c: Hosts) => {
          const { rows } = await sql('select count(*)::int as n from notes')
          c.tenant = Number(c.queryParams.get('host')) + Number(rows[0]!['n'])
        })
      }
    }
    const app = await serveData(
      [
        routes(Api, (r) => ({ api: r.get('/api', find) })),
        routes(Hosts, (r) => ({ hosts: r.get('/hosts', find) })),
      ],
      url,
    )
    const headers = { authorization: 'Bearer secret' }
    expect([...new Set((await tenantsOn(app, 'api', headers)).tenants)]).toEqual(['2'])
    const { body } = await app.send('/hosts?host=1')
    expect([...new Set(body.match(/(?<= of )\d/g))]).toEqual(['1'])
  })

  test('the function may refuse the request, and fallback handlers have the settings too', async () => {
    class Pages extends mix(
      FwController,
      FwSessionFilter,
      rowLevelSecurity({
        'app.tenant': (c) => {
          if (!c.session.has('tenant'))
            throw new HttpError(403, 'feature.forged-request', 'no tenant')
          return c.session.getAs('tenant', ParamType.Int)
        },
      }),
    ) {
      static {
        this.notFound(async () => (await find()).join())
      }
      logIn() {
        this.session.set('tenant', Number(this.params.get('tenant')))
        return 'in'
      }
    }
    const pages = routes(Pages, (r) => ({
      logIn: r.post('/login/:tenant', 'logIn'),
      find: r.get('/find', find),
      quiet: r.get('/quiet', (c) => c.response.stream(new Response('x').body!)),
    }))
    const app = await serveData([pages], url)
    expect(await app.send('/find')).toMatchObject({ status: 403 })
    expect(await app.send('/quiet')).toMatchObject({ status: 200, body: 'x' })
    const headers = await logIn(app, 2)
    expect(await tenantsOn(app, 'none', headers)).toMatchObject({
      status: 404,
      tenants: Array(5).fill('2'),
    })
  })

  describe('a request that is refused before its session is read', () => {
    const failing = async (c: object) => ({
      seen: await find(),
      role: (await sql('select current_user::text as role')).rows[0]!['role'],
      from: c.constructor.name,
    })
    const refused = async (settings: Parameters<typeof rowLevelSecurity<FwController>>[0]) => {
      class Pages extends mix(
        FwController,
        JsonParamsFeature,
        FwSessionFilter,
        rowLevelSecurity<FwController>(settings),
      ) {
        static {
          this.error(HttpError, async (_error, c) => c.response.json(await failing(c)))
        }
      }
      const pages = routes(Pages, (r) => ({ add: r.post('/add', (c) => c.params.get('a')) }))
      const app = await serveData([pages], own.url)
      const headers = { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin' }
      const response = await app.send('/add', { method: 'POST', headers, body: '{' })
      return { ...response, logged: loggedCodes(app.lines) }
    }

    test('shows no rows, and its statements have the constants', async () => {
      const response = await refused({ role, 'app.tenant': () => 1 })
      expect(JSON.parse(response.body)).toEqual({ seen: [], role, from: 'Pages' })
    })

    test('has the rows that constants admit', async () => {
      const response = await refused({ role, 'app.tenant': 2 })
      expect(JSON.parse(response.body)).toMatchObject({
        seen: Array(5).fill(expect.stringContaining(' of 2')),
      })
    })

    test('sends no statement if the role is unknown', async () => {
      const response = await refused({ role: () => role, 'app.tenant': 2 })
      expect(response.status).toBe(400)
      expect(response.body).not.toContain(' of ')
      expect(response.logged).toContain('db.parameter-invalid')
    })
  })

  test('the look-up of a bearer token has no settings, also if the role depends on its result', async () => {
    class Api extends mix(
      FwApiController,
      authenticateBearer({
        find: async () => ({ seen: (await find()).length, role }),
      }),
      rowLevelSecurity({
        role: (c: { readonly bearer: { role: string } }) => c.bearer.role,
        'app.tenant': 2,
      }),
    ) {}
    const api = routes(Api, (r) => ({
      api: r.get('/api', async (c) => ({ looked: c.bearer.seen, seen: (await find()).length })),
    }))
    const app = await serveData([api], own.url)
    const { body } = await app.send('/api', { headers: { authorization: 'Bearer secret' } })
    expect(JSON.parse(body)).toEqual({ looked: 10, seen: 5 })
  })

  test('a name that is no setting stops the start', () => {
    expect(() => rowLevelSecurity({ tenant: () => 1 })).toThrow("'tenant' is not the name")
  })
})

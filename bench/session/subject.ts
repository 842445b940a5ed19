/** A server that increments a counter in the session: `node subject.ts NAME DATABASE_URL`. Prints its port. */
import type { AddressInfo } from 'node:net'
import { createServer, type Server } from 'node:http'
import {
  createApp,
  FwApiController,
  FwConfig,
  FwController,
  FwLifeCycle,
  FwSessionFilter,
  FwSessionInitializer,
  MemoryStore,
  mix,
  routes,
  type Logger,
  type ServletContext,
} from 'fwjs'
import { ApplicationController } from '../generated-controller.ts'

const [name = '', url = ''] = process.argv.slice(2)
const secret = 'x'.repeat(32)
const logger: Logger = { debug() {}, info() {}, warn() {}, error() {} }

/** Imports a package without types. */
const untyped = async (name: string): Promise<{ readonly default: never }> => import(name)

/** The store of connect-pg-simple, for both express-session and @fastify/session. */
async function pgStore(session: unknown): Promise<unknown> {
  const connect: (session: unknown) => new (options: object) => object = (
    await untyped('connect-pg-simple')
  ).default
  const Store = connect(session)
  return new Store({ conString: url, createTableIfMissing: true })
}

type Base = typeof FwController

async function fw(on: 'database' | 'process', Base: Base): Promise<number> {
  class Counter extends Base {
    index() {
      const count = Number(this.session.get('count') ?? 0) + 1
      this.session.set('count', count)
      return `${count}`
    }
  }
  const counter = routes(Counter, (r) => ({
    index: r.get('/', 'index'),
  }))
  class Boot extends FwLifeCycle {
    override initFwApp(ctx: ServletContext): void {
      if (on === 'database') new FwSessionInitializer().mount(ctx)
      else new FwSessionInitializer(({ lifetime }) => new MemoryStore(lifetime)).mount(ctx)
      counter.mount(ctx)
    }
  }
  return listen(new Boot(), on === 'database' ? { db: { default: { url } } } : {})
}

async function listen(boot: FwLifeCycle, settings: object): Promise<number> {
  const configuration = FwConfig.from({ ...settings, compression: { enabled: false } })
  const app = await createApp(boot, { logger, configuration })
  return (await app.listen(0)).port
}

async function express(): Promise<number> {
  const { default: expressApp } = await import('express')
  const session: (options: object) => never = (await untyped('express-session')).default
  const app = expressApp()
  app.use(
    session({ secret, resave: false, saveUninitialized: false, store: await pgStore(session) }),
  )
  app.get('/', (request, response) => {
    const kept = (request as unknown as { session: { count?: number } }).session
    kept.count = (kept.count ?? 0) + 1
    response.type('html').send(String(kept.count))
  })
  return listening(createServer(app))
}

async function fastify(withDatabase: boolean): Promise<number> {
  const { default: make } = await import('fastify')
  const { default: cookie } = await import('@fastify/cookie')
  const { default: session } = await import('@fastify/session')
  const app = make()
  await app.register(cookie)
  const store = withDatabase
    ? {
        store: (await pgStore((await untyped('express-session')).default)) as never,
      }
    : {}
  await app.register(session, {
    secret,
    cookie: { secure: false },
    saveUninitialized: false,
    ...store,
  })
  app.get('/', (request, reply) => {
    const kept = request.session as unknown as { count?: number }
    kept.count = (kept.count ?? 0) + 1
    void reply.type('text/html').send(String(kept.count))
  })
  await app.listen({ port: 0, host: '127.0.0.1' })
  return (app.server.address() as AddressInfo).port
}

function listening(server: Server): Promise<number> {
  return new Promise((resolve) =>
    server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port)),
  )
}

/** The same response from a controller with sessions and one without, to a visitor without a session. */
function fwGreeting(withSession: boolean): Promise<number> {
  class Bare extends FwApiController {
    index() {
      return 'hello'
    }
  }
  class Greeting extends mix(FwApiController, FwSessionFilter) {
    index() {
      return 'hello'
    }
  }
  const controller = withSession
    ? routes(Greeting, (r) => ({ index: r.get('/', 'index') }))
    : routes(Bare, (r) => ({ index: r.get('/', 'index') }))
  class Boot extends FwLifeCycle {
    override initFwApp(ctx: ServletContext): void {
      controller.mount(ctx)
    }
  }
  return listen(new Boot(), {})
}

const subjects: Readonly<Record<string, () => Promise<number>>> = {
  'fw, database': () => fw('database', FwController),
  'fw, generated': () => fw('database', ApplicationController),
  'fw, process': () => fw('process', FwController),
  'fw, no cookie': () => fwGreeting(true),
  'fw, no session': () => fwGreeting(false),
  'express-session, connect-pg-simple': express,
  '@fastify/session, connect-pg-simple': () => fastify(true),
  '@fastify/session, process': () => fastify(false),
}
const port = await subjects[name]!()
process.stdout.write(`${port}\n`)

/** The program of the process that runs the application for `fw run`: started ahead, told when to begin, gone with its parent. */
import { flushCompileCache } from 'node:module'
import type { Socket } from 'node:net'
import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import type { FwContext } from '../action.ts'
import { generateSources, startApplication, type Application } from '../app.ts'
import { isPromise, LogSink, prettyLogger, redacted } from '../base.ts'
import { loadConfiguration } from '../config.ts'
import { useEmbeddedHost } from '../db.ts'
import { describeError, LiveReload, targetWithoutSecrets } from '../dev.ts'
import type { Handler, HttpRequest, HttpResponse } from '../http.ts'
import { OpenApiPages } from '../openapi.ts'
import { App } from '../server.ts'
import { MemoryStore } from '../session.ts'
import type { Beginning, Order, Told } from './application-process.ts'
import { withPlace } from './find-syntax-error.ts'
import { loadLifeCycle } from './load-life-cycle.ts'
import { enclosed, unclosed } from './process-line.ts'
import { stripTypes } from './strip-types.ts'

/** The twins of templates are for editors and `fw check`: they are written when nobody waits. */
const generateAfter = 200

const sink = new LogSink(process.stdout)
const logger = prettyLogger(sink.write, { colour: process.stdout.isTTY, level: 'info' })
let root = process.cwd()
let running: { readonly app: App; readonly reload: LiveReload } | undefined

const tell = (told: Told): Promise<void> =>
  new Promise((resolve) => {
    if (process.connected) process.send!(enclosed(told), () => resolve())
    else resolve()
  })

/** What each request has come to: the line of its answer asks which routes were tried. */
const contexts = new WeakMap<HttpRequest, FwContext>()

/** One line for each request. */
function logged(handle: Handler): Handler {
  return (request) => {
    const start = performance.now()
    const log = (response: HttpResponse): HttpResponse => {
      const { method } = request
      const line = `${method} ${shownTarget(request)} ${response.status}`
      logger.info({ millis: Math.round(performance.now() - start) }, line)
      return response
    }
    const answer = handle(request)
    return isPromise(answer) ? answer.then(log) : log(answer)
  }
}

/** What a route calls a secret, its parameters tell; a target that no request may have is no route's, and not shown. */
function shownTarget(request: HttpRequest): string {
  const ctx = contexts.get(request)
  return ctx === undefined ? redacted : targetWithoutSecrets(request.target, ctx)
}

function aboutOf({ database, configuration }: Application): string {
  const environment = configuration.env.name
  if (database === undefined) return `${environment}, no database`
  return database.engine === 'pglite'
    ? `${environment}, embedded PostgreSQL in ${configuration.string('db.default.folder') ?? 'db/data'}`
    : `${environment}, PostgreSQL`
}

/** The routes stay those of the application, which come and go. */
const withHandler = (application: Application, handle: Handler): Application =>
  Object.create(application, { handle: { value: handle } }) as Application

async function begin({ root: folder, secret, sessions }: Beginning): Promise<void> {
  root = folder
  try {
    const configuration = loadConfiguration({ root })
    const lifeCycle = await loadLifeCycle(root)
    const application = await startApplication(lifeCycle, {
      root,
      configuration,
      logger,
      migrate: true,
      keepFaults: true,
      secret,
      onRequest: (ctx) => void contexts.set(ctx.request.http, ctx),
    })
    const { store } = application.sessions
    if (store instanceof MemoryStore) store.restore(sessions)
    const reload = new LiveReload([join(root, 'src/main/webapp')])
    const handle = reload.wrap(logged(new OpenApiPages(application).wrap(application.handle)))
    running = { app: new App(withHandler(application, handle)), reload }
    await tell({ ready: { about: aboutOf(application) } })
    setTimeout(generateLater, generateAfter).unref()
  } catch (error) {
    await tell({ failed: describeError(withPlace(error, root), root) })
  }
}

function generateLater(): void {
  try {
    generateSources(root)
  } catch (error) {
    logger.warn({ err: error }, 'the types of templates, messages and settings were not generated')
  }
}

async function stop(grace: number | undefined): Promise<void> {
  await tell({ stopping: true })
  running?.reload.close()
  try {
    await running?.app.close(grace)
  } catch (error) {
    logger.error({ err: error }, 'closing failed')
    process.exitCode = 1
  }
  const store = running?.app.application.sessions.store
  if (store instanceof MemoryStore) await tell({ sessions: store.records() })
  await sink.flush()
  process.exit()
}

async function failed(error: unknown): Promise<void> {
  logger.error({ err: error }, 'the application has ended: nothing caught this error')
  await tell({ failed: describeError(error, root) })
  await sink.flush()
  process.exit(1)
}

function follow(order: Order, socket: Socket | undefined): void {
  if ('begin' in order) void begin(order.begin)
  else if ('stop' in order) void stop(order.stop.grace)
  else if ('take' in order && socket !== undefined) {
    void tell({ taken: order.take })
    if (running === undefined) socket.destroy()
    else running.app.take(socket)
  }
}

process.on('message', (message, socket) => {
  const order = unclosed(message)
  if (order !== undefined) follow(order as Order, socket as Socket | undefined)
})
// Ctrl-C reaches every process of the terminal; the parent says when to stop.
process.on('SIGINT', () => {})
process.on('SIGTERM', () => {})
process.on('disconnect', () => process.exit())
process.on('uncaughtException', (error) => void failed(error))
useEmbeddedHost({
  send: (message) => void (process.connected && process.send!(enclosed(message))),
  onMessage: (listener) => void process.on('message', (message) => listener(unclosed(message))),
})
// The application will import it: what is loaded ahead costs no time at a restart.
await import('../index.ts')
// Node loads what reads TypeScript with the first file that it has not in its cache: the one that has changed.
stripTypes('')
flushCompileCache()
await tell({ loaded: true })

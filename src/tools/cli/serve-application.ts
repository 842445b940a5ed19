/** The program of the application's process under `fw run`. It loads Fw, then waits for messages of the parent process. */
import { spawnSync } from 'node:child_process'
import { flushCompileCache } from 'node:module'
import type { Socket } from 'node:net'
import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import { pathToFileURL } from 'node:url'
import { redactTarget, type FwContext } from '../../runtime/action.ts'
import {
  App,
  type Application,
  applicationSettings,
  openEmbeddedAhead,
  type FwLifeCycle,
  mailFolder,
  startApplication,
} from '../../runtime/app.ts'
import {
  isPromise,
  LogSink,
  prettyLogger,
  redacted,
  type Logger,
  type LogLevel,
} from '../../runtime/base.ts'
import { loadConfiguration, readSettings, useParsedKeyFiles } from '../../runtime/config.ts'
import { onStatement, useEmbeddedHost, type SentStatement } from '../../runtime/db.ts'
import type { Handler, HttpRequest, HttpResponse } from '../../runtime/http.ts'
import { MessageCatalog } from '../../runtime/i18n.ts'
import { JobsController } from '../../runtime/jobs.ts'
import { MemoryStore } from '../../runtime/session.ts'
import {
  describeError,
  developmentErrorReporter,
  isLocalRequest,
  LiveReload,
  MailboxPages,
  nearRoutes,
  nearRoutesSection,
  stripTypes,
} from '../dev.ts'
import { OpenApiPages } from '../openapi.ts'
import { loadLifeCycle } from './load-application.ts'
import {
  onMessage,
  rpcChannel,
  sendMessage,
  type ApplicationStart,
  type ChildMessage,
  type ParentMessage,
} from './process-messages.ts'

/** The milliseconds that running jobs may take when code changes; then they are given back. */
const jobGrace = 300

const sink = new LogSink(process.stdout)
// Ignore errors of stderr, so that a reader that closes the pipe, such as `head`, does not end the application.
process.stderr.on('error', () => {})
const createDevelopmentLogger = (level: LogLevel): Logger =>
  prettyLogger(sink.write, { colour: process.stdout.isTTY, level, foldFrames: true })
let logger = createDevelopmentLogger('info')
const root = process.argv[2]!
let running: { readonly app: App; readonly reload: LiveReload } | undefined

const report = (message: ChildMessage): Promise<void> => sendMessage(process, message)

const context: unique symbol = Symbol('context')
/** A request with its context. The context contains the tried routes, whose path parameters the access log redacts. */
type LoggedRequest = HttpRequest & { [context]?: FwContext }

function withAccessLog(handle: Handler): Handler {
  return (request) => {
    const start = performance.now()
    const log = (response: HttpResponse): HttpResponse => {
      const line = describeTarget(request)
      logger.info({ millis: Math.round(performance.now() - start) }, `${line} ${response.status}`)
      if (response.status === 404 || response.status === 405)
        showNearRoutes(request, response, line)
      return response
    }
    const response = handle(request)
    return isPromise(response) ? response.then(log) : log(response)
  }
}

/** Adds the cause and similar routes to the page of a 404 or 405; they are added at the end of its `main` element, if any. */
function showNearRoutes(request: LoggedRequest, response: HttpResponse, line: string): void {
  const ctx = request[context]
  const text = typeof response.body === 'string' ? response.body : ''
  const main = text.lastIndexOf('</main>')
  const end = main < 0 ? text.lastIndexOf('</body>') : main
  if (ctx === undefined || end < 0 || !isLocalRequest(request)) return
  const routes = running?.app.application.routes ?? []
  const pattern = ctx.match?.target.pattern
  const matched = pattern === undefined ? undefined : `${request.method} ${pattern}`
  const near = nearRoutes({ method: request.method, path: ctx.request.path.text }, routes)
  const others = near.filter((route) => route !== matched)
  response.body = text.slice(0, end) + nearRoutesSection(line, others, matched) + text.slice(end)
  response.headers.delete('content-length')
}

/** Returns method and target for the log. Redacts parameters with secret names, and hides malformed targets. */
function describeTarget({ method, target, [context]: ctx }: LoggedRequest): string {
  return `${method} ${ctx === undefined ? redacted : redactTarget(target, ctx)}`
}

/** Logs a statement without its parameters, which may be personal data. */
function logOneStatement({ sql, milliseconds = 0, failure }: SentStatement): void {
  const fields = { millis: Number(milliseconds.toFixed(1)), failure }
  logger.info(fields, sql.replace(/\s+/g, ' ').trim())
}

function describeApplication({ database, configuration }: Application): string {
  const { name } = configuration.env
  if (database === undefined) return `${name}, no database`
  if (database.engine !== 'pglite') return `${name}, PostgreSQL`
  return `${name}, embedded PostgreSQL in ${configuration.string('db.default.folder') ?? 'db/data'}`
}

/** Mounts the page of jobs, for requests of the developer, before the controllers of the application. */
function withJobsPage(lifeCycle: FwLifeCycle): FwLifeCycle {
  const init = lifeCycle.initFwApp.bind(lifeCycle)
  lifeCycle.initFwApp = (ctx) => {
    const { env } = ctx.configuration
    const allow = (c: { readonly request: { readonly http: HttpRequest } }): boolean =>
      isLocalRequest(c.request.http)
    if (env.isDevelopment()) new JobsController({ allow }).mount(ctx, '/_fw/jobs')
    return init(ctx)
  }
  return lifeCycle
}

async function start(options: ApplicationStart): Promise<void> {
  try {
    const configuration = loadConfiguration({ root })
    logger = createDevelopmentLogger(readSettings(configuration, applicationSettings).log.level)
    if (options.logsStatements) onStatement(logOneStatement)
    openEmbeddedAhead({ root, configuration })
    const lifeCycle = withJobsPage(await loadLifeCycle(root))
    const application = await startApplication(lifeCycle, {
      root,
      configuration,
      logger,
      migrate: true,
      jobs: { drainTimeout: jobGrace },
      errorReporter: developmentErrorReporter(configuration.env, root, sink.write),
      secret: options.secret,
      assetServer: options.assetServer,
      onRequest: (ctx) => void ((ctx.request.http as LoggedRequest)[context] = ctx),
    })
    const { store } = application.sessions
    if (store instanceof MemoryStore) store.restore(options.sessions)
    // Connect now: without migrations, no statement has connected yet.
    await application.database?.ping()
    const reload = new LiveReload([join(root, 'src/main/webapp')])
    const pages = new OpenApiPages(application).wrap(application.handle)
    const mailbox = new MailboxPages(root, mailFolder(root))
    const handle = reload.wrap(mailbox.wrap(withAccessLog(pages)))
    // Use the application as a prototype instead of copying it, because `routes` is a getter.
    const served = Object.create(application, { handle: { value: handle } }) as Application
    running = { app: new App(served), reload }
    await report({ ready: { about: describeApplication(application) } })
  } catch (error) {
    await report({ failed: describeError(locateSyntaxError(error, root), root) })
  }
}

/**
 * Adds the source location to a syntax error of V8, such as a name that is declared twice. V8 prints the location only if the
 * error ends a process. Therefore a child process imports the application again; no module runs, because compiling fails first.
 */
function locateSyntaxError(error: unknown, root: string): unknown {
  if (
    !(error instanceof SyntaxError) ||
    error.stack?.includes('at compileSourceTextModule') !== true
  )
    return error
  const file = pathToFileURL(join(root, 'src/main/bootstrap.ts')).href
  const { stderr } = spawnSync(
    process.execPath,
    [...process.execArgv, '--input-type=module', '--eval', `await import(${JSON.stringify(file)})`],
    { cwd: root, encoding: 'utf8', timeout: 5_000 },
  )
  const head = stderr.slice(0, stderr.indexOf('\n\n'))
  if (stderr.includes(error.message)) error.stack = `${head}\n${error.stack}`
  return error
}

async function stop(grace: number | undefined): Promise<void> {
  await report({ stopping: true })
  running?.reload.close()
  try {
    await running?.app.close(grace)
  } catch (error) {
    logger.error({ err: error }, 'closing failed')
    process.exitCode = 1
  }
  const store = running?.app.application.sessions.store
  if (store instanceof MemoryStore) await report({ sessions: store.records() })
  await sink.flush()
  process.exit()
}

async function fail(error: unknown): Promise<void> {
  logger.error({ err: error }, 'the application has ended: an error was not caught')
  await report({ failed: describeError(error, root) })
  await sink.flush()
  process.exit(1)
}

function receive(message: ParentMessage, socket: Socket | undefined): void {
  if ('start' in message) void start(message.start)
  else if ('mistakes' in message) running?.reload.show(message.mistakes)
  else if ('stop' in message) void stop(message.stop.grace)
  else if ('connection' in message && socket !== undefined) {
    void report({ received: message.connection })
    if (running === undefined) socket.destroy()
    else running.app.handleSocket(socket)
  }
}

onMessage(process, receive)
// Ignore the signals: Ctrl-C signals every process of the terminal, but this one stops when the parent sends `stop`.
process.on('SIGINT', () => {})
process.on('SIGTERM', () => {})
process.on('disconnect', () => process.exit())
process.on('uncaughtException', (error) => void fail(error))
useEmbeddedHost(rpcChannel(process))
// Load Fw and its template compiler before the application imports them, which makes a restart faster.
await import('../../index.ts')
await import('../../templates/compile.ts')
// Parse settings and messages in advance, unless an earlier run or check has stored them in `.fw`. `start` reads the files
// again, but parses only those that have changed.
try {
  useParsedKeyFiles(root)
  loadConfiguration({ root })
  MessageCatalog.load(join(root, 'src/main/resources'))
} catch {
  // Ignore the error: `start` reports it, unless the file has been corrected by then.
}
// Load Node's type stripper with a first call, because the changed file will need it.
stripTypes('')
flushCompileCache()
await report({ loaded: true })

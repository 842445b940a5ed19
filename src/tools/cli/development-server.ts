/** `fw run`: restarts the application's process when code changes, and keeps the port and the embedded database open. */
import { randomBytes } from 'node:crypto'
import type { Socket } from 'node:net'
import { join, relative, sep } from 'node:path'
import { performance } from 'node:perf_hooks'
import { FwError, LogSink, prettyLogger, type ErrorCode, type Logger } from '../../runtime/base.ts'
import { EmbeddedHost, shareDatabases } from '../../runtime/db.ts'
import { HttpResponse, type HttpRequest } from '../../runtime/http.ts'
import { handleSignals, HttpServer, SocketListener, type Closable } from '../../runtime/server.ts'
import type { MemoryRecord } from '../../runtime/session.ts'
import {
  describeError,
  errorPage,
  FileWatcher,
  isLocalRequest,
  LiveReload,
  type ErrorPage,
  type ErrorReport,
  type Mistake,
} from '../dev.ts'
import { ApplicationProcess } from './application-process.ts'
import { BackgroundCheck, formatMistakes } from './background-check.ts'
import { databaseActions, type DatabaseActions } from './database-actions.ts'
import { applicationRoot, listenPort } from './load-application.ts'
import { count } from './terminal.ts'
import { usesVite, ViteServer } from './vite.ts'

/** The milliseconds that requests in flight may take when code changes. */
const restartGrace = 300
/** The milliseconds before the spare process is started, so that it does not slow down the first pages. */
const spareDelay = { start: 1_500, restart: 250 }
const codeFile = /\.(?:[cm]?[jt]s|json|ya?ml|sql)$/
const settingsFile = /^(?:\.env(?:\..+)?|package\.json|vite\.config\.[cm]?[jt]s)$/
/** The codes of errors that saving a source file does not solve. They end `fw run` if they happen at its first start. */
const environmentErrors: ReadonlySet<string> = new Set([
  'db.folder-incomplete',
  'db.folder-locked',
  'db.setting-invalid',
  'db.unavailable',
])

interface Options {
  readonly root: string
  readonly logger: Logger
  /** Prints a text without a log prefix. */
  readonly print: (text: string) => void
  /** Whether types and templates are checked after each save; default true. */
  readonly check?: boolean
  readonly sql?: boolean
}

/** Called after a start. `about` describes the application's environment and database; undefined if the start failed. */
type OnStarted = (about: string | undefined) => void

const notRunning = 'The application does not run.'

/** Serves the error page while the application does not run. The page reloads after the next change. */
class FailurePage {
  readonly #reload = new LiveReload([])
  readonly #server: HttpServer

  constructor(error: ErrorReport, root: string, actions?: DatabaseActions) {
    const page = { error, root, before: actions?.html ?? '' }
    this.#server = new HttpServer(
      this.#reload.wrap((request) => actions?.respond(request) ?? respond(request, page)),
    )
  }

  handleSocket(socket: Socket): void {
    this.#server.handleSocket(socket)
  }

  /** Ends the event streams of open pages. The pages reconnect to the next server, which makes them reload. */
  async close(): Promise<void> {
    this.#reload.close()
    await this.#server.close(100)
  }
}

function respond(request: HttpRequest, page: Omit<ErrorPage, 'kicker' | 'nonce'>): HttpResponse {
  if (!isLocalRequest(request)) return response('text/plain', `${notRunning}\n`)
  const accepts = request.header('accept') ?? ''
  if (accepts.includes('json') && !accepts.includes('text/html')) {
    const { error } = page
    const problem = { type: 'about:blank', title: 'Internal Server Error', status: 500 }
    const json = JSON.stringify({ ...problem, message: notRunning, error })
    return response('application/problem+json', json)
  }
  const nonce = randomBytes(16).toString('base64')
  const kicker = `${notRunning} This page reloads when a file is saved.`
  const html = response('text/html', errorPage({ ...page, kicker, nonce }))
  html.headers.set(
    'Content-Security-Policy',
    `default-src 'none'; style-src 'nonce-${nonce}'; script-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'`,
  )
  return html
}

function response(type: string, body: string): HttpResponse {
  const made = new HttpResponse(500, body)
  made.headers.set('Content-Type', `${type}; charset=utf-8`)
  made.headers.set('Cache-Control', 'no-store')
  made.headers.set('X-Content-Type-Options', 'nosniff')
  return made
}

/**
 * The server of `fw run`. One process runs the application; a spare process has loaded Fw and parsed the settings, and waits for
 * the next change. During a restart, accepted connections wait. A connection carries only one request, so that no connection
 * remains with replaced code.
 */
export class DevelopmentServer implements Closable {
  readonly #options: Options
  readonly #listener = new SocketListener((socket) => this.#accept(socket))
  readonly #databases = new EmbeddedHost()
  readonly #waiting = new Set<Socket>()
  readonly #watchers: FileWatcher[] = []
  readonly #check: BackgroundCheck
  #mistakes: readonly Mistake[] = []
  /** The mistakes and warnings of the last check, as JSON. */
  #found = '[]'
  readonly #secret = randomBytes(32).toString('base64')
  /** The process or page that serves connections; `undefined` while connections wait. */
  #target: ApplicationProcess | FailurePage | undefined
  #current: ApplicationProcess | undefined
  /** The current process while it starts; `undefined` when it is ready or has failed. */
  #starting: ApplicationProcess | undefined
  #spare: ApplicationProcess | undefined
  /** The socket on which the embedded databases are shared with commands such as `fw console`. */
  #sharing: { close(): Promise<void> } | undefined
  #databaseUse: { leave(): Promise<void> } | undefined
  #vite: ViteServer | undefined
  #isRestarting = false
  /** Whether a file has changed since the current process was started. */
  #isStale = false
  #closed: Promise<void> | undefined
  #sessions: readonly MemoryRecord[] = []

  constructor(options: Options) {
    this.#options = options
    this.#check = new BackgroundCheck(options.root, (mistakes) => this.#report(mistakes))
  }

  /** Listens and starts the application. @throws FwError `server.listen-failed`, and the errors in `environmentErrors` */
  async start(port: number, host: string): Promise<void> {
    const { logger } = this.#options
    const { url } = await this.#listener.listen(port, host)
    try {
      // The spare process loads Fw while this one begins to watch the files. It becomes the first application process.
      this.#startSpare()
      this.#sharing = await shareDatabases(this.#databases)
      this.#watch()
      await this.#startUntilFresh((about) => {
        if (about !== undefined) logger.info({}, about)
        logger.info({}, `listening on ${url}`)
      }, true)
    } catch (error) {
      await this.close()
      throw error
    }
  }

  /** Stops the application after its requests in flight, then closes the embedded database. */
  close(): Promise<void> {
    return (this.#closed ??= this.#close())
  }

  destroy(): void {
    this.#current?.kill()
    this.#spare?.kill()
    this.#vite?.close()
  }

  async #close(): Promise<void> {
    this.#listener.close()
    for (const watcher of this.#watchers) watcher.close()
    this.#check.stop()
    this.#spare?.kill()
    this.#vite?.close()
    if (this.#target instanceof FailurePage) await this.#target.close()
    await this.#current?.stop()
    for (const socket of this.#waiting) socket.destroy()
    await this.#sharing?.close()
    await this.#databaseUse?.leave()
    await this.#databases.close()
  }

  #watch(): void {
    const { root } = this.#options
    const fromRoot = (path: string): string => relative(root, path).split(sep).join('/')
    const onFirstChange = (): void => this.#holdConnections()
    const onChange = (paths: readonly string[]): void => void this.#restart(paths.map(fromRoot))
    const isCode = (path: string): boolean =>
      codeFile.test(path) && !/^src\/(?:main\/webapp|frontend|test)\//.test(fromRoot(path))
    const check = (changed: readonly string[]): void => {
      if (this.#options.check !== false) this.#check.start(changed)
    }
    this.#watchers.push(
      new FileWatcher([join(root, 'src')], check),
      new FileWatcher([join(root, 'src'), join(root, 'db/migration')], onChange, {
        filter: isCode,
        onFirstChange,
      }),
      new FileWatcher([root], onChange, {
        recursive: false,
        filter: (path) => settingsFile.test(fromRoot(path)),
        onFirstChange,
      }),
    )
  }

  #accept(socket: Socket): void {
    if (this.#target !== undefined) return this.#target.handleSocket(socket)
    this.#waiting.add(socket)
    socket.once('close', () => this.#waiting.delete(socket))
  }

  #holdConnections(): void {
    if (this.#target instanceof FailurePage) void this.#target.close()
    this.#target = undefined
  }

  #serve(target: ApplicationProcess | FailurePage): void {
    this.#target = target
    for (const socket of this.#waiting) target.handleSocket(socket)
    this.#waiting.clear()
  }

  async #restart(changed: readonly string[]): Promise<void> {
    if (this.#isRestarting) {
      this.#isStale = true
      // Kill only a starting process, which has no requests. If the previous process is still draining, let it finish.
      this.#starting?.kill()
      return
    }
    const began = performance.now()
    const [first = 'a file'] = changed
    const more = changed.length > 1 ? ` and ${changed.length - 1} more` : ''
    try {
      await this.#startUntilFresh(() => {
        const millis = Math.round(performance.now() - began)
        this.#options.logger.info({ millis }, `restarted: ${first}${more} changed`)
      }, false)
    } catch (error) {
      if (this.#closed !== undefined) return
      this.#fail(describeError(error, this.#options.root), 'the application does not start')
    }
  }

  /** Starts the application, and starts it again if a file has changed during the start. */
  async #startUntilFresh(onStarted: OnStarted, isFirst: boolean): Promise<void> {
    this.#isRestarting = true
    try {
      do await this.#replaceProcess(onStarted, isFirst)
      while (this.#isStale && this.#closed === undefined)
    } finally {
      this.#isRestarting = false
    }
  }

  async #replaceProcess(onStarted: OnStarted, isFirst: boolean): Promise<void> {
    this.#holdConnections()
    await this.#current?.stop(restartGrace)
    this.#sessions = this.#current?.sessions ?? this.#sessions
    this.#reclaimSockets(this.#current)
    void this.#databaseUse?.leave()
    if (this.#closed !== undefined) return
    const process = this.#spare ?? new ApplicationProcess(this.#options.root)
    this.#spare = undefined
    this.#current = process
    this.#databaseUse = this.#databases.serve(process.channel)
    this.#isStale = false
    this.#starting = process
    const result = await process.start({
      secret: this.#secret,
      sessions: this.#sessions,
      assetServer: await this.#findAssetServer(),
      logsStatements: this.#options.sql === true,
    })
    this.#starting = undefined
    if (this.#isStale || this.#closed !== undefined) return
    this.#startSpareAfter(isFirst ? spareDelay.start : spareDelay.restart)
    if ('ready' in result) {
      this.#serve(process)
      if (this.#mistakes.length > 0) process.show(this.#mistakes)
      onStarted(result.ready.about)
      // A restart follows a save, whose check generates.
      if (isFirst || this.#options.check === false) this.#check.generate()
      void process.exited.then((error) => this.#handleExit(process, error))
      return
    }
    const { failed } = result
    if (isFirst && environmentErrors.has(failed.code ?? ''))
      throw new FwError(failed.code as ErrorCode, failed.message)
    this.#fail(failed, 'the application does not start')
    if (isFirst) onStarted(undefined)
  }

  /** Starts Vite if the application uses it, and returns its origin. After a failure, the next call starts Vite again. */
  async #findAssetServer(): Promise<string | undefined> {
    const { root, logger } = this.#options
    if (!usesVite(root)) return undefined
    try {
      if (this.#vite?.isRunning !== true) this.#vite = new ViteServer(root)
      return await this.#vite.origin
    } catch (error) {
      // After `close` an error is expected, because `close` ends Vite.
      if (this.#closed === undefined) logger.error({}, (error as Error).message)
      return undefined
    }
  }

  #startSpareAfter(millis: number): void {
    setTimeout(() => this.#startSpare(), millis).unref()
  }

  #startSpare(): void {
    if (this.#closed !== undefined || this.#spare !== undefined) return
    try {
      const spare = (this.#spare = new ApplicationProcess(this.#options.root))
      void spare.exited.then(() => {
        if (this.#spare === spare) this.#spare = undefined
      })
    } catch {
      // Ignore the error: the next start or restart fails with the same error and reports it.
    }
  }

  /** Serves the error page if the process has exited unexpectedly. */
  #handleExit(process: ApplicationProcess, error: ErrorReport): void {
    if (process !== this.#current || this.#target !== process || this.#closed !== undefined) return
    this.#fail(error, 'the application has ended')
    this.#reclaimSockets(process)
  }

  #reclaimSockets(process: ApplicationProcess | undefined): void {
    for (const socket of process?.reclaimSockets() ?? []) this.#accept(socket)
  }

  /** Shows the mistakes above the pages, and prints them if they differ from those of the last check. */
  #report(found: readonly Mistake[]): void {
    const { logger, print } = this.#options
    const text = JSON.stringify(found)
    if (text === this.#found || this.#closed !== undefined) return
    this.#found = text
    const mistakes = found.filter(({ severity }) => severity === undefined)
    this.#mistakes = mistakes
    this.#current?.show(mistakes)
    const warnings = found.length - mistakes.length
    if (found.length === 0) return logger.info({}, 'the mistakes are mended')
    const about = [
      ...(mistakes.length > 0 ? [`${count(mistakes.length, 'mistake')} in code or templates`] : []),
      ...(warnings > 0 ? [`${count(warnings, 'warning')} about templates`] : []),
    ]
    logger.warn({}, about.join(', '))
    print(formatMistakes(found))
  }

  #fail(report: ErrorReport, summary: string): void {
    const { root, logger, print } = this.#options
    const { name, message, place, code } = report
    const at = place === undefined ? '' : ` (${place.file}:${place.line})`
    logger.error({}, `${summary}: ${name}: ${message}${at}`)
    if (place !== undefined && place.frame !== '') print(`${place.frame}\n`)
    logger.info({}, 'it starts again when a file is saved')
    // A failed migration gets buttons. After their command has run, the application is started again.
    const actions =
      code?.startsWith('db.migration-') === true
        ? databaseActions(root, this.#secret, (command) => void this.#restart([command]))
        : undefined
    this.#serve(new FailurePage(report, root, actions))
  }
}

interface RunOptions extends Pick<Options, 'check' | 'sql'> {
  readonly app: string
  readonly host: string
  readonly port?: string
}

/** Runs `fw run`. @throws FwError `cli.no-application`, `cli.port-invalid`, and the errors of `DevelopmentServer.start` */
export async function run({ app, host, ...options }: RunOptions): Promise<void> {
  const root = applicationRoot(app)
  const port = listenPort(options.port)
  const sink = new LogSink(process.stdout)
  const logger = prettyLogger(sink.write, { colour: process.stdout.isTTY, level: 'info' })
  const server = new DevelopmentServer({ ...options, root, logger, print: sink.write })
  const removeHandlers = handleSignals(server, { logger, onClosed: () => sink.flush() })
  try {
    await server.start(port, host)
  } catch (error) {
    removeHandlers()
    throw error
  }
}

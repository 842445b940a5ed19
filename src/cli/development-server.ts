/** `fw run`'s own process: it holds the port and the embedded database, and restarts the application when code changes. */
import { randomBytes } from 'node:crypto'
import type { Socket } from 'node:net'
import { join, relative, sep } from 'node:path'
import { performance } from 'node:perf_hooks'
import { FwError, type ErrorCode, type Logger } from '../base.ts'
import { EmbeddedHost } from '../db.ts'
import { describeError, FileChanges, type ErrorReport } from '../dev.ts'
import type { MemoryRecord } from '../session.ts'
import { SocketGate, type Closable, type ListenAddress } from '../server.ts'
import { ApplicationProcess } from './application-process.ts'
import { endReport, FailurePage } from './failure-page.ts'

/** Requests that are being answered when code changes have this long to end. */
const restartGrace = 300
/** The next process is made ready when the first pages have been answered; the first change takes longer to write. */
const readyAfter = { start: 1_500, restart: 250 }
const code = /\.(?:[cm]?[jt]s|json|ya?ml|sql)$/
/** What no file of the application mends: a first start that fails so ends the command. */
const outside: ReadonlySet<string> = new Set([
  'db.folder-incomplete',
  'db.folder-locked',
  'db.setting-invalid',
  'db.unavailable',
])
const settings = /^(?:\.env(?:\..+)?|package\.json)$/

/** Told once the application runs, with what it runs on; without, when it does not. */
type Tell = (about: string | undefined) => void

interface Options {
  readonly root: string
  readonly logger: Logger
  /** Shows lines as they are. */
  readonly print: (text: string) => void
}

/**
 * One process runs the code, another has loaded Fw and waits to take its place. Connections that are accepted meanwhile wait,
 * and each carries one request: none is left with code that has gone.
 */
export class DevelopmentServer implements Closable {
  readonly #options: Options
  readonly #gate = new SocketGate((socket) => this.#accept(socket))
  readonly #databases = new EmbeddedHost()
  readonly #waiting = new Set<Socket>()
  readonly #watchers: FileChanges[] = []
  #serving: ApplicationProcess | FailurePage | undefined
  #current: ApplicationProcess | undefined
  /** The current one, until it runs or has failed. */
  #beginning: ApplicationProcess | undefined
  #next: ApplicationProcess | undefined
  #visit: { leave(): Promise<void> } | undefined
  #restarting = false
  #again = false
  #closed: Promise<void> | undefined
  #sessions: readonly MemoryRecord[] = []
  readonly #secret = randomBytes(32).toString('base64')

  constructor(options: Options) {
    this.#options = options
  }

  /** @throws FwError `server.listen-failed`, and what no file of the application mends: `db.*` */
  async start(port: number, host: string): Promise<void> {
    const address = await this.#gate.listen(port, host)
    try {
      this.#watch()
      await this.#follow((about) => this.#welcome(about, address), true)
    } catch (error) {
      await this.close()
      throw error
    }
  }

  /** Ends the application as its settings say, then gives the database's folder free. */
  close(): Promise<void> {
    return (this.#closed ??= this.#close())
  }

  destroy(): void {
    this.#current?.kill()
    this.#next?.kill()
  }

  async #close(): Promise<void> {
    this.#gate.close()
    for (const watcher of this.#watchers) watcher.close()
    this.#next?.kill()
    if (this.#serving instanceof FailurePage) await this.#serving.close()
    await this.#current?.stop()
    for (const socket of this.#waiting) socket.destroy()
    await this.#visit?.leave()
    await this.#databases.close()
  }

  #welcome(about: string | undefined, { url }: ListenAddress): void {
    const { logger } = this.#options
    if (about !== undefined) logger.info({}, about)
    logger.info({}, `listening on ${url}`)
  }

  #watch(): void {
    const { root } = this.#options
    const inside = (path: string): string => relative(root, path).split(sep).join('/')
    const noticed = (): void => this.#hold()
    const changed = (paths: readonly string[]): void => void this.#restart(paths.map(inside))
    this.#watchers.push(
      new FileChanges([join(root, 'src'), join(root, 'db/migration')], changed, {
        matters: (path) => code.test(path) && !/^src\/(?:main\/webapp|test)\//.test(inside(path)),
        noticed,
      }),
      new FileChanges([root], changed, {
        recursive: false,
        matters: (path) => settings.test(inside(path)),
        noticed,
      }),
    )
  }

  #accept(socket: Socket): void {
    if (this.#serving !== undefined) return this.#serving.take(socket)
    this.#waiting.add(socket)
    socket.once('close', () => this.#waiting.delete(socket))
  }

  /** What is accepted from now on waits. */
  #hold(): void {
    if (this.#serving instanceof FailurePage) void this.#serving.close()
    this.#serving = undefined
  }

  #serve(by: ApplicationProcess | FailurePage): void {
    this.#serving = by
    for (const socket of this.#waiting) by.take(socket)
    this.#waiting.clear()
  }

  async #restart(changed: readonly string[]): Promise<void> {
    if (this.#restarting) {
      this.#again = true
      // Only what begins is in vain: what still answers and gives its sessions back is let end.
      this.#beginning?.kill()
      return
    }
    const began = performance.now()
    try {
      await this.#follow(() => this.#tellRestart(changed, began), false)
    } catch (error) {
      if (this.#closed !== undefined) return
      this.#fail(describeError(error, this.#options.root), 'the application does not start')
    }
  }

  /** Begins until nothing has changed meanwhile. */
  async #follow(tell: Tell, isFirst: boolean): Promise<void> {
    this.#restarting = true
    try {
      do await this.#begin(tell, isFirst)
      while (this.#again && this.#closed === undefined)
    } finally {
      this.#restarting = false
    }
  }

  #tellRestart(changed: readonly string[], began: number): void {
    const [first = 'a file'] = changed
    const more = changed.length > 1 ? ` and ${changed.length - 1} more` : ''
    const millis = Math.round(performance.now() - began)
    this.#options.logger.info({ millis }, `restarted: ${first}${more} changed`)
  }

  /** Takes the place of what ran before. */
  async #begin(tell: Tell, isFirst: boolean): Promise<void> {
    this.#hold()
    await this.#current?.stop(restartGrace)
    this.#sessions = this.#current?.sessions ?? this.#sessions
    this.#takeBack(this.#current)
    void this.#visit?.leave()
    if (this.#closed !== undefined) return
    const process = this.#next ?? new ApplicationProcess()
    this.#next = undefined
    this.#current = process
    this.#visit = this.#databases.serve(process.channel)
    // What has changed until now is read now.
    this.#again = false
    this.#beginning = process
    const outcome = await process.begin({
      root: this.#options.root,
      secret: this.#secret,
      sessions: this.#sessions,
    })
    this.#beginning = undefined
    if (this.#again || this.#closed !== undefined) return
    this.#prepareAfter(isFirst ? readyAfter.start : readyAfter.restart)
    if ('ready' in outcome) {
      this.#serve(process)
      tell(outcome.ready.about)
      void process.ended.then((ended) => this.#lost(process, ended))
      return
    }
    const report = 'failed' in outcome ? outcome.failed : endReport(outcome.ended)
    if (isFirst && outside.has(report.code ?? ''))
      throw new FwError(report.code as ErrorCode, report.message)
    this.#fail(report, 'the application does not start')
    if (isFirst) tell(undefined)
  }

  #prepareAfter(millis: number): void {
    const prepare = (): void => {
      if (this.#closed !== undefined || this.#next !== undefined) return
      let next: ApplicationProcess
      try {
        next = this.#next = new ApplicationProcess()
      } catch {
        // Whoever begins without it meets the same, and says so.
        return
      }
      // One that dies while it waits takes no one's place.
      const forget = (): void => void (this.#next === next && (this.#next = undefined))
      void next.ended.then(forget)
    }
    setTimeout(prepare, millis).unref()
  }

  /** The process ended by itself. */
  #lost(process: ApplicationProcess, ended: string): void {
    if (process !== this.#current || this.#serving !== process || this.#closed !== undefined) return
    this.#fail(process.report ?? endReport(ended), 'the application has ended')
    this.#takeBack(process)
  }

  #takeBack(process: ApplicationProcess | undefined): void {
    for (const socket of process?.undelivered() ?? []) this.#accept(socket)
  }

  #fail(report: ErrorReport, what: string): void {
    const { logger, print } = this.#options
    const { name, message, place } = report
    const where = place === undefined ? '' : ` (${place.file}:${place.line})`
    logger.error({}, `${what}: ${name}: ${message}${where}`)
    if (place !== undefined && place.frame !== '') print(`${place.frame}\n`)
    logger.info({}, 'it starts again when a file is saved')
    this.#serve(new FailurePage(report))
  }
}

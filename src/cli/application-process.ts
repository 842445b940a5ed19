/** A process that runs the application's code, as `fw run` sees it. */
import { fork, type ChildProcess } from 'node:child_process'
import type { Socket } from 'node:net'
import { extname } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { EngineChannel } from '../db.ts'
import type { ErrorReport } from '../dev.ts'
import type { MemoryRecord } from '../session.ts'
import { enclosed, unclosed } from './process-line.ts'

/** What a process begins with. */
export interface Beginning {
  readonly root: string
  /** Outlives the process, as cookies do. */
  readonly secret: string
  /** Sessions that the process before held in its memory. */
  readonly sessions: readonly MemoryRecord[]
}

/** What the process is told. */
export type Order =
  | { readonly begin: Beginning }
  | { readonly take: number }
  /** Milliseconds for what is being answered; absent: what the application's settings say. */
  | { readonly stop: { readonly grace: number | undefined } }

/** What it tells. */
export type Told =
  | { readonly loaded: true }
  | { readonly ready: { readonly about: string } }
  | { readonly failed: ErrorReport }
  | { readonly taken: number }
  | { readonly stopping: true }
  | { readonly sessions: readonly MemoryRecord[] }

/** How a beginning ended. */
export type Outcome =
  | { readonly ready: { readonly about: string } }
  | { readonly failed: ErrorReport }
  | { readonly ended: string }

/** A process that does not answer within this time is stuck in its own code. */
const stuckMillis = 1_000
/** What closing may take beyond the time given to requests. */
const closingMillis = 1_500

const program = fileURLToPath(
  new URL(`./serve-application${extname(import.meta.url)}`, import.meta.url),
)

/** Starts at once and loads Fw; it waits for `begin` before it touches the application. */
export class ApplicationProcess {
  /** Kept once it has ended, with the reason in words. */
  readonly ended: Promise<string>
  readonly #child: ChildProcess
  readonly #loaded = Promise.withResolvers<void>()
  readonly #outcome = Promise.withResolvers<Outcome>()
  readonly #stopping = Promise.withResolvers<void>()
  readonly #handing = new Map<number, Socket>()
  #handed = 0
  #report: ErrorReport | undefined
  #sessions: readonly MemoryRecord[] | undefined

  constructor() {
    // A debugger's port is the parent's: two cannot have it.
    const execArgv = process.execArgv.filter((flag) => !flag.startsWith('--inspect'))
    this.#child = fork(program, [], {
      execArgv,
      serialization: 'advanced',
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    })
    this.#listen((message) => this.#hear(message as Told))
    this.ended = new Promise((resolve) => {
      const end = (ended: string): void => {
        this.#loaded.resolve()
        this.#stopping.resolve()
        this.#outcome.resolve({ ended })
        resolve(ended)
      }
      this.#child.once('exit', (code, signal) =>
        end(signal === null ? `with code ${code}` : `by ${signal}`),
      )
      // What cannot be sent to a process that has just ended is told by its end; one that never began has none.
      this.#child.on('error', ({ message }) => {
        if (this.#child.pid === undefined) end(`before it began: ${message}`)
      })
    })
  }

  /** The line on which it asks for its embedded database. */
  get channel(): EngineChannel {
    return {
      send: (message) => this.#send(message),
      onMessage: (listener) => this.#listen(listener),
    }
  }

  /** The error that it told of last: why it ended, where it could say so. */
  get report(): ErrorReport | undefined {
    return this.#report
  }

  /** The sessions that it left when it stopped; absent where they are kept elsewhere, or it could not say. */
  get sessions(): readonly MemoryRecord[] | undefined {
    return this.#sessions
  }

  /** Loads and starts the application. */
  async begin(beginning: Beginning): Promise<Outcome> {
    await this.#loaded.promise
    this.#send({ begin: beginning } satisfies Order)
    return this.#outcome.promise
  }

  /** Hands a connection over; it stays open here until the process says that it has it. */
  take(socket: Socket): void {
    const take = ++this.#handed
    this.#handing.set(take, socket)
    if (this.#child.connected)
      this.#child.send(enclosed({ take } satisfies Order), socket, { keepOpen: true }, () => {})
  }

  /** Connections that it ended too early to take. */
  undelivered(): readonly Socket[] {
    const sockets = [...this.#handing.values()]
    this.#handing.clear()
    return sockets
  }

  /** Lets what is being answered end, then the process; one that is stuck is killed. */
  async stop(grace?: number): Promise<void> {
    this.#send({ stop: { grace } } satisfies Order)
    const stuck = setTimeout(() => this.kill(), stuckMillis)
    await this.#stopping.promise
    clearTimeout(stuck)
    const late =
      grace === undefined ? undefined : setTimeout(() => this.kill(), grace + closingMillis)
    await this.ended
    clearTimeout(late)
  }

  kill(): void {
    this.#child.kill('SIGKILL')
  }

  #send(message: object): void {
    if (this.#child.connected) this.#child.send(enclosed(message), () => {})
  }

  #listen(hear: (message: object) => void): void {
    this.#child.on('message', (message) => {
      const told = unclosed(message)
      if (told !== undefined) hear(told)
    })
  }

  #delivered(taken: number): void {
    this.#handing.get(taken)?.destroy()
    this.#handing.delete(taken)
  }

  #hear(message: Told): void {
    if ('loaded' in message) this.#loaded.resolve()
    if ('taken' in message) this.#delivered(message.taken)
    if ('stopping' in message) this.#stopping.resolve()
    if ('sessions' in message) this.#sessions = message.sessions
    if ('ready' in message) this.#outcome.resolve(message)
    if ('failed' in message) {
      this.#report = message.failed
      this.#outcome.resolve(message)
    }
  }
}

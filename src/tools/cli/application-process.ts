/** The child process in which `fw run` runs the application, and the messages between parent and child. */
import { fork, type ChildProcess } from 'node:child_process'
import type { Socket } from 'node:net'
import { programFile } from '../../runtime/base.ts'
import type { RpcChannel } from '../../runtime/db.ts'
import type { MemoryRecord } from '../../runtime/session.ts'
import type { ErrorReport, Mistake } from '../dev.ts'

export interface ApplicationStart {
  /** The secret, which is the same for every process of one `fw run`, so that cookies remain valid after a restart. */
  readonly secret: string
  /** Whether each SQL statement is logged. */
  readonly logsStatements: boolean
  /** The origin of Vite's development server; undefined without one. */
  readonly assetServer: string | undefined
  /** The in-memory sessions of the previous process. */
  readonly sessions: readonly MemoryRecord[]
}

export type ParentMessage =
  | { readonly start: ApplicationStart }
  /** The number of the connection that is sent with this message; the child confirms the number. */
  | { readonly connection: number }
  /** The mistakes in types and templates, which the pages display. */
  | { readonly mistakes: readonly Mistake[] }
  /** Stops the child. `grace`: the milliseconds for requests in flight; `undefined`: the application's setting applies. */
  | { readonly stop: { readonly grace: number | undefined } }

export type ChildMessage =
  | { readonly loaded: true }
  | { readonly ready: { readonly about: string } }
  | { readonly failed: ErrorReport }
  | { readonly received: number }
  | { readonly stopping: true }
  | { readonly sessions: readonly MemoryRecord[] }

/** The result of a start. `exited`: the process ended before it reported success or failure; the text is the reason. */
export type StartResult =
  | { readonly ready: { readonly about: string } }
  | { readonly failed: ErrorReport }
  | { readonly exited: string }

/** Wraps a message of Fw, so that it differs from messages that the application sends on the same channel. */
export const wrapMessage = (message: object): object => ({ fw: message })

/** Returns the message of Fw; `undefined` for any other message, such as the 'ready' of process managers. */
export function unwrapMessage(message: unknown): object | undefined {
  if (typeof message !== 'object' || message === null || !('fw' in message)) return undefined
  const { fw } = message
  return typeof fw === 'object' && fw !== null ? fw : undefined
}

/** The milliseconds after which a process that has not confirmed `stop` counts as blocked. */
const confirmTimeout = 1_000
/** The milliseconds for closing the application, in addition to the time for in-flight requests. */
const closeTimeout = 1_500

const program = programFile('tools/cli/serve-application')

/**
 * A child process for the application. It loads Fw and parses the settings when it is created, and loads the
 * application when `start` is called.
 */
export class ApplicationProcess {
  /** Resolves when the process has ended, to the reason, such as `with code 1`. */
  readonly exited: Promise<string>
  readonly #child: ChildProcess
  readonly #loaded = Promise.withResolvers<void>()
  readonly #result = Promise.withResolvers<StartResult>()
  readonly #stopping = Promise.withResolvers<void>()
  /** The connections that the child has not confirmed, by number. */
  readonly #unconfirmed = new Map<number, Socket>()
  #connections = 0
  #lastError: ErrorReport | undefined
  #sessions: readonly MemoryRecord[] | undefined

  /** @param root the absolute path of the application's folder */
  constructor(root: string) {
    // Remove the debugger flags, because the parent process already uses the debugger's port.
    const execArgv = process.execArgv.filter((flag) => !flag.startsWith('--inspect'))
    this.#child = fork(program, [root], {
      execArgv,
      serialization: 'advanced',
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    })
    this.#onMessage((message) => this.#receive(message as ChildMessage))
    this.exited = new Promise((resolve) => {
      const exit = (exited: string): void => {
        this.#loaded.resolve()
        this.#stopping.resolve()
        this.#result.resolve({ exited })
        resolve(exited)
      }
      this.#child.once('exit', (code, signal) =>
        exit(signal === null ? `with code ${code}` : `by ${signal}`),
      )
      // Ignore errors of messages to an exited process. A process without an id was never created and emits no `exit`.
      this.#child.on('error', ({ message }) => {
        if (this.#child.pid === undefined) exit(`before it began: ${message}`)
      })
    })
  }

  /** The channel on which the child sends statements for the embedded database. */
  get channel(): RpcChannel {
    return {
      send: (message) => this.#send(message),
      onMessage: (listener) => this.#onMessage(listener),
    }
  }

  /** The error that the process reported before it exited. */
  get lastError(): ErrorReport | undefined {
    return this.#lastError
  }

  /** The in-memory sessions of the stopped process; `undefined` if sessions are stored elsewhere or the process was killed. */
  get sessions(): readonly MemoryRecord[] | undefined {
    return this.#sessions
  }

  async start(start: ApplicationStart): Promise<StartResult> {
    await this.#loaded.promise
    this.#send({ start } satisfies ParentMessage)
    return this.#result.promise
  }

  /** Sends a connection to the child. The parent keeps the connection open until the child confirms it. */
  handleSocket(socket: Socket): void {
    const connection = ++this.#connections
    this.#unconfirmed.set(connection, socket)
    if (!this.#child.connected) return
    const message = wrapMessage({ connection } satisfies ParentMessage)
    this.#child.send(message, socket, { keepOpen: true }, () => {})
  }

  show(mistakes: readonly Mistake[]): void {
    this.#send({ mistakes } satisfies ParentMessage)
  }

  /** Removes and returns the connections that the child has not confirmed. */
  reclaimSockets(): readonly Socket[] {
    const sockets = [...this.#unconfirmed.values()]
    this.#unconfirmed.clear()
    return sockets
  }

  /** Waits for the requests in flight, then ends the process; kills a blocked process. */
  async stop(grace?: number): Promise<void> {
    this.#send({ stop: { grace } } satisfies ParentMessage)
    const blocked = setTimeout(() => this.kill(), confirmTimeout)
    await this.#stopping.promise
    clearTimeout(blocked)
    const late =
      grace === undefined ? undefined : setTimeout(() => this.kill(), grace + closeTimeout)
    await this.exited
    clearTimeout(late)
  }

  kill(): void {
    this.#child.kill('SIGKILL')
  }

  #send(message: object): void {
    if (this.#child.connected) this.#child.send(wrapMessage(message), () => {})
  }

  #onMessage(listener: (message: object) => void): void {
    this.#child.on('message', (wrapped) => {
      const message = unwrapMessage(wrapped)
      if (message !== undefined) listener(message)
    })
  }

  #receive(message: ChildMessage): void {
    if ('loaded' in message) this.#loaded.resolve()
    if ('received' in message) {
      this.#unconfirmed.get(message.received)?.destroy()
      this.#unconfirmed.delete(message.received)
    }
    if ('stopping' in message) this.#stopping.resolve()
    if ('sessions' in message) this.#sessions = message.sessions
    if ('ready' in message) this.#result.resolve(message)
    if ('failed' in message) {
      this.#lastError = message.failed
      this.#result.resolve(message)
    }
  }
}

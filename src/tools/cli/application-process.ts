/** The child process in which `fw run` runs the application. */
import { fork, type ChildProcess } from 'node:child_process'
import type { Socket } from 'node:net'
import { moduleFile } from '../../runtime/base.ts'
import type { RpcChannel } from '../../runtime/db.ts'
import type { MemoryRecord } from '../../runtime/session.ts'
import type { ErrorReport, Mistake } from '../dev.ts'
import {
  onMessage,
  rpcChannel,
  sendMessage,
  type ApplicationStart,
  type ChildMessage,
  type ParentMessage,
  type StartResult,
} from './process-messages.ts'

/** The milliseconds after which a process that has not confirmed `stop` counts as blocked. */
const confirmTimeout = 1_000
/** The milliseconds for closing the application, in addition to the time for in-flight requests. */
const closeTimeout = 1_500

/** The error report for a process that exited without sending one. */
const describeExit = (reason: string): ErrorReport => ({
  name: 'Process',
  message: `The application's process ended ${reason}. The terminal shows its last output.`,
  stack: [],
  causes: [],
})

/** Starts one of Fw's programs without the debugger flags, because this process already uses the debugger's port. */
export const forkProgram = (name: string, args: readonly string[]) =>
  fork(moduleFile(name), args, {
    execArgv: process.execArgv.filter((flag) => !flag.startsWith('--inspect')),
    serialization: 'advanced',
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })

/**
 * A child process for the application. It loads Fw and parses the settings when it is created, and loads the
 * application when `start` is called.
 */
export class ApplicationProcess {
  /** Resolves when the process has ended, to the error that it reported last, else to a description of its exit. */
  readonly exited: Promise<ErrorReport>
  /** The channel on which the child sends statements for the embedded database. */
  readonly channel: RpcChannel
  /** The in-memory sessions of the stopped process; `undefined` if sessions are stored elsewhere or the process was killed. */
  sessions: readonly MemoryRecord[] | undefined
  readonly #child: ChildProcess
  readonly #loaded = Promise.withResolvers<void>()
  readonly #result = Promise.withResolvers<StartResult>()
  readonly #stopping = Promise.withResolvers<void>()
  /** The connections that the child has not confirmed, by number. */
  readonly #unconfirmed = new Map<number, Socket>()
  #connections = 0
  #lastError: ErrorReport | undefined

  constructor(root: string) {
    this.#child = forkProgram('tools/cli/serve-application', [root])
    this.channel = rpcChannel(this.#child)
    onMessage<ChildMessage>(this.#child, (message) => this.#receive(message))
    this.exited = new Promise((resolve) => {
      const exit = (reason: string): void => {
        const failed = this.#lastError ?? describeExit(reason)
        this.#loaded.resolve()
        this.#stopping.resolve()
        this.#result.resolve({ failed })
        resolve(failed)
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

  async start(start: ApplicationStart): Promise<StartResult> {
    await this.#loaded.promise
    this.#send({ start })
    return this.#result.promise
  }

  /** Sends a connection to the child. The parent keeps the connection open until the child confirms it. */
  handleSocket(socket: Socket): void {
    const connection = ++this.#connections
    this.#unconfirmed.set(connection, socket)
    this.#send({ connection }, socket)
  }

  show(mistakes: readonly Mistake[]): void {
    this.#send({ mistakes })
  }

  /** Removes and returns the connections that the child has not confirmed. */
  reclaimSockets(): readonly Socket[] {
    const sockets = [...this.#unconfirmed.values()]
    this.#unconfirmed.clear()
    return sockets
  }

  /** Waits for the requests in flight, then ends the process; kills a blocked process. */
  async stop(grace?: number): Promise<void> {
    this.#send({ stop: { grace } })
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

  #send(message: ParentMessage, socket?: Socket): void {
    void sendMessage(this.#child, message, { socket })
  }

  #receive(message: ChildMessage): void {
    if ('loaded' in message) this.#loaded.resolve()
    if ('received' in message) {
      this.#unconfirmed.get(message.received)?.destroy()
      this.#unconfirmed.delete(message.received)
    }
    if ('stopping' in message) this.#stopping.resolve()
    if ('sessions' in message) this.sessions = message.sessions
    if ('failed' in message) this.#lastError = message.failed
    if ('ready' in message || 'failed' in message) this.#result.resolve(message)
  }
}

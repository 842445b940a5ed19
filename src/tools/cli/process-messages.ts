/** The messages between the processes of `fw run`, and between those of `fw start --workers`. */
import type { ChildProcess } from 'node:child_process'
import type { Socket } from 'node:net'
import type { RpcChannel } from '../../runtime/db.ts'
import type { MemoryRecord } from '../../runtime/session.ts'
import type { MetricSnapshot } from '../../runtime/telemetry.ts'
import type { ErrorReport, Mistake } from '../dev.ts'

export interface ApplicationStart {
  /** The secret, which is the same for every process of one `fw run`, so that cookies remain valid after a restart. */
  readonly secret: string
  readonly logsStatements: boolean
  /** The origin of Vite's development server; undefined without one. */
  readonly assetServer: string | undefined
  readonly sessions: readonly MemoryRecord[]
}

/** The messages of `fw run` to the application's process. */
export type ParentMessage =
  | { readonly start: ApplicationStart }
  /** The number of the connection that is sent with this message; the child confirms the number. */
  | { readonly connection: number }
  | { readonly mistakes: readonly Mistake[] }
  /** Stops the child. `grace`: the milliseconds for requests in flight; `undefined`: the application's setting applies. */
  | { readonly stop: { readonly grace: number | undefined } }

/** `about` describes the application's environment and database. */
export type StartResult =
  | { readonly ready: { readonly about: string } }
  | { readonly failed: ErrorReport }

/** The messages of the application's process to `fw run`. */
export type ChildMessage =
  | StartResult
  | { readonly loaded: true }
  | { readonly received: number }
  | { readonly stopping: true }
  | { readonly sessions: readonly MemoryRecord[] }

/** The messages of the primary process of `fw start --workers` to a worker. */
export type PrimaryMessage =
  /** Makes the worker start the application and listen. */
  | { readonly serve: true }
  /** Makes the worker finish the requests in flight, then exit. */
  | { readonly stop: 'all' | 'replaced' }
  /** Makes the worker send its metrics. */
  | { readonly collect: true }
  /** The metrics of all workers, in response to `scrape`. */
  | { readonly metrics: string }

/** The messages of a worker to the primary process. */
export type WorkerMessage =
  /** The worker has loaded the code, and waits for `serve`. */
  | { readonly loaded: true }
  /** The application has started, and the worker accepts connections on these sockets (see `collectSharedSockets`). */
  | { readonly ready: true; readonly sockets: readonly string[] }
  /** A heartbeat, with the worker's resident memory in bytes. */
  | { readonly memory: number }
  | { readonly snapshot: readonly MetricSnapshot[] }
  /** A client has requested metrics, so the worker needs the metrics of all workers. */
  | { readonly scrape: true }

type Channel = ChildProcess | NodeJS.Process

/**
 * The member that contains a message of Fw, so that it differs from messages that the application sends on the same channel.
 * Do not change the keys: after an update of Fw, a running primary process starts workers with the new code.
 */
type MessageKey = 'fw' | 'fwWorker'

/**
 * Sends a message, and with it a socket that remains open in this process. Resolves when the message is sent, or if the channel
 * is closed.
 */
export function sendMessage(
  channel: Channel,
  message: object,
  { socket, key = 'fw' }: { readonly socket?: Socket | undefined; readonly key?: MessageKey } = {},
): Promise<void> {
  return new Promise((resolve) => {
    if (!channel.connected) return resolve()
    ;(channel as ChildProcess).send({ [key]: message }, socket, { keepOpen: true }, () => resolve())
  })
}

/** Calls `listener` for each message of Fw, but not for other messages, such as the 'ready' of process managers. */
export function onMessage<T extends object>(
  channel: Channel,
  listener: (message: T, socket: Socket | undefined) => void,
  key: MessageKey = 'fw',
): void {
  channel.on('message', (wrapped: Readonly<Record<string, unknown>> | null, socket: unknown) => {
    const message = wrapped?.[key]
    if (typeof message === 'object' && message !== null)
      listener(message as T, socket as Socket | undefined)
  })
}

/** Returns the channel on which a process sends statements for the embedded database. */
export const rpcChannel = (channel: Channel): RpcChannel => ({
  send: (message) => void sendMessage(channel, message),
  onMessage: (listener) => onMessage(channel, listener),
})

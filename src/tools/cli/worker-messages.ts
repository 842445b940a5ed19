/** The messages between the primary process of `fw start --workers` and its workers. */
import type { MetricSnapshot } from '../../runtime/telemetry.ts'

export type PrimaryMessage =
  /** Starts the application, and listens. */
  | { readonly serve: true }
  /** Answers the requests in flight, then exits. */
  | { readonly stop: 'all' | 'replaced' }
  /** Sends the metrics of the worker. */
  | { readonly collect: true }
  /** The metrics of all workers, after `scrape`. */
  | { readonly metrics: string }

export type WorkerMessage =
  /** The code is loaded: the worker waits for `serve`. */
  | { readonly loaded: true }
  /** The application has started, and the worker accepts connections from these sockets, see `collectSharedSockets`. */
  | { readonly ready: true; readonly sockets: readonly string[] }
  /** A sign of life, with the bytes of resident memory. */
  | { readonly memory: number }
  | { readonly snapshot: readonly MetricSnapshot[] }
  /** A client has asked for the metrics of all workers. */
  | { readonly scrape: true }

/** Marks a message of Fw, because the application may send messages on the same channel. */
export const wrapMessage = (message: PrimaryMessage | WorkerMessage): object => ({
  fwWorker: message,
})

/** The message of Fw; undefined for any other message. */
export function unwrapMessage(message: unknown): object | undefined {
  if (typeof message !== 'object' || message === null || !('fwWorker' in message)) return undefined
  const { fwWorker } = message
  return typeof fwWorker === 'object' && fwWorker !== null ? fwWorker : undefined
}

/** The messages between the primary process of `fw start --workers` and its workers. */
import type { MetricSnapshot } from '../../runtime/telemetry.ts'

export type PrimaryMessage =
  /** Makes the worker start the application and listen. */
  | { readonly serve: true }
  /** Makes the worker finish the requests in flight, then exit. */
  | { readonly stop: 'all' | 'replaced' }
  /** Makes the worker send its metrics. */
  | { readonly collect: true }
  /** The metrics of all workers, in response to `scrape`. */
  | { readonly metrics: string }

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

/** Wraps a message of Fw, so that it differs from messages that the application sends on the same channel. */
export const wrapMessage = (message: PrimaryMessage | WorkerMessage): object => ({
  fwWorker: message,
})

/** Returns the message of Fw; undefined for any other message. */
export function unwrapMessage(message: unknown): object | undefined {
  if (typeof message !== 'object' || message === null || !('fwWorker' in message)) return undefined
  const { fwWorker } = message
  return typeof fwWorker === 'object' && fwWorker !== null ? fwWorker : undefined
}

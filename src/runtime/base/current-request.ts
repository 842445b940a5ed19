/** The request that the running code belongs to, for log lines and SQL comments. */
import { AsyncLocalStorage } from 'node:async_hooks'
import type { Channel } from 'node:diagnostics_channel'
import type { LogFields, Logger } from './logger.ts'

/** The ids and the route of a request. */
export interface CurrentRequest {
  readonly requestId: string
  /** Of the trace that the request belongs to, if there is one. */
  readonly traceId: string | undefined
  /** In the format of W3C Trace Context. Begins a trace if the request belongs to none. */
  readonly traceparent: string
  /** The pattern of the matched route; undefined before the match and without one. */
  readonly route: string | undefined
  readonly controller: string | undefined
  readonly action: string | undefined
  /** True after the request has waited for a database connection and got it: under overload a pool serves it first. */
  hadConnection: boolean
}

const requests = new AsyncLocalStorage<CurrentRequest>()
/** Skips the lookup in processes without a bound channel. */
let bindings = 0

/** Undefined outside requests, and in a process that has not called `bindCurrentRequest`. */
export const currentRequest = (): CurrentRequest | undefined =>
  bindings > 0 ? requests.getStore() : undefined

/**
 * Makes each event of the channel the current request of the work that `runStores` calls. Returns a function that removes
 * the binding.
 */
export function bindCurrentRequest<E extends CurrentRequest>(channel: Channel<E, E>): () => void {
  const bound = channel as unknown as Channel<CurrentRequest, CurrentRequest>
  if (bindings++ === 0) bound.bindStore(requests)
  return () => {
    if (--bindings === 0) bound.unbindStore(requests)
  }
}

/** A logger that adds the ids of the current request to every event without a `requestId`. */
export function withRequestIds(logger: Logger): Logger {
  const add = (own: LogFields): LogFields => {
    const request = currentRequest()
    if (request === undefined) return own
    const { traceId } = request
    const requestId = own['requestId'] ?? request.requestId
    return traceId === undefined ? { requestId, ...own } : { requestId, traceId, ...own }
  }
  return {
    debug: (own, message) => logger.debug(add(own), message),
    info: (own, message) => logger.info(add(own), message),
    warn: (own, message) => logger.warn(add(own), message),
    error: (own, message) => logger.error(add(own), message),
  }
}

/** The current request: log lines and SQL comments read its ids through `AsyncLocalStorage`. */
import { AsyncLocalStorage } from 'node:async_hooks'
import type { Channel } from 'node:diagnostics_channel'
import type { LogFields, Logger } from './logger.ts'

/** The ids and the route of a request. */
export interface CurrentRequest {
  readonly requestId: string
  /** The id of the W3C trace that the request belongs to; undefined without a trace. */
  readonly traceId: string | undefined
  /** The header `traceparent` (W3C Trace Context) for outgoing calls. Reading it starts a trace if there is none. */
  readonly traceparent: string
  /** The pattern of the matched route; undefined before the router has run and if no route matches. */
  readonly route: string | undefined
  readonly controller: string | undefined
  readonly action: string | undefined
}

const requests = new AsyncLocalStorage<CurrentRequest>()
/** The number of active `bindCurrentRequest` calls; at 0, `currentRequest` skips the `AsyncLocalStorage` lookup. */
let bindings = 0

/** Returns the current request; undefined outside requests, and in a process that has not called `bindCurrentRequest`. */
export const currentRequest = (): CurrentRequest | undefined =>
  bindings > 0 ? requests.getStore() : undefined

/** Makes `currentRequest` return the event of the channel's `runStores`, until the returned function is called. */
export function bindCurrentRequest<E extends CurrentRequest>(channel: Channel<E, E>): () => void {
  const bound = channel as unknown as Channel<CurrentRequest, CurrentRequest>
  if (bindings++ === 0) bound.bindStore(requests)
  return () => {
    if (--bindings === 0) bound.unbindStore(requests)
  }
}

/** Runs `work` with `request` as the current request; with undefined, `work` has no current request. */
export const runWithRequest = <T>(request: CurrentRequest | undefined, work: () => T): T =>
  request === undefined ? work() : requests.run(request, work)

/**
 * Runs `work` outside the async context of every request. Create sockets and timers that outlive a request here: they would
 * keep the request in memory, and their log lines would have its id.
 */
export const outsideRequests: <T>(work: () => T) => T = AsyncLocalStorage.snapshot()

/** Returns a logger that adds the ids of the current request and its trace. Keeps the `requestId` of an event. */
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

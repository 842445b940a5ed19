/** The access log: one line for each request of an application. */
import { redactTarget, requestChannel, type RequestEvent, type Services } from '../action.ts'
import { HttpError, redacted, type LogFields } from '../base.ts'
import type { TelemetrySettings } from './settings.ts'

/** Logs each request of the application that has these services, until the returned function is called. */
export function startAccessLog(
  services: Services,
  { only, slow, sample }: TelemetrySettings['accessLog'],
): () => void {
  const takesAll = only === 'all'
  const start = (event: RequestEvent): void => {
    if (event.ctx.services !== services) return
    // Reading the property creates the request id before the headers are sent, so that the response contains it too.
    void event.requestId
    // Node returns the address of a closed socket only if it was read before.
    void event.ctx.request.remoteAddress
  }
  const end = (event: RequestEvent): void => {
    if (event.ctx.services !== services || isShed(event.error)) return
    const isNotable = event.status >= 500 || event.millis >= slow
    if (!isNotable && (!takesAll || (sample < 1 && Math.random() >= sample))) return
    services.logger.info(describeRequest(event), 'request')
  }
  return requestChannel.subscribe({ start, end })
}

/** True for a request that found no free connection. Another log line has the number of these requests once a second. */
const isShed = (error: unknown): boolean =>
  error instanceof HttpError && error.code === 'db.pool-exhausted'

function describeRequest(event: RequestEvent): LogFields {
  const { ctx, requestId, traceId, method, route, status, bytes, millis, isAborted } = event
  return {
    requestId,
    traceId,
    method,
    route,
    target: formatTarget(event),
    status,
    millis: Math.round(millis * 1000) / 1000,
    bytes,
    client: ctx.request.remoteAddress,
    aborted: isAborted ? true : undefined,
    prefetch: ctx.isPrefetch ? true : undefined,
  }
}

/** Returns path and query with secrets redacted. Redacts all of it if no route was looked up: any part may be secret. */
export const formatTarget = ({ ctx, isDispatched }: RequestEvent): string =>
  isDispatched ? redactTarget(ctx.request.http.target, ctx) : redacted

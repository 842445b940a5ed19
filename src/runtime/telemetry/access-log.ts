/** The access log: one event for each request of an application. */
import { redactTarget, requestChannel, type RequestEvent, type Services } from '../action.ts'
import { HttpError, redacted, type LogFields, type Logger } from '../base.ts'
import type { TelemetrySettings } from './settings.ts'

/** Logs the requests of the application with these services, until the returned function is called. */
export function startAccessLog(
  services: Services,
  { only, slow, sample }: TelemetrySettings['accessLog'],
  logger: Logger = services.logger,
): () => void {
  const takesAll = only === 'all'
  // Creates the id while the response can still carry it.
  const start = (event: RequestEvent): void => {
    if (event.ctx.services === services) void event.requestId
  }
  const end = (event: RequestEvent): void => {
    if (event.ctx.services !== services || isShed(event.error)) return
    const isNotable = event.status >= 500 || event.millis >= slow
    if (!isNotable && (!takesAll || (sample < 1 && Math.random() >= sample))) return
    logger.info(describeRequest(event), 'request')
  }
  return requestChannel.subscribe({ start, end })
}

/** The log contains the number of the requests that an overloaded database refused, once a second. */
const isShed = (error: unknown): boolean =>
  error instanceof HttpError && error.code === 'db.overloaded'

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
  }
}

/** Path and query, with secrets redacted. Without a lookup it is unknown which segments are secret. */
const formatTarget = ({ ctx, isDispatched }: RequestEvent): string =>
  isDispatched ? redactTarget(ctx.request.http.target, ctx) : redacted

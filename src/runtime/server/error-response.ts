/** The error responses that a container creates without the application: one line of plain text. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { HttpError, type LogFields, type Logger } from '../base.ts'
import { HttpResponse, reasonPhrase, ResponseHeaders } from '../http.ts'
import { reportLimit, type ReportedLimit } from './report-limit.ts'
import { servedMethods } from './request-validator.ts'
import type { ResolvedSettings } from './server-settings.ts'

/** Returns the response to an error that the application has not handled. Logs a server error and hides its details. */
export function errorResponse(error: unknown, logger: Logger): HttpResponse {
  if (error instanceof HttpError && error.status < 500)
    return plainResponse(error.status, error.message)
  logError(logger, error)
  return plainResponse(error instanceof HttpError ? error.status : 500)
}

/** Logs an error. Ignores errors of the logger (a full pipe), which must not fail the request or end the process. */
export function logError(
  logger: Logger,
  error: unknown,
  message = 'request failed',
  fields: LogFields = {},
): void {
  try {
    logger.error({ err: error, ...fields }, message)
  } catch {
    // There is no other log to write this error to.
  }
}

/** Returns a response whose body is one line: `message`, or the standard reason phrase of the status. */
export function plainResponse(status: number, message = reasonPhrase(status)): HttpResponse {
  const headers = new ResponseHeaders([
    'Content-Type',
    'text/plain; charset=utf-8',
    'X-Content-Type-Options',
    'nosniff',
    'Cache-Control',
    'no-store',
  ])
  if (status === 405) headers.append('Allow', servedMethods)
  if (status === 503) headers.append('Retry-After', '1')
  return new HttpResponse(status, message + '\n', headers)
}

const statuses: Readonly<Record<string, number>> = {
  HPE_HEADER_OVERFLOW: 431,
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 413,
  ERR_HTTP_REQUEST_TIMEOUT: 408,
}

/** Returns the setting by which Node has rejected a request; undefined for other errors, and for a connection without a request. */
function exceededLimit({ code }: NodeJS.ErrnoException, socket: Duplex): ReportedLimit | undefined {
  if (code === 'HPE_HEADER_OVERFLOW') return 'maxHeaderBytes'
  // Browsers open connections that they may not use.
  if (code !== 'ERR_HTTP_REQUEST_TIMEOUT' || (socket as Socket).bytesRead === 0) return undefined
  // The response may be complete although the body is not, so only the parser knows the request that Node reads.
  const { parser } = socket as { parser?: { incoming?: IncomingMessage | null } | null }
  return parser?.incoming?.complete === false ? 'requestTimeout' : 'headersTimeout'
}

/**
 * Handles Node's event `clientError`: responds to a request that Node's parser rejected, and closes the connection. `logger` and
 * `finish` are those of the server's settings.
 */
export function handleClientError(
  error: NodeJS.ErrnoException,
  socket: Duplex,
  { logger, finish }: Pick<ResolvedSettings, 'logger' | 'finish'>,
): void {
  const current = (socket as { _httpMessage?: ServerResponse | null })._httpMessage
  const limit = exceededLimit(error, socket)
  if (limit !== undefined) reportLimit(logger, limit)
  const hasResponse = current?.headersSent === true
  // The container has already sent an error response to this request. End the socket instead of cutting that response off.
  if (error.code === 'HPE_INVALID_TRANSFER_ENCODING' && hasResponse)
    return void socket.end(() => socket.destroy())
  if (!socket.writable || error.code === 'ECONNRESET' || hasResponse) return void socket.destroy()
  const status = statuses[error.code ?? ''] ?? 400
  const { headers, shared } = finish(plainResponse(status))
  const body = reasonPhrase(status) + '\n'
  headers.set('Content-Length', Buffer.byteLength(body))
  headers.set('Connection', 'close')
  let head = `HTTP/1.1 ${status} ${reasonPhrase(status)}\r\n`
  for (const [name, value] of headers) head += `${name}: ${value}\r\n`
  socket.end(`${head}${shared?.text ?? ''}\r\n${body}`, () => socket.destroy())
}

export function bodyTooLarge(limit: number): HttpError {
  return new HttpError(413, 'http.body-too-large', `The body is larger than ${limit} bytes.`)
}

export function bodyAborted(): HttpError {
  return new HttpError(
    499,
    'http.body-aborted',
    'The client went away before the body was complete.',
  )
}

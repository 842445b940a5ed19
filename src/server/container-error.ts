/** What a container answers by itself: plain text without a stack. */
import { HttpError } from '../base.ts'
import type { Logger } from '../base.ts'
import { HttpResponse, reasonPhrase, ResponseHeaders } from '../http.ts'
import { servedMethods } from './request-hygiene.ts'

/** The answer to an error that no layer of the application has answered; a fault is logged and told nothing about. */
export function errorResponse(error: unknown, logger: Logger): HttpResponse {
  if (error instanceof HttpError) {
    if (error.status >= 500) report(logger, error)
    return plainResponse(error.status, error.status < 500 ? error.message : undefined)
  }
  report(logger, error)
  return plainResponse(500)
}

/** A logger may fail (a full pipe): that must not cost the request, or the process. */
export function report(logger: Logger, error: unknown, message = 'request failed'): void {
  try {
    logger.error({ error }, message)
  } catch {
    // Nothing is left to tell it to.
  }
}

/** Text of one line; the standard phrase without `message`. */
export function plainResponse(
  status: number,
  message: string = reasonPhrase(status),
): HttpResponse {
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

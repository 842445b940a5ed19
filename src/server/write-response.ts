/** Writes a response to Node's: known bodies in one go, streams with back-pressure. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Logger } from '../base.ts'
import type { HttpResponse } from '../http.ts'
import { checkedStatus, hasNoBody, reasonPhrase, releaseBody } from '../http.ts'
import { plainResponse, report } from './container-error.ts'
import { httpDate } from './date-header.ts'
import { DirectResponse } from './direct-response.ts'
import { leavesHeadToContainer, responseHead } from './response-head.ts'
import { pumpStream } from './stream-body.ts'
import type { WriteRate } from './write-rate.ts'

/** What the responses of one container share. */
export interface ResponseWriter {
  readonly logger: Logger
  readonly writeRate: WriteRate
  /** True once the container shuts down: connections are not kept. */
  readonly closing: boolean
  /** Connections whose last response is written: requests that follow on them are not served. */
  readonly ended: WeakSet<Socket>
}

// What Node may read and drop so that the connection can be used again.
const drainable = 64 * 1024
const lingerTime = 2_000
const notInReason = /[^\t\x20-\x7e\x80-\xff]/

/** Never throws. Nothing is written when the client is gone or an answer was begun. */
export function writeResponse(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  response: HttpResponse,
  writer: ResponseWriter,
): void {
  if (outgoing.headersSent || outgoing.destroyed) return releaseBody(response.body)
  try {
    if (!writeWhole(incoming, outgoing, response, writer))
      write(incoming, outgoing, response, writer)
  } catch (error) {
    releaseBody(response.body)
    report(writer.logger, error, 'response refused')
    if (outgoing.headersSent) outgoing.destroy()
    else write(incoming, outgoing, plainResponse(500), writer)
  }
}

/** The short way, for nearly every response; false when it has to go the long one. */
function writeWhole(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  response: HttpResponse,
  writer: ResponseWriter,
): boolean {
  const { body, status, reason, headers, shared } = response
  const known = typeof body === 'string' || body instanceof Uint8Array
  if (!known || reason !== undefined || incoming.method === 'HEAD') return false
  if (!(outgoing instanceof DirectResponse) || !outgoing.isDirect) return false
  if (writer.closing || leavesBody(incoming) || !leavesHeadToContainer(response)) return false
  if (hasNoBody(checkedStatus(status))) return false
  const length = typeof body === 'string' ? Buffer.byteLength(body) : body.byteLength
  outgoing.statusCode = status
  const { raw } = headers
  let head = `HTTP/1.1 ${status} ${reasonPhrase(status)}\r\n`
  for (let i = 0; i < raw.length; i += 2) head += `${raw[i]!}: ${raw[i + 1]!}\r\n`
  head += `${shared?.text ?? ''}Content-Length: ${length}\r\nConnection: keep-alive\r\nDate: ${httpDate()}\r\n\r\n`
  outgoing.sendWhole(head, length === body.length ? body : Buffer.from(body as string))
  writer.writeRate.watch(outgoing)
  return true
}

function write(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  response: HttpResponse,
  writer: ResponseWriter,
): void {
  const status = checkedStatus(response.status)
  const { raw, close, declaredLength } = responseHead(response)
  const { body } = response
  const lingers = leavesBody(incoming)
  const ends = close || lingers || writer.closing
  if (ends) {
    raw.push('Connection', 'close')
    writer.ended.add(incoming.socket)
  }
  const known = body === undefined || typeof body === 'string' || body instanceof Uint8Array
  const bodiless = hasNoBody(status)
  if (known && !bodiless)
    raw.push('Content-Length', String(lengthOf(body, declaredLength, incoming.method)))
  else if (status === 205) raw.push('Content-Length', '0')
  else if (!bodiless && declaredLength !== undefined)
    raw.push('Content-Length', String(declaredLength))
  // Said by us, it spares Node the second line, Keep-Alive.
  if (!ends && (known || bodiless) && outgoing.shouldKeepAlive) raw.push('Connection', 'keep-alive')

  // Node's own phrases are those of the standard before RFC 9110.
  const { reason } = response
  const isFit = reason !== undefined && !notInReason.test(reason)
  outgoing.writeHead(status, isFit ? reason : reasonPhrase(status), raw)

  if (bodiless || incoming.method === 'HEAD') {
    releaseBody(body)
    finish(incoming, outgoing, undefined, lingers)
  } else if (known) {
    finish(incoming, outgoing, body, lingers)
    writer.writeRate.watch(outgoing)
  } else {
    pumpStream(outgoing, body, { ...writer, declaredLength })
  }
}

// HEAD tells the length GET would have; only the application knows it when it made no body.
function lengthOf(
  body: string | Uint8Array | undefined,
  declaredLength: number | undefined,
  method: string | undefined,
): number {
  if (body === undefined) return method === 'HEAD' ? (declaredLength ?? 0) : 0
  return typeof body === 'string' ? Buffer.byteLength(body) : body.byteLength
}

/** True when so much of the request body is unread that the connection is better closed. */
function leavesBody(incoming: IncomingMessage): boolean {
  if (incoming.complete) return false
  const { 'content-length': length, 'transfer-encoding': coding, expect } = incoming.headers
  if (coding === undefined && length === undefined) return false
  // Begun and not finished: Node would not read on by itself.
  if (incoming.readableFlowing !== null) return true
  return expect !== undefined || coding !== undefined || Number(length) > drainable
}

function finish(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  body: string | Uint8Array | undefined,
  lingers: boolean,
): void {
  if (!lingers) {
    outgoing.end(body)
    return
  }
  // Closing while the client still sends resets the connection, and may cost it this answer.
  if (body !== undefined && body.length > 0) outgoing.write(body)
  else outgoing.flushHeaders()
  const timer = setTimeout(end, lingerTime)
  incoming.once('end', end)
  incoming.once('close', end)
  incoming.on('error', () => {})
  incoming.resume()

  function end(): void {
    clearTimeout(timer)
    incoming.off('end', end)
    incoming.off('close', end)
    outgoing.end()
  }
}

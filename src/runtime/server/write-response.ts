/** Writes a response to Node's `ServerResponse`: known bodies in one write, streams with back-pressure. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Logger } from '../base.ts'
import {
  checkStatus,
  currentHttpDate,
  hasNoBody,
  openBodyReader,
  reasonPhrase,
  releaseBody,
  type BodyReader,
  type HttpResponse,
  type StreamedBody,
} from '../http.ts'
import { DirectResponse } from './direct-response.ts'
import { logError, plainResponse } from './error-response.ts'
import type { WriteRateMonitor } from './monitors.ts'

/** The settings and services that all responses of a container share. */
export interface ResponseWriter {
  readonly logger: Logger
  readonly writeRate: WriteRateMonitor
  /** True during shutdown: connections are closed after their response. */
  readonly closing: boolean
  /** Connections whose last response is written: later requests on them are not served. */
  readonly finishedSockets: WeakSet<Socket>
}

// Node reads and drops an unread request body up to this size, to reuse the connection.
const maxDrainedBytes = 64 * 1024
const lingerTime = 2_000
const invalidInReason = /[^\t\x20-\x7e\x80-\xff]/

/** Never throws. Writes nothing if the client has disconnected or the response has begun. */
export function writeResponse(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  response: HttpResponse,
  writer: ResponseWriter,
): void {
  if (outgoing.headersSent || outgoing.destroyed) return releaseBody(response.body)
  try {
    if (!writeDirect(incoming, outgoing, response, writer))
      write(incoming, outgoing, response, writer)
  } catch (error) {
    releaseBody(response.body)
    logError(writer.logger, error, 'response refused')
    if (outgoing.headersSent) outgoing.destroy()
    else write(incoming, outgoing, plainResponse(500), writer)
  }
}

/** The fast path for most responses. Returns false if the response needs `write`. */
function writeDirect(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  response: HttpResponse,
  writer: ResponseWriter,
): boolean {
  const { body, status, reason, headers, shared } = response
  const known = typeof body === 'string' || body instanceof Uint8Array
  if (!known || reason !== undefined || incoming.method === 'HEAD') return false
  if (!(outgoing instanceof DirectResponse) || !outgoing.isDirect) return false
  if (writer.closing || leavesBody(incoming) || hasContainerHeader(response)) return false
  if (hasNoBody(checkStatus(status))) return false
  const length = typeof body === 'string' ? Buffer.byteLength(body) : body.byteLength
  outgoing.statusCode = status
  const { raw } = headers
  let head = `HTTP/1.1 ${status} ${reasonPhrase(status)}\r\n`
  for (let i = 0; i < raw.length; i += 2) head += `${raw[i]!}: ${raw[i + 1]!}\r\n`
  head += `${shared?.text ?? ''}Content-Length: ${length}\r\nConnection: keep-alive\r\nDate: ${currentHttpDate()}\r\n\r\n`
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
  const status = checkStatus(response.status)
  const { raw, close, declaredLength } = responseHead(response)
  const { body } = response
  const lingers = leavesBody(incoming)
  const ends = close || lingers || writer.closing
  if (ends) {
    raw.push('Connection', 'close')
    writer.finishedSockets.add(incoming.socket)
  }
  const known = body === undefined || typeof body === 'string' || body instanceof Uint8Array
  const bodiless = hasNoBody(status)
  if (known && !bodiless)
    raw.push('Content-Length', String(contentLength(body, declaredLength, incoming.method)))
  else if (status === 205) raw.push('Content-Length', '0')
  else if (!bodiless && declaredLength !== undefined)
    raw.push('Content-Length', String(declaredLength))
  // Setting `Connection` ourselves stops Node from adding `Keep-Alive`.
  if (!ends && (known || bodiless) && outgoing.shouldKeepAlive) raw.push('Connection', 'keep-alive')

  // Node's own phrases are older than RFC 9110.
  const { reason } = response
  const isValid = reason !== undefined && !invalidInReason.test(reason)
  outgoing.writeHead(status, isValid ? reason : reasonPhrase(status), raw)

  if (bodiless || incoming.method === 'HEAD') {
    releaseBody(body)
    finish(incoming, outgoing, undefined, lingers)
  } else if (known) {
    finish(incoming, outgoing, body, lingers)
    writer.writeRate.watch(outgoing)
  } else {
    sendStream(outgoing, body, declaredLength, writer)
  }
}

// The response to HEAD has the length of the GET response; without a body, the application has to declare it.
function contentLength(
  body: string | Uint8Array | undefined,
  declaredLength: number | undefined,
  method: string | undefined,
): number {
  if (body === undefined) return method === 'HEAD' ? (declaredLength ?? 0) : 0
  return typeof body === 'string' ? Buffer.byteLength(body) : body.byteLength
}

/** True if the rest of the request body is too large to read it for the sake of the connection. */
function leavesBody(incoming: IncomingMessage): boolean {
  if (incoming.complete) return false
  const { 'content-length': length, 'transfer-encoding': coding, expect } = incoming.headers
  if (coding === undefined && length === undefined) return false
  // Partly read: Node would not read the rest.
  if (incoming.readableFlowing !== null) return true
  return expect !== undefined || coding !== undefined || Number(length) > maxDrainedBytes
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
  // Closing while the client is still sending resets the connection, and the client may lose the response.
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

/** The application's headers, without the headers that the container sets. */
export interface ResponseHead {
  /** Alternating names and values. */
  readonly raw: string[]
  /** The application has set `Connection: close`. */
  readonly close: boolean
  /** The application's Content-Length; undefined when absent or malformed. */
  readonly declaredLength: number | undefined
}

/** Copies the headers: the response and its shared headers stay unchanged. */
export function responseHead({ headers, shared }: HttpResponse): ResponseHead {
  const raw = shared === undefined ? headers.raw.slice() : [...headers.raw, ...shared.raw]
  let close = false
  let declaredLength: number | undefined
  for (let i = raw.length - 2; i >= 0; i -= 2) {
    const name = containerHeader(raw[i]!)
    if (name === undefined) continue
    const value = raw[i + 1]!
    raw.splice(i, 2)
    if (name === 'content-length')
      declaredLength = /^\d{1,15}$/.test(value) ? Number(value) : undefined
    else if (name === 'connection') {
      const listed = value
        .toLowerCase()
        .split(',')
        .map((option) => option.trim())
      close ||= listed.includes('close')
      i = removeListed(raw, listed, i)
    }
  }
  return { raw, close, declaredLength }
}

function hasContainerHeader({ headers: { raw } }: HttpResponse): boolean {
  for (let i = 0; i < raw.length; i += 2) if (containerHeader(raw[i]!) !== undefined) return true
  return false
}

const containerHeaders: ReadonlySet<string> = new Set([
  'connection',
  'content-length',
  'transfer-encoding',
  'keep-alive',
  'proxy-connection',
  'upgrade',
  'trailer',
  'te',
])

/** The name in lower case, if it is a header that the container sets or drops. */
function containerHeader(name: string): string | undefined {
  // The length rules most names out without reading them.
  switch (name.length) {
    case 2:
    case 7:
    case 10:
    case 14:
    case 16:
    case 17: {
      const lower = name.toLowerCase()
      return containerHeaders.has(lower) ? lower : undefined
    }
    default:
      return undefined
  }
}

// Headers that `Connection` lists are valid for one hop only.
function removeListed(raw: string[], listed: readonly string[], at: number): number {
  let position = at
  for (let i = raw.length - 2; i >= 0; i -= 2) {
    if (!listed.includes(raw[i]!.toLowerCase())) continue
    raw.splice(i, 2)
    if (i < position) position -= 2
  }
  return position
}

/**
 * Sends a streamed body after its head. An error of the source cuts the connection, so that the client does not take a
 * part for the whole.
 */
function sendStream(
  outgoing: ServerResponse,
  body: StreamedBody,
  declaredLength: number | undefined,
  { logger, writeRate }: ResponseWriter,
): void {
  const reader = openBodyReader(body)
  const onClose = (): void => {
    if (!outgoing.writableFinished) reader.close()
  }
  outgoing.once('close', onClose)
  outgoing.flushHeaders()
  pump(outgoing, reader, declaredLength, writeRate).catch((error: unknown) => {
    outgoing.off('close', onClose)
    reader.close()
    if (!outgoing.destroyed) logError(logger, error, 'response stream failed')
    outgoing.destroy()
  })
}

async function pump(
  outgoing: ServerResponse,
  reader: BodyReader,
  declaredLength: number | undefined,
  writeRate: WriteRateMonitor,
): Promise<void> {
  let left = declaredLength ?? Infinity
  for (;;) {
    const { done, value } = await reader.next()
    if (outgoing.destroyed) return
    if (done === true) break
    if (value === undefined || value.length === 0) continue
    left -= typeof value === 'string' ? Buffer.byteLength(value) : value.byteLength
    if (left < 0)
      throw new Error(`The body is longer than its Content-Length of ${declaredLength} bytes.`)
    if (!outgoing.write(value)) await drained(outgoing, writeRate)
  }
  if (declaredLength !== undefined && left > 0) {
    throw new Error(`The body ended ${left} bytes short of its Content-Length.`)
  }
  outgoing.end()
  writeRate.watch(outgoing)
}

// Also resolves when the connection closes; the caller checks `destroyed`.
function drained(outgoing: ServerResponse, writeRate: WriteRateMonitor): Promise<void> {
  writeRate.watch(outgoing)
  return new Promise((resolve) => {
    const done = (): void => {
      outgoing.off('drain', done)
      outgoing.off('close', done)
      resolve()
    }
    outgoing.on('drain', done)
    outgoing.on('close', done)
  })
}

/** Writes a response to Node's `ServerResponse`: a text or bytes in one write, a stream with back-pressure. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Logger } from '../base.ts'
import {
  checkStatus,
  currentHttpDate,
  hasNoBody,
  isStreamed,
  openBodyReader,
  reasonPhrase,
  releaseBody,
  type BodyReader,
  type HttpResponse,
  type ResponseBody,
  type StreamedBody,
} from '../http.ts'
import { DirectResponse } from './direct-response.ts'
import { logError, plainResponse } from './error-response.ts'
import { refusedSwitch, switchesProtocol, switchProtocol } from './handshake.ts'
import type { OpenStream, OpenStreams } from './open-streams.ts'
import type { WriteRateMonitor } from './time-limits.ts'

/** The settings and services that all responses of a container share. */
export interface ResponseWriter {
  readonly logger: Logger
  /** Completes a response that the container creates itself. */
  readonly finish: (response: HttpResponse) => HttpResponse
  readonly writeRate: WriteRateMonitor
  /** True during shutdown: connections are closed after their response. */
  readonly closing: boolean
  /** The sockets whose last response is written. Later requests on these sockets are not served. */
  readonly finishedSockets: WeakSet<Socket>
  readonly openStreams: OpenStreams
}

// Bytes. Node reads and drops the rest of a request body up to this size, so that the connection can be reused.
const maxDrainedBytes = 64 * 1024
const lingerTime = 2_000
const nonAscii = /[^\0-\x7f]/
const invalidInReason = /[^\t\x20-\x7e\x80-\xff]/

/** Writes a response, unless the client has disconnected or a response has begun. Never throws. */
export function writeResponse(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  response: HttpResponse,
  writer: ResponseWriter,
): void {
  if (outgoing.headersSent || outgoing.destroyed) return releaseBody(response.body)
  try {
    if (switchesProtocol(response)) takeOver(incoming, outgoing, response, writer)
    else if (!writeDirect(incoming, outgoing, response, writer))
      write(incoming, outgoing, response, writer)
  } catch (error) {
    releaseBody(response.body)
    logError(writer.logger, error, 'response refused')
    if (outgoing.headersSent) outgoing.destroy()
    else write(incoming, outgoing, writer.finish(plainResponse(500)), writer)
  }
}

/** Lets the application take over the connection of a WebSocket handshake, or refuses the request. */
function takeOver(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  response: HttpResponse,
  writer: ResponseWriter,
): void {
  const { logger, openStreams } = writer
  releaseBody(response.body)
  const refused = refusedSwitch(incoming, openStreams)
  if (refused !== undefined)
    return write(incoming, outgoing, writer.finish(plainResponse(refused)), writer)
  switchProtocol(incoming, outgoing, response, openStreams, (error) =>
    logError(logger, error, 'WebSocket refused'),
  )
}

/** Writes a response in one write: the fast path for most responses. Returns false if the response needs `write`. */
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
  let head = (statusLines[status] ??= `HTTP/1.1 ${status} ${reasonPhrase(status)}\r\n`)
  for (let i = 0; i < raw.length; i += 2) head += `${raw[i]!}: ${raw[i + 1]!}\r\n`
  head += `${shared?.text ?? ''}Content-Length: ${length}${endOfHead()}`
  outgoing.sendWhole(head, body, length)
  writer.writeRate.watch(outgoing)
  return true
}

/** Status → its line, which is formatted once. */
const statusLines: string[] = []

let endDate = ''
let end = ''

/** Returns the last lines of the head of a response, which are the same for a second. */
function endOfHead(): string {
  const date = currentHttpDate()
  if (date !== endDate) {
    endDate = date
    end = `\r\nConnection: keep-alive\r\nDate: ${date}\r\n\r\n`
  }
  return end
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
  if (ends) writer.finishedSockets.add(incoming.socket)
  const known = !isStreamed(body)
  const bodiless = hasNoBody(status)
  const length = bodiless ? undefined : contentLength(body, declaredLength, incoming.method)
  if (length !== undefined || status === 205) raw.push('Content-Length', String(length ?? 0))
  const connection: string[] = []
  // Setting `Connection` ourselves stops Node from adding `Keep-Alive`.
  // Node keeps the connection of a 426 open unless `Connection` contains `close`.
  if (ends || (status === 426 && !outgoing.shouldKeepAlive)) connection.push('close')
  else if ((known || bodiless) && outgoing.shouldKeepAlive) connection.push('keep-alive')
  if (status === 426) connection.push('Upgrade')
  if (connection.length > 0) raw.push('Connection', connection.join(', '))

  // Replace Node's own reason phrases, which are older than RFC 9110.
  const { reason } = response
  const isValid = reason !== undefined && !invalidInReason.test(reason)
  outgoing.writeHead(status, isValid ? reason : reasonPhrase(status), raw)
  const hasBody = !bodiless && incoming.method !== 'HEAD'
  // Node sends the head with the first text of the body, in the encoding of that text. An empty Latin-1 write sends the head alone.
  if (hasBody && (nonAscii.test(reason ?? '') || raw.some((text) => nonAscii.test(text))))
    outgoing.write('', 'latin1')

  if (!hasBody) {
    releaseBody(body)
    finish(incoming, outgoing, undefined, lingers)
  } else if (known) {
    finish(incoming, outgoing, body, lingers)
    writer.writeRate.watch(outgoing)
  } else {
    const isEventStream = response.headers.get('content-type')?.startsWith('text/event-stream')
    sendStream(outgoing, body, declaredLength, writer, isEventStream === true)
  }
}

/**
 * Returns the Content-Length; undefined for an unknown one. The response to HEAD has that of the GET response. Without a body,
 * the application must set the header.
 */
export function contentLength(
  body: ResponseBody,
  declaredLength: number | undefined,
  method: string | undefined,
): number | undefined {
  if (body === undefined) return method === 'HEAD' ? (declaredLength ?? 0) : 0
  return isStreamed(body) ? declaredLength : Buffer.byteLength(body)
}

/** Returns whether the rest of the request body stays unread, because it is too large to read it for a reusable connection. */
function leavesBody(incoming: IncomingMessage): boolean {
  if (incoming.complete) return false
  const { 'content-length': length, 'transfer-encoding': coding, expect } = incoming.headers
  if (coding === undefined && length === undefined) return false
  // The body is partly read, and Node would not read the rest.
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
  // Keep reading first: closing while the client still sends resets the connection, and the client may lose the response.
  if (body !== undefined && body.length > 0) outgoing.write(body)
  else outgoing.flushHeaders()
  const end = (): void => {
    clearTimeout(timer)
    outgoing.end()
  }
  const timer = setTimeout(end, lingerTime)
  incoming.once('end', end)
  incoming.once('close', end)
  incoming.on('error', () => {})
  incoming.resume()
}

/**
 * Returns the application's headers without those that the container sets, and without those that `Connection` lists, because
 * they are valid for one hop only. `close` is true if `Connection` contains it. `declaredLength` is the first
 * Content-Length; undefined if it is absent or malformed. A 426 gets the header `Upgrade`.
 */
export function responseHead({ headers, shared, status }: HttpResponse) {
  const raw = shared === undefined ? headers.raw.slice() : [...headers.raw, ...shared.raw]
  let listed: string[] | undefined
  let declaredLength: number | undefined
  for (let i = raw.length - 2; i >= 0; i -= 2) {
    const name = containerHeader(raw[i]!)
    if (name === undefined) continue
    const [, value] = raw.splice(i, 2)
    if (name === 'content-length')
      declaredLength = /^\d{1,15}$/.test(value!) ? Number(value) : undefined
    else if (name === 'connection')
      listed = [...(listed ?? []), ...value!.split(',').map((one) => one.trim().toLowerCase())]
  }
  // RFC 9110 §15.5.22: a 426 names the protocol.
  if (status === 426) raw.push('Upgrade', 'websocket')
  if (listed === undefined) return { raw, close: false, declaredLength }
  for (let i = raw.length - 2; i >= 0; i -= 2)
    if (listed.includes(raw[i]!.toLowerCase())) raw.splice(i, 2)
  return { raw, close: listed.includes('close'), declaredLength }
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

/** Returns the name in lower case if the container sets or drops this header; undefined for other headers. */
function containerHeader(name: string): string | undefined {
  // Compares the length first, because most names then need no comparison.
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

/**
 * Sends the head and then the streamed body. An error of the stream cuts the connection, so that the client can see that
 * the body is incomplete.
 */
function sendStream(
  outgoing: ServerResponse,
  body: StreamedBody,
  declaredLength: number | undefined,
  { logger, writeRate, openStreams, finishedSockets }: ResponseWriter,
  isEventStream: boolean,
): void {
  const opened = openBodyReader(body)
  const endable = isEventStream
    ? new EndableReader(opened, outgoing, openStreams, finishedSockets)
    : undefined
  const reader = endable ?? opened
  const onClose = (): void => {
    endable?.remove()
    if (!outgoing.writableFinished) reader.close()
  }
  // Not `once`, whose wrapper takes memory for each open stream. Node emits `close` once.
  outgoing.on('close', onClose)
  outgoing.flushHeaders()
  pump(outgoing, reader, declaredLength, writeRate).catch((error: unknown) => {
    endable?.remove()
    outgoing.off('close', onClose)
    reader.close()
    if (!outgoing.destroyed) logError(logger, error, 'response stream failed')
    outgoing.destroy()
  })
}

/** The event of a response that ends an event stream at a shutdown; the signal of the request is then aborted. */
export const streamEnd = 'fw:stream-end'

/**
 * A reader that a shutdown can end: the body is then complete for the client, which reconnects to another process. The
 * signal of the request is aborted and the source closed, so that the `finally` of a generator runs.
 */
class EndableReader implements BodyReader, OpenStream {
  readonly #reader: BodyReader
  readonly #outgoing: ServerResponse
  readonly #openStreams: OpenStreams
  readonly #finishedSockets: WeakSet<Socket>
  #hasEnded = false
  #resolve: ((result: Awaited<ReturnType<BodyReader['next']>>) => void) | undefined

  constructor(
    reader: BodyReader,
    outgoing: ServerResponse,
    openStreams: OpenStreams,
    finishedSockets: WeakSet<Socket>,
  ) {
    this.#reader = reader
    this.#outgoing = outgoing
    this.#openStreams = openStreams
    this.#finishedSockets = finishedSockets
    openStreams.add(this)
  }

  // A race with one promise for the whole stream would keep a reaction for each event.
  next(): ReturnType<BodyReader['next']> {
    return new Promise((resolve, reject) => {
      this.#resolve = resolve
      if (this.#hasEnded) resolve({ done: true, value: undefined })
      else this.#reader.next().then(resolve, reject)
    })
  }

  close(): void {
    this.#reader.close()
  }

  /** Removes this stream from the open streams. Call it when the response has ended. */
  remove(): void {
    this.#openStreams.delete(this)
  }

  end(): void {
    this.#hasEnded = true
    this.remove()
    const { socket } = this.#outgoing
    if (socket !== null) {
      this.#finishedSockets.add(socket)
      this.#outgoing.once('finish', () => socket.destroySoon())
    }
    this.#outgoing.emit(streamEnd)
    this.#reader.close()
    this.#resolve?.({ done: true, value: undefined })
  }
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

// Resolves when the response can be written to again, or when the connection closes; the caller checks `destroyed`.
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

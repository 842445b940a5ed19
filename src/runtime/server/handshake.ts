/** WebSocket handshakes: the application handles them as requests, and takes the connection over after the status 101. */
import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { isPromise } from '../base.ts'
import type { HttpResponse } from '../http.ts'
import { ServerResponse } from './node-http.ts'
import type { OpenStreams } from './open-streams.ts'

/**
 * Takes over the connection of a WebSocket handshake. `head` contains the bytes that have arrived after it. The arguments are those
 * of `handleUpgrade` of the package ws. An error, also that of a promise, closes the connection.
 */
export type TakeOver = (
  incoming: IncomingMessage,
  socket: Duplex,
  head: Buffer,
) => void | Promise<void>

/** The connection of a handshake, which Node's parser has left, and the bytes that arrived after the handshake. */
interface Handshake {
  readonly socket: Socket
  readonly head: Buffer
}

const handshakes = new WeakMap<IncomingMessage, Handshake>()

/**
 * Returns true for a WebSocket handshake, which has no body. RFC 9110 §7.8 lets servers ignore other protocols, such as `h2c`, and
 * then the request is served as all others.
 */
export const isHandshake = ({ method, headers }: IncomingMessage): boolean =>
  method === 'GET' &&
  headers.upgrade?.toLowerCase() === 'websocket' &&
  headers['transfer-encoding'] === undefined &&
  Number(headers['content-length'] ?? 0) === 0

/**
 * Creates the response of a handshake. Unless the application takes over the connection, it closes after the response. Closes the
 * connection, and returns undefined, if an earlier request of it has no complete response yet: no browser sends such a handshake.
 */
export function openHandshake(
  incoming: IncomingMessage,
  socket: Socket,
  head: Buffer,
): ServerResponse | undefined {
  socket.on('error', () => socket.destroy())
  const outgoing = new ServerResponse(incoming)
  outgoing.shouldKeepAlive = false
  try {
    outgoing.assignSocket(socket)
  } catch {
    socket.destroy()
    return undefined
  }
  handshakes.set(incoming, { socket, head })
  outgoing.once('finish', () => socket.destroySoon())
  return outgoing
}

/** Returns true if the application takes over the connection. If it fails after `upgrade`, the response has another status. */
export const switchesProtocol = ({ status, switchTo }: HttpResponse): boolean =>
  status === 101 && switchTo !== undefined

/**
 * Returns undefined if the application can take over the connection, otherwise the status that refuses the request: 426 without a
 * handshake, 501 in an old Node or inside the server of another framework, and 503 once the server stops.
 */
export function refusedSwitch(
  incoming: IncomingMessage,
  openStreams: OpenStreams,
): 426 | 501 | 503 | undefined {
  if (!handshakes.has(incoming)) return isHandshake(incoming) ? 501 : 426
  return openStreams.areEnded ? 503 : undefined
}

/**
 * Passes the connection of a handshake to the application, and adds it to `openStreams`. Calls `onError` if the application fails:
 * the connection is then closed, because part of the handshake may have been sent.
 */
export function switchProtocol(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  { switchTo }: HttpResponse,
  openStreams: OpenStreams,
  onError: (error: unknown) => void,
): void {
  const { socket, head } = handshakes.get(incoming)!
  outgoing.detachSocket(socket)
  openStreams.add(socket)
  socket.once('close', () => openStreams.delete(socket))
  const fail = (error: unknown): void => {
    socket.destroy()
    onError(error)
  }
  try {
    const taken = (switchTo as TakeOver)(incoming, socket, head)
    if (isPromise(taken)) taken.then(undefined, fail)
  } catch (error) {
    fail(error)
  }
}

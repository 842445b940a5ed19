/** WebSocket handshakes: the application handles them as requests, and takes the connection over after the status 101. */
import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { HttpResponse } from '../http.ts'
import { ServerResponse } from './node-http.ts'

/**
 * Takes over the connection of a WebSocket handshake. `head` contains the bytes that have arrived after it. The arguments are those
 * of `handleUpgrade` of the package ws.
 */
export type TakeOver = (incoming: IncomingMessage, socket: Duplex, head: Buffer) => void

/** The connection of a handshake, which Node's parser has left, and the bytes that arrived after the handshake. */
interface Handshake {
  readonly socket: Socket
  readonly head: Buffer
}

const handshakes = new WeakMap<IncomingMessage, Handshake>()

/** Returns true for a WebSocket handshake. RFC 9110 §7.8 lets servers ignore other protocols, such as `h2c`. */
export const isHandshake = ({ method, headers }: IncomingMessage): boolean =>
  method === 'GET' && headers.upgrade?.toLowerCase() === 'websocket'

/** Creates the response of a handshake. Unless the application takes over the connection, it closes after the response. */
export function openHandshake(
  incoming: IncomingMessage,
  socket: Socket,
  head: Buffer,
): ServerResponse {
  handshakes.set(incoming, { socket, head })
  socket.on('error', () => socket.destroy())
  const outgoing = new ServerResponse(incoming)
  outgoing.shouldKeepAlive = false
  outgoing.assignSocket(socket)
  outgoing.once('finish', () => socket.destroySoon())
  return outgoing
}

/** Whether the application takes over the connection of the request. An error after its decision has another status. */
export const switchesProtocol = ({ status, switchTo }: HttpResponse): boolean =>
  status === 101 && switchTo !== undefined

/**
 * Passes the connection to the application, and adds the function that ends it to `connections`. Returns false if the request is
 * no handshake, or if another server has read it.
 */
export function switchProtocol(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  { switchTo }: HttpResponse,
  connections: Set<() => void>,
): boolean {
  const handshake = handshakes.get(incoming)
  if (handshake === undefined) return false
  const { socket, head } = handshake
  outgoing.detachSocket(socket)
  const end = (): void => void socket.end()
  connections.add(end)
  socket.once('close', () => connections.delete(end))
  try {
    ;(switchTo as TakeOver)(incoming, socket, head)
  } catch (error) {
    // Part of the handshake may have been sent, so that no response can follow.
    socket.destroy()
    throw error
  }
  return true
}

/** Node internals: counts the bytes of a socket that the operating system has taken, from `socket._handle`. */
import type { Socket } from 'node:net'

interface Handle {
  readonly bytesWritten?: number
  readonly writeQueueSize?: number
}

/**
 * Falls back to `countWrittenBytes` on a runtime without these fields.
 *
 * Reason: a response of megabytes is one write, and Node's public counters change only when all of it is sent. With
 * them, a client that reads steadily but needs longer than `writeTimeout` for one write would be cut off. Node's own
 * socket timeout reads the same field. Gain: correct cut-offs, not speed.
 */
export function countSentBytes(socket: Socket): number {
  const handle = Reflect.get(socket, '_handle') as Handle | null | undefined
  const { bytesWritten, writeQueueSize } = handle ?? {}
  return bytesWritten === undefined || writeQueueSize === undefined
    ? countWrittenBytes(socket)
    : bytesWritten - writeQueueSize
}

/** The plain path: the bytes of completed writes. */
export function countWrittenBytes(socket: Socket): number {
  return socket.bytesWritten - socket.writableLength
}

/** Counts the bytes of a socket that the operating system has accepted. Uses Node internals: `socket._handle`. */
import type { Socket } from 'node:net'

interface Handle {
  readonly bytesWritten?: number
  readonly writeQueueSize?: number
}

/**
 * Returns the number of sent bytes. Falls back to `countWrittenBytes` on a runtime without the internal fields.
 *
 * Reason: a large response is one write, and Node's public counters change only when the whole write is sent. With these
 * counters, a client that reads steadily but needs longer than `writeTimeout` for one write would be cut off. Node's own
 * socket timeout reads the same internal fields. Gain: correct cut-offs, not speed.
 */
export function countSentBytes(socket: Socket): number {
  const handle = Reflect.get(socket, '_handle') as Handle | null | undefined
  const { bytesWritten, writeQueueSize } = handle ?? {}
  return bytesWritten === undefined || writeQueueSize === undefined
    ? countWrittenBytes(socket)
    : bytesWritten - writeQueueSize
}

/** The plain path: returns the number of bytes of completed writes. */
export function countWrittenBytes(socket: Socket): number {
  return socket.bytesWritten - socket.writableLength
}

/** `QueuedResponses`: emits `close` on the queued responses of a connection that closes. */
import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/**
 * The responses to pipelined requests that wait for the responses to earlier requests. Bodies, signals, statements and
 * metrics of a request end with the event `close` of its response. Node 22, and Node 24 before 24.16, emit that event only
 * on the response that has the socket.
 */
export class QueuedResponses {
  readonly #bySocket = new WeakMap<Socket, Set<ServerResponse>>()

  /** Call it when a request arrives whose response has no socket. `socket` is the connection of the request. */
  add(socket: Socket, outgoing: ServerResponse): void {
    let queued = this.#bySocket.get(socket)
    if (queued === undefined) {
      queued = new Set()
      this.#bySocket.set(socket, queued)
      socket.once('close', closeLater.bind(undefined, queued))
    }
    queued.add(outgoing)
    outgoing.once('close', queued.delete.bind(queued, outgoing))
    if (socket.destroyed) closeLater(queued)
  }
}

/** Closes the responses in the next tick. Newer versions of Node emit their `close` first, which removes them from the set. */
function closeLater(queued: ReadonlySet<ServerResponse>): void {
  process.nextTick(closeAll, queued)
}

function closeAll(queued: ReadonlySet<ServerResponse>): void {
  for (const outgoing of queued) {
    outgoing.destroy()
    outgoing.emit('close')
  }
}

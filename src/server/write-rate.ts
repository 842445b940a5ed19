/** Cuts off clients that take a response a byte now and then: each would hold its memory and a connection for ever. */
import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

const interval = 500

/** A response on its way. */
interface Leaving {
  /** Bytes that the connection had handed on, at `since`. */
  taken: number
  /** Milliseconds of `performance.now()`. */
  since: number
}

/** One clock for all responses of a container. */
export class WriteRate {
  readonly #within: number
  readonly #least: number
  readonly #leaving = new Map<ServerResponse, Leaving>()
  #clock: ReturnType<typeof setInterval> | undefined

  /**
   * @param within milliseconds in which a client must take something; 0 is no limit
   * @param rate how much, in bytes a second over that time; 0: anything is enough
   */
  constructor(within: number, rate: number) {
    this.#within = within
    this.#least = Math.max(1, (rate * within) / 1000)
  }

  /** Looks at what is still to be sent, until all of it is. */
  watch(outgoing: ServerResponse): void {
    if (this.#within === 0 || outgoing.writableLength === 0 || this.#leaving.has(outgoing)) return
    const taken = takenBy(outgoing.socket)
    this.#leaving.set(outgoing, { taken, since: performance.now() })
    this.#clock ??= setInterval(() => this.#pass(), interval).unref()
  }

  #pass(): void {
    const now = performance.now()
    for (const [outgoing, seen] of this.#leaving) {
      const { socket } = outgoing
      if (outgoing.destroyed || outgoing.writableLength === 0) {
        this.#leaving.delete(outgoing)
        continue
      }
      const taken = takenBy(socket)
      // Without its socket it waits for the response to a request that came before it.
      if (socket === null || taken >= seen.taken + this.#least) {
        seen.taken = taken
        seen.since = now
      } else if (now - seen.since >= this.#within) {
        this.#leaving.delete(outgoing)
        cutOff(socket)
      }
    }
    if (this.#leaving.size > 0) return
    clearInterval(this.#clock)
    this.#clock = undefined
  }
}

interface Handle {
  readonly bytesWritten?: number
  readonly writeQueueSize?: number
}

/**
 * What Node's own time-out of a socket looks at: one write of megabytes is a single step to all that is public, however
 * steadily a client takes it.
 */
function takenBy(socket: Socket | null): number {
  if (socket === null) return 0
  const { bytesWritten, writeQueueSize } =
    (Reflect.get(socket, '_handle') as Handle | null | undefined) ?? {}
  return bytesWritten === undefined || writeQueueSize === undefined
    ? socket.bytesWritten - socket.writableLength
    : bytesWritten - writeQueueSize
}

/** Closed in peace, what is unsent would stay with the system for as long as the client likes. */
function cutOff(socket: Socket): void {
  if ('encrypted' in socket || socket.remoteAddress === undefined) socket.destroy()
  else socket.resetAndDestroy()
}

/** The graceful shutdown of a server: completes the requests in flight, then closes the connections. */
import { once } from 'node:events'
import type { Server } from 'node:http'
import { Server as NetServer, type Socket } from 'node:net'
import { acceptedAll } from './accepted-all.ts'
import { IdleConnections } from './idle-connections.ts'
import type { NodeContainer } from './node-handler.ts'
import type { RequestQueue } from './request-queue.ts'

const acceptGrace = 500
/** Milliseconds between the 503 responses at the end of a shutdown and the cutting of the remaining connections. */
const cutGrace = 200
/** Milliseconds without a request after which a draining server closes a connection. A busy client may pause for a second. */
const idleTime = 2_000
/** The idle time, in milliseconds, for sockets from `handleSocket`; it is short, because their request has already arrived. */
const passedIdleTime = 50

/** Drains one server. */
export class Drain {
  readonly #server: Server
  readonly #container: NodeContainer
  readonly #queue: RequestQueue
  readonly #sockets: ReadonlySet<Socket>
  readonly #usesInternals: boolean
  readonly #delayEnd = Promise.withResolvers<void>()

  constructor(
    server: Server,
    container: NodeContainer,
    queue: RequestQueue,
    sockets: ReadonlySet<Socket>,
    usesInternals: boolean,
  ) {
    this.#server = server
    this.#container = container
    this.#queue = queue
    this.#sockets = sockets
    this.#usesInternals = usesInternals
  }

  /** Serves for `delay` milliseconds, then closes the listening server; see `HttpServer.close`. */
  async run(grace: number, delay: number): Promise<void> {
    await this.#serveFor(delay)
    const closed = Promise.withResolvers<unknown>()
    await acceptedAll(this.#server, Math.min(acceptGrace, grace))
    // Skip the `close` of http.Server: it cuts idle connections at once, and would lose a request that is just arriving.
    NetServer.prototype.close.call(this.#server, closed.resolve)
    this.#container.closing = true
    const endLimits = this.#startLimits(grace, idleTime)
    await closed.promise
    endLimits()
    // The server is already closed. This second call stops Node's timer for the time limits of connections.
    await new Promise((resolve) => this.#server.close(resolve))
  }

  /** Waits for the connections from `HttpServer.handleSocket`, each of which closes after its response. */
  async runPassed(grace: number): Promise<void> {
    this.#container.closing = true
    const endLimits = this.#startLimits(grace, passedIdleTime)
    await Promise.all([...this.#sockets].map((socket) => once(socket, 'close').catch(() => {})))
    endLimits()
    // Stops Node's timer for the time limits of connections.
    this.#server.close()
  }

  /** Cuts every connection, and ends the delay before the close. */
  cutAll(): void {
    this.#delayEnd.resolve()
    for (const socket of this.#sockets) socket.destroy()
  }

  async #serveFor(millis: number): Promise<void> {
    if (millis === 0) return
    const timer = setTimeout(this.#delayEnd.resolve, millis)
    await this.#delayEnd.promise
    clearTimeout(timer)
  }

  /** Starts the time limits of a shutdown, for idle connections and for requests. Returns a function that removes them. */
  #startLimits(grace: number, idleMillis: number): () => void {
    const idle = new IdleConnections(this.#server, this.#sockets, this.#usesInternals)
    idle.closeAfter(idleMillis)
    let cut: NodeJS.Timeout | undefined
    const deadline = setTimeout(() => {
      this.#queue.refuseAll()
      this.#container.cancelAll()
      idle.closeAfter(0)
      cut = setTimeout(() => this.#cutUnsent(), Math.min(cutGrace, grace))
    }, grace)
    return () => {
      idle.stop()
      clearTimeout(deadline)
      clearTimeout(cut)
    }
  }

  #cutUnsent(): void {
    const connections = this.#sockets.size
    if (connections > 0)
      this.#container.logger.warn({ connections }, 'closing: cut connections with unsent responses')
    this.cutAll()
  }
}

/** Node's HTTP server for one application: limits, timeouts, listening and draining. */
import { once } from 'node:events'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { createServer } from './node-http.ts'
import type { Socket } from 'node:net'
import { Server as NetServer } from 'node:net'
import { shedChannel } from '../base.ts'
import type { Handler } from '../http.ts'
import { acceptedAll } from './accepted-all.ts'
import { DirectResponse } from './direct-response.ts'
import { handleClientError } from './error-response.ts'
import { IdleConnections } from './idle-connections.ts'
import { listenOn, type ListenAddress } from './listen.ts'
import { NodeContainer } from './node-handler.ts'
import { RequestQueue } from './request-queue.ts'
import type { ResolvedSettings, ServerSettings } from './server-settings.ts'
import { resolveSettings } from './server-settings.ts'

const checkInterval = 1_000
const acceptGrace = 500
/** Time in which the last responses are sent. */
const cutGrace = 200
/** Milliseconds without a request after which a stop closes a connection. A client on a busy machine may pause for a second. */
const idleTime = 2_000
/** The same for a socket from `handleSocket`, whose request has arrived before. */
const passedIdleTime = 50

/** Serves one handler on one port. */
export class HttpServer {
  readonly #server: Server
  readonly #container: NodeContainer
  readonly #queue: RequestQueue
  readonly #grace: number
  readonly #drainDelay: number
  readonly #usesInternals: boolean
  readonly #sockets = new Set<Socket>()
  readonly #hurry = Promise.withResolvers<void>()
  #checksTimes = false
  #closed: Promise<void> | undefined

  /**
   * @param usesInternals false uses Node's public interface only; for tests. Other runtimes lack the internals
   * @throws FwError `server.setting-invalid`
   */
  constructor(
    handler: Handler,
    settings?: ServerSettings,
    usesInternals = process.versions['bun'] === undefined,
  ) {
    const resolved = resolveSettings(settings)
    this.#container = new NodeContainer(handler, resolved, usesInternals)
    this.#grace = resolved.shutdownGrace
    this.#drainDelay = resolved.drainDelay
    this.#usesInternals = usesInternals
    this.#queue = createQueue(this.#container, resolved)
    this.#server = createNodeServer(this.#queue, resolved, usesInternals)
    this.#server.on('connection', (socket: Socket) => {
      this.#sockets.add(socket)
      socket.on('close', () => this.#sockets.delete(socket))
    })
  }

  /**
   * Port 0 takes a free one. The default `host` serves this machine only; '0.0.0.0' or '::' serves the network.
   * `{ fd }` is an open socket, such as the first one of systemd, 3.
   * @throws FwError `server.listen-failed`: port in use or not permitted, unknown address, no TCP socket
   */
  listen(port: number | { readonly fd: number }, host = '127.0.0.1'): Promise<ListenAddress> {
    const target = typeof port === 'number' ? { port, host } : port
    return listenOn(this.#server, target, this.#container.logger)
  }

  /**
   * Serves one request of an unread connection that another process has accepted. Then closes the connection, because
   * the next request may be for another process.
   */
  handleSocket(socket: Socket): void {
    this.#container.closing = true
    if (!this.#checksTimes) this.#checkTimes()
    this.#server.emit('connection', socket)
    socket.resume()
  }

  /**
   * Serves for `drainDelay` milliseconds, then stops accepting, and answers in-flight requests with `Connection: close`.
   * `grace` milliseconds later, requests without a response get a 503, and the remaining connections are cut. Further calls
   * return the promise of the first one.
   */
  close(grace: number = this.#grace, drainDelay: number = this.#drainDelay): Promise<void> {
    return (this.#closed ??= this.#server.listening
      ? this.#drain(grace, drainDelay)
      : this.#drainPassed(grace))
  }

  /** Cuts every connection, and ends the wait for `drainDelay`. */
  destroy(): void {
    this.#hurry.resolve()
    for (const socket of this.#sockets) socket.destroy()
  }

  // Node starts checking the time limits of connections on the event `listening`.
  #checkTimes(): void {
    this.#checksTimes = true
    if (!this.#server.listening) this.#server.emit('listening')
  }

  async #drain(grace: number, drainDelay: number): Promise<void> {
    await this.#serveFor(drainDelay)
    const closed = Promise.withResolvers<unknown>()
    await acceptedAll(this.#server, Math.min(acceptGrace, grace))
    // The `close` of http.Server cuts idle connections at once, and would lose a request that is just arriving.
    NetServer.prototype.close.call(this.#server, closed.resolve)
    this.#container.closing = true
    const endLimits = this.#limitDrain(grace, idleTime)
    await closed.promise
    endLimits()
    // Stops the checking of time limits; the server is closed already.
    await new Promise((resolve) => this.#server.close(resolve))
  }

  async #serveFor(millis: number): Promise<void> {
    if (millis === 0) return
    const timer = setTimeout(this.#hurry.resolve, millis)
    await this.#hurry.promise
    clearTimeout(timer)
  }

  /** Waits for the connections of `handleSocket`, which end with their response. */
  async #drainPassed(grace: number): Promise<void> {
    this.#container.closing = true
    const endLimits = this.#limitDrain(grace, passedIdleTime)
    await Promise.all([...this.#sockets].map((socket) => once(socket, 'close').catch(() => {})))
    endLimits()
    // Stops the checking of time limits.
    this.#server.close()
  }

  /** Limits the time of idle connections and of requests. Returns a function that removes the limits. */
  #limitDrain(grace: number, idleMillis: number): () => void {
    const idle = new IdleConnections(this.#server, this.#sockets, this.#usesInternals)
    idle.closeAfter(idleMillis)
    let cut: NodeJS.Timeout | undefined
    const deadline = setTimeout(() => {
      this.#queue.refuseAll()
      this.#container.cancelAll()
      idle.closeAfter(0)
      cut = setTimeout(() => this.#cutAll(), Math.min(cutGrace, grace))
    }, grace)
    return () => {
      idle.stop()
      clearTimeout(deadline)
      clearTimeout(cut)
    }
  }

  #cutAll(): void {
    const connections = this.#sockets.size
    if (connections > 0)
      this.#container.logger.warn({ connections }, 'closing: cut connections with unsent responses')
    this.destroy()
  }
}

function createQueue(container: NodeContainer, settings: ResolvedSettings): RequestQueue {
  return new RequestQueue(
    {
      get inFlight() {
        return container.inFlight
      },
      handle: ({ incoming, outgoing, expectsContinue }) =>
        container.handle(incoming, outgoing, undefined, expectsContinue),
      refuse: ({ incoming, outgoing }) => container.refuse(incoming, outgoing),
    },
    settings,
  )
}

function createNodeServer(
  queue: RequestQueue,
  settings: ResolvedSettings,
  usesInternals: boolean,
): Server {
  const server = createServer({
    ...(usesInternals ? { ServerResponse: DirectResponse as typeof ServerResponse } : {}),
    // Skips the stream events of requests without a body.
    optimizeEmptyRequests: true,
    maxHeaderSize: settings.maxHeaderBytes,
    headersTimeout: settings.headersTimeout,
    requestTimeout: settings.requestTimeout,
    keepAliveTimeout: settings.keepAliveTimeout,
    connectionsCheckingInterval: checkInterval,
    joinDuplicateHeaders: true,
    insecureHTTPParser: false,
    // `RequestValidator` requires it, with the same response as in other containers.
    requireHostHeader: false,
    noDelay: true,
  })
  server.maxConnections = settings.maxConnections
  // Node drops headers above the maximum silently; `RequestValidator` rejects them.
  server.maxHeadersCount = 0
  const add = (incoming: IncomingMessage, outgoing: ServerResponse): void =>
    queue.add(incoming, outgoing, false)
  server.on('request', add)
  // Without this listener Node itself responds.
  server.on('checkExpectation', add)
  server.on('checkContinue', (incoming: IncomingMessage, outgoing: ServerResponse) =>
    queue.add(incoming, outgoing, true),
  )
  server.on('clientError', handleClientError)
  server.on('drop', () => shedChannel.publish({ code: 'server.maxConnections' }))
  return server
}

/** `HttpServer`: Node's HTTP server with the limits, timeouts and draining of Fw. */
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
/** Milliseconds between the 503 responses at the end of a shutdown and the cutting of the remaining connections. */
const cutGrace = 200
/** Milliseconds without a request after which a draining server closes a connection. A busy client may pause for a second. */
const idleTime = 2_000
/** The idle time, in milliseconds, for sockets from `handleSocket`; it is short, because their request has already arrived. */
const passedIdleTime = 50

/** A server that passes the requests of its port, or of the sockets from another process, to one handler. */
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
   * @param usesInternals false uses Node's public interface only, for tests and for Bun, which lacks the internals
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
   * Listens on a port; port 0 selects a free port. The default `host` serves this machine only; '0.0.0.0' or '::' serves
   * the network. `{ fd }` is the file descriptor of an open socket; the first socket that systemd passes has 3.
   * @throws FwError `server.listen-failed`: port in use or not permitted, unknown address, no TCP socket
   */
  listen(port: number | { readonly fd: number }, host = '127.0.0.1'): Promise<ListenAddress> {
    const target = typeof port === 'number' ? { port, host } : port
    return listenOn(this.#server, target, this.#container.logger)
  }

  /**
   * Serves one request of a connection that another process has accepted but not read. Then closes the connection, because
   * its next request may belong to another process.
   */
  handleSocket(socket: Socket): void {
    this.#container.closing = true
    if (!this.#checksTimes) this.#checkTimes()
    this.#server.emit('connection', socket)
    socket.resume()
  }

  /**
   * Keeps serving for `drainDelay` milliseconds, then stops accepting connections and answers in-flight requests with
   * `Connection: close`. After `grace` milliseconds, requests without a response get a 503, and the remaining connections
   * are cut. A further call returns the promise of the first call.
   */
  close(grace: number = this.#grace, drainDelay: number = this.#drainDelay): Promise<void> {
    return (this.#closed ??= this.#server.listening
      ? this.#drain(grace, drainDelay)
      : this.#drainPassed(grace))
  }

  /** Cuts every connection. If `close` is waiting for `drainDelay`, ends that wait. */
  destroy(): void {
    this.#hurry.resolve()
    for (const socket of this.#sockets) socket.destroy()
  }

  // Starts Node's timer for the time limits of connections, which Node starts on the event `listening`.
  #checkTimes(): void {
    this.#checksTimes = true
    if (!this.#server.listening) this.#server.emit('listening')
  }

  async #drain(grace: number, drainDelay: number): Promise<void> {
    await this.#serveFor(drainDelay)
    const closed = Promise.withResolvers<unknown>()
    await acceptedAll(this.#server, Math.min(acceptGrace, grace))
    // Skip the `close` of http.Server: it cuts idle connections at once, and would lose a request that is just arriving.
    NetServer.prototype.close.call(this.#server, closed.resolve)
    this.#container.closing = true
    const endLimits = this.#limitDrain(grace, idleTime)
    await closed.promise
    endLimits()
    // The server is already closed. This second call stops Node's timer for the time limits of connections.
    await new Promise((resolve) => this.#server.close(resolve))
  }

  async #serveFor(millis: number): Promise<void> {
    if (millis === 0) return
    const timer = setTimeout(this.#hurry.resolve, millis)
    await this.#hurry.promise
    clearTimeout(timer)
  }

  /** Waits for the connections from `handleSocket`, each of which closes after its response. */
  async #drainPassed(grace: number): Promise<void> {
    this.#container.closing = true
    const endLimits = this.#limitDrain(grace, passedIdleTime)
    await Promise.all([...this.#sockets].map((socket) => once(socket, 'close').catch(() => {})))
    endLimits()
    // Stops Node's timer for the time limits of connections.
    this.#server.close()
  }

  /** Starts the time limits of a shutdown, for idle connections and for requests. Returns a function that removes them. */
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
    // Node then emits no stream events for requests without a body.
    optimizeEmptyRequests: true,
    maxHeaderSize: settings.maxHeaderBytes,
    headersTimeout: settings.headersTimeout,
    requestTimeout: settings.requestTimeout,
    keepAliveTimeout: settings.keepAliveTimeout,
    connectionsCheckingInterval: checkInterval,
    joinDuplicateHeaders: true,
    insecureHTTPParser: false,
    // Node need not require the Host header: `RequestValidator` does, with the same response in all containers.
    requireHostHeader: false,
    noDelay: true,
  })
  server.maxConnections = settings.maxConnections
  // No maximum: Node would silently drop further headers. `RequestValidator` rejects requests with too many.
  server.maxHeadersCount = 0
  const add = (incoming: IncomingMessage, outgoing: ServerResponse): void =>
    queue.add(incoming, outgoing, false)
  server.on('request', add)
  // Without this listener, Node itself would respond to an unknown `Expect` header.
  server.on('checkExpectation', add)
  server.on('checkContinue', (incoming: IncomingMessage, outgoing: ServerResponse) =>
    queue.add(incoming, outgoing, true),
  )
  server.on('clientError', handleClientError)
  server.on('drop', () => shedChannel.publish({ code: 'server.maxConnections' }))
  return server
}

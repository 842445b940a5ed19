/** `HttpServer`: Node's HTTP server with the limits, timeouts and graceful shutdown of Fw. */
import { once } from 'node:events'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { Server as NetServer } from 'node:net'
import { shedChannel } from '../base.ts'
import type { Handler } from '../http.ts'
import { DirectResponse } from './direct-response.ts'
import { handleClientError } from './error-response.ts'
import { isHandshake, openHandshake } from './handshake.ts'
import { IdleConnections } from './idle-connections.ts'
import { listenOn, type ListenAddress } from './listen.ts'
import { NodeContainer } from './node-handler.ts'
import { createServer } from './node-http.ts'
import { reportLimit } from './report-limit.ts'
import { RequestQueue } from './request-queue.ts'
import { resolveSettings, type ResolvedSettings, type ServerSettings } from './server-settings.ts'

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
  readonly #settings: ResolvedSettings
  readonly #usesInternals: boolean
  readonly #sockets = new Set<Socket>()
  readonly #delayEnd = Promise.withResolvers<void>()
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
    this.#settings = resolveSettings(settings)
    this.#usesInternals = usesInternals
    this.#container = new NodeContainer(handler, this.#settings, usesInternals)
    this.#queue = new RequestQueue(this.#container, this.#settings)
    this.#server = createNodeServer(this.#queue, this.#settings, usesInternals)
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
    if (!this.#checksTimes) {
      this.#checksTimes = true
      // Starts Node's timer for the time limits of connections.
      if (!this.#server.listening) this.#server.emit('listening')
    }
    this.#server.emit('connection', socket)
    socket.resume()
  }

  /**
   * Stops the server. Keeps serving for `drainDelay` milliseconds, then stops accepting connections and ends event streams and
   * WebSockets, so that browsers reconnect elsewhere. Responses to in-flight requests have `Connection: close`. After `grace` milliseconds,
   * requests without a response get a 503, and the remaining connections are cut. A further call returns the promise of the
   * first call.
   */
  close(
    grace: number = this.#settings.shutdownGrace,
    drainDelay: number = this.#settings.drainDelay,
  ): Promise<void> {
    return (this.#closed ??= this.#server.listening
      ? this.#drain(grace, drainDelay)
      : this.#drainPassed(grace))
  }

  /** Cuts every connection. If `close` is waiting for `drainDelay`, ends that wait. */
  destroy(): void {
    this.#delayEnd.resolve()
    for (const socket of this.#sockets) socket.destroy()
  }

  async #drain(grace: number, delay: number): Promise<void> {
    if (delay > 0) {
      const timer = setTimeout(this.#delayEnd.resolve, delay)
      await this.#delayEnd.promise
      clearTimeout(timer)
    }
    const closed = Promise.withResolvers<unknown>()
    await acceptedAll(this.#server, Math.min(acceptGrace, grace))
    // Skip the `close` of http.Server: it cuts idle connections at once, and would lose a request that is just arriving.
    NetServer.prototype.close.call(this.#server, closed.resolve)
    this.#container.closing = true
    this.#container.endOpenStreams()
    const endLimits = this.#startLimits(grace, idleTime)
    await closed.promise
    endLimits()
    // The server is already closed. This second call stops Node's timer for the time limits of connections.
    await new Promise((resolve) => this.#server.close(resolve))
  }

  /** Waits for the connections from `handleSocket`, each of which closes after its response. */
  async #drainPassed(grace: number): Promise<void> {
    this.#container.closing = true
    this.#container.endOpenStreams()
    const endLimits = this.#startLimits(grace, passedIdleTime)
    await Promise.all([...this.#sockets].map((socket) => once(socket, 'close').catch(() => {})))
    endLimits()
    // Stops Node's timer for the time limits of connections.
    this.#server.close()
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
    this.destroy()
  }
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
    // Requests for other protocols, such as those of curl and Java for h2c, are served as HTTP/1.1.
    shouldUpgradeCallback: isHandshake,
  })
  // Without the option, as in Node before 22.21, a listener would get those requests too, without their bodies.
  if ('shouldUpgradeCallback' in server)
    server.on('upgrade', (incoming: IncomingMessage, socket: Socket, head: Buffer) => {
      const outgoing = openHandshake(incoming, socket, head)
      if (outgoing !== undefined) queue.add(incoming, outgoing, false)
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
  server.on('clientError', (error: Error, socket: Duplex) =>
    handleClientError(error, socket, settings),
  )
  server.on('timeout', closeAfterPoll)
  server.on('drop', () => {
    shedChannel.publish({ code: 'server.maxConnections' })
    reportLimit(settings.logger, 'maxConnections')
  })
  return server
}

/**
 * Closes a connection that was idle for `keepAliveTimeout`, unless the next poll of the event loop reads a request. Node would
 * close it before that poll, and after a blocked event loop reset the requests that have arrived meanwhile.
 */
function closeAfterPoll(socket: Socket): void {
  setImmediate(closeUnlessRead, socket, socket.bytesRead)
}

function closeUnlessRead(socket: Socket, received: number): void {
  if (socket.bytesRead === received) socket.destroy()
}

/** Milliseconds. During a longer turn of the event loop, further connections may have arrived after its poll. */
const shortTurn = 0.3

/**
 * Resolves after a short turn of the event loop without a new connection, or after `patience` milliseconds. Close the server
 * in the same turn, because closing the listening socket resets connections that only the kernel has accepted. Several
 * turns may be needed, because libuv accepts one connection in each poll.
 */
function acceptedAll(server: Server, patience: number): Promise<void> {
  return new Promise((resolve) => {
    let last = performance.now()
    const end = last + patience
    let accepted = true
    const onConnection = (): void => void (accepted = true)
    const look = (): void => {
      const now = performance.now()
      if ((accepted || now - last > shortTurn) && now < end) {
        accepted = false
        last = now
        setImmediate(look)
        return
      }
      server.off('connection', onConnection)
      resolve()
    }
    server.on('connection', onConnection)
    setImmediate(look)
  })
}

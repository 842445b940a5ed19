/** Node's HTTP server for one application: limits, timeouts, listening and draining. */
import { once } from 'node:events'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { createServer } from './node-http.ts'
import type { Socket } from 'node:net'
import { Server as NetServer } from 'node:net'
import type { Handler } from '../http.ts'
import { DirectResponse } from './direct-response.ts'
import { handleClientError } from './error-response.ts'
import { listenOn, type ListenAddress } from './listen.ts'
import { NodeContainer } from './node-handler.ts'
import type { ResolvedSettings, ServerSettings } from './server-settings.ts'
import { resolveSettings } from './server-settings.ts'

const checkInterval = 1_000
const sweepInterval = 100
const silentGrace = 1_000
/** A socket from `handleSocket` has sent its request by then. */
const passedSocketGrace = 50

/** Serves one handler on one port. */
export class HttpServer {
  readonly #server: Server
  readonly #container: NodeContainer
  readonly #grace: number
  readonly #sockets = new Set<Socket>()
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
    this.#server = createNodeServer(this.#container, resolved, usesInternals)
    this.#server.on('connection', (socket: Socket) => {
      this.#sockets.add(socket)
      socket.on('close', () => this.#sockets.delete(socket))
    })
  }

  /**
   * Port 0 takes a free one. The default `host` serves this machine only; '0.0.0.0' or '::' serves the network.
   * @throws FwError `server.listen-failed`: port in use or not permitted, unknown address
   */
  listen(port: number, host = '127.0.0.1'): Promise<ListenAddress> {
    return listenOn(this.#server, { port, host }, this.#container.logger)
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
   * Stops accepting, answers in-flight requests with `Connection: close`, and cuts the remaining connections after
   * `grace` milliseconds. Further calls return the promise of the first one.
   */
  close(grace: number = this.#grace): Promise<void> {
    return (this.#closed ??= this.#drain(grace))
  }

  /** Cuts every connection. */
  destroy(): void {
    for (const socket of this.#sockets) socket.destroy()
  }

  // Node starts checking the time limits of connections on the event `listening`.
  #checkTimes(): void {
    this.#checksTimes = true
    if (!this.#server.listening) this.#server.emit('listening')
  }

  #drain(grace: number): Promise<void> {
    this.#container.closing = true
    if (!this.#server.listening) return this.#drainPassed(grace)
    return new Promise((resolve) => {
      const sweep = setInterval(() => this.#server.closeIdleConnections(), sweepInterval)
      const silent = setTimeout(() => this.#destroySilent(), Math.min(silentGrace, grace))
      const deadline = setTimeout(() => this.destroy(), grace)
      // The `close` of http.Server cuts idle connections at once, and would lose a request that is just arriving.
      NetServer.prototype.close.call(this.#server, () => {
        clearInterval(sweep)
        clearTimeout(silent)
        clearTimeout(deadline)
        // Stops the checking of time limits; the server is closed already.
        this.#server.close(() => resolve())
      })
    })
  }

  /** Waits for the connections of `handleSocket`, which end with their response. */
  async #drainPassed(grace: number): Promise<void> {
    const silent = setTimeout(() => this.#destroySilent(), Math.min(passedSocketGrace, grace))
    const deadline = setTimeout(() => this.destroy(), grace)
    await Promise.all([...this.#sockets].map((socket) => once(socket, 'close').catch(() => {})))
    clearTimeout(silent)
    clearTimeout(deadline)
    // Stops the checking of time limits.
    this.#server.close()
  }

  // Browsers open connections in advance; Node counts one without a request as busy.
  #destroySilent(): void {
    for (const socket of this.#sockets) if (socket.bytesRead === 0) socket.destroy()
  }
}

function createNodeServer(
  container: NodeContainer,
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
  const handle = (incoming: IncomingMessage, outgoing: ServerResponse): void =>
    container.handle(incoming, outgoing)
  const handleExpecting = (incoming: IncomingMessage, outgoing: ServerResponse): void =>
    container.handle(incoming, outgoing, undefined, true)
  // Reads all arrived requests before the first response is written: a third less CPU time under load, and a body that
  // came with its head has arrived completely.
  const handleNext = (incoming: IncomingMessage, outgoing: ServerResponse): void =>
    void setImmediate(handle, incoming, outgoing)
  server.on('request', handleNext)
  // Without this listener Node itself responds.
  server.on('checkExpectation', handleNext)
  // In the same queue, to handle the requests of a connection in order.
  server.on('checkContinue', (incoming: IncomingMessage, outgoing: ServerResponse) => {
    setImmediate(handleExpecting, incoming, outgoing)
  })
  server.on('clientError', handleClientError)
  return server
}

/** Node's http server around one application: limits, timeouts, listening and draining. */
import { once } from 'node:events'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { createServer } from 'node:http'
import type { Socket } from 'node:net'
import { Server as NetServer } from 'node:net'
import type { Handler } from '../http.ts'
import { answerClientError } from './client-error.ts'
import { DirectResponse } from './direct-response.ts'
import { listenOn, type ListenAddress } from './listen-address.ts'
import { NodeContainer } from './node-handler.ts'
import type { ResolvedSettings, ServerSettings } from './server-settings.ts'
import { resolveSettings } from './server-settings.ts'

const checkInterval = 1_000
const sweepInterval = 100
const silentGrace = 1_000
/** A request on a connection just taken is read within this time. */
const takenGrace = 50

/** Serves one handler on one port. */
export class HttpServer {
  readonly #server: Server
  readonly #container: NodeContainer
  readonly #grace: number
  readonly #sockets = new Set<Socket>()
  #checksTimes = false
  #closed: Promise<void> | undefined

  /** @throws FwError `server.setting-invalid` */
  constructor(handler: Handler, settings?: ServerSettings) {
    const resolved = resolveSettings(settings)
    this.#container = new NodeContainer(handler, resolved, true)
    this.#grace = resolved.shutdownGrace
    this.#server = nodeServer(this.#container, resolved)
    this.#server.on('connection', (socket: Socket) => {
      this.#sockets.add(socket)
      socket.on('close', () => this.#sockets.delete(socket))
    })
  }

  /**
   * Port 0 takes a free one. `host` is this machine only by default; give '0.0.0.0' or '::' for the network.
   * @throws FwError `server.listen-failed`: port in use or not permitted, no such address
   */
  listen(port: number, host = '127.0.0.1'): Promise<ListenAddress> {
    return listenOn(this.#server, { port, host }, this.#container.logger)
  }

  /**
   * Serves a connection that another process accepted, unread so far. It is closed after one answer: the next request may
   * be another process's to answer.
   */
  take(socket: Socket): void {
    this.#container.closing = true
    if (!this.#checksTimes) this.#checkTimes()
    this.#server.emit('connection', socket)
    socket.resume()
  }

  /**
   * Stops accepting, answers what is in flight with `Connection: close`, and cuts what is left after `grace` milliseconds.
   * Called again, it gives the first call's promise.
   */
  close(grace: number = this.#grace): Promise<void> {
    return (this.#closed ??= this.#drain(grace))
  }

  /** Cuts every connection now. */
  destroy(): void {
    for (const socket of this.#sockets) socket.destroy()
  }

  // Node begins to look at the time limits of connections when it is told that the server listens.
  #checkTimes(): void {
    this.#checksTimes = true
    if (!this.#server.listening) this.#server.emit('listening')
  }

  #drain(grace: number): Promise<void> {
    this.#container.closing = true
    if (!this.#server.listening) return this.#drainTaken(grace)
    return new Promise((resolve) => {
      const sweep = setInterval(() => this.#server.closeIdleConnections(), sweepInterval)
      const silent = setTimeout(() => this.#destroySilent(), Math.min(silentGrace, grace))
      const deadline = setTimeout(() => this.destroy(), grace)
      // http's own `close` cuts idle connections at once: a request just on its way would be lost.
      NetServer.prototype.close.call(this.#server, () => {
        clearInterval(sweep)
        clearTimeout(silent)
        clearTimeout(deadline)
        // Ends the checking of timeouts; the server is closed already.
        this.#server.close(() => resolve())
      })
    })
  }

  /** Connections that were taken end with their answer. */
  async #drainTaken(grace: number): Promise<void> {
    const silent = setTimeout(() => this.#destroySilent(), Math.min(takenGrace, grace))
    const deadline = setTimeout(() => this.destroy(), grace)
    await Promise.all([...this.#sockets].map((socket) => once(socket, 'close').catch(() => {})))
    clearTimeout(silent)
    clearTimeout(deadline)
    // Ends the checking of timeouts.
    this.#server.close()
  }

  // Browsers open connections ahead; Node counts one that has sent nothing as busy.
  #destroySilent(): void {
    for (const socket of this.#sockets) if (socket.bytesRead === 0) socket.destroy()
  }
}

function nodeServer(container: NodeContainer, settings: ResolvedSettings): Server {
  const server = createServer({
    // Other runtimes' sockets are not written to past their own response.
    ...(process.versions['bun'] === undefined
      ? { ServerResponse: DirectResponse as typeof ServerResponse }
      : {}),
    // A request without a body needs no stream that ends.
    optimizeEmptyRequests: true,
    maxHeaderSize: settings.maxHeaderBytes,
    headersTimeout: settings.headersTimeout,
    requestTimeout: settings.requestTimeout,
    keepAliveTimeout: settings.keepAliveTimeout,
    connectionsCheckingInterval: checkInterval,
    joinDuplicateHeaders: true,
    insecureHTTPParser: false,
    // The container asks for it, and answers as it does elsewhere.
    requireHostHeader: false,
    noDelay: true,
  })
  server.maxConnections = settings.maxConnections
  // Node drops headers past a count in silence; the container counts them itself.
  server.maxHeadersCount = 0
  const handle = (incoming: IncomingMessage, outgoing: ServerResponse): void =>
    container.handle(incoming, outgoing)
  const handleExpecting = (incoming: IncomingMessage, outgoing: ServerResponse): void =>
    container.handle(incoming, outgoing, undefined, true)
  // All that has arrived is read before the first answer is written: a third less work under load, and a body that
  // came with its head is there.
  const handleNext = (incoming: IncomingMessage, outgoing: ServerResponse): void =>
    void setImmediate(handle, incoming, outgoing)
  server.on('request', handleNext)
  // Without a listener Node answers by itself.
  server.on('checkExpectation', handleNext)
  // In the same queue: no request of a connection is handled before those that came in front of it.
  server.on('checkContinue', (incoming: IncomingMessage, outgoing: ServerResponse) => {
    setImmediate(handleExpecting, incoming, outgoing)
  })
  server.on('clientError', answerClientError)
  return server
}

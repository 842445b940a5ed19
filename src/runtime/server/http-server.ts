/** `HttpServer`: Node's HTTP server with the limits, timeouts and draining of Fw. */
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { createServer } from './node-http.ts'
import type { Socket } from 'node:net'
import { shedChannel } from '../base.ts'
import type { Handler } from '../http.ts'
import { DirectResponse } from './direct-response.ts'
import { Drain } from './drain.ts'
import { handleClientError } from './error-response.ts'
import { listenOn, type ListenAddress } from './listen.ts'
import { NodeContainer } from './node-handler.ts'
import { RequestQueue } from './request-queue.ts'
import type { ResolvedSettings, ServerSettings } from './server-settings.ts'
import { resolveSettings } from './server-settings.ts'

const checkInterval = 1_000

/** A server that passes the requests of its port, or of the sockets from another process, to one handler. */
export class HttpServer {
  readonly #server: Server
  readonly #container: NodeContainer
  readonly #queue: RequestQueue
  readonly #grace: number
  readonly #drainDelay: number
  readonly #drain: Drain
  readonly #sockets = new Set<Socket>()
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
    this.#queue = createQueue(this.#container, resolved)
    this.#server = createNodeServer(this.#queue, resolved, usesInternals)
    this.#drain = new Drain(
      this.#server,
      this.#container,
      this.#queue,
      this.#sockets,
      usesInternals,
    )
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
      ? this.#drain.run(grace, drainDelay)
      : this.#drain.runPassed(grace))
  }

  /** Cuts every connection. If `close` is waiting for `drainDelay`, ends that wait. */
  destroy(): void {
    this.#drain.cutAll()
  }

  // Starts Node's timer for the time limits of connections, which Node starts on the event `listening`.
  #checkTimes(): void {
    this.#checksTimes = true
    if (!this.#server.listening) this.#server.emit('listening')
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

/** `nodeHandler`: serves an application as a request listener in Node, Express or Fastify. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import {
  HttpError,
  isPromise,
  logRepeated,
  shedChannel,
  type ErrorCode,
  type Logger,
} from '../base.ts'
import { HttpResponse, type Handler } from '../http.ts'
import { errorResponse, logError, plainResponse } from './error-response.ts'
import { MemoryLimit } from './memory-limit.ts'
import { NodeRequest, resolveConnection } from './node-request.ts'
import { OpenStreams } from './open-streams.ts'
import { QueuedResponses } from './queued-responses.ts'
import { reportLimit } from './report-limit.ts'
import { mayBeProbe, RequestValidator } from './request-validator.ts'
import {
  resolveSettings,
  type Probe,
  type ResolvedSettings,
  type ServerSettings,
} from './server-settings.ts'
import { BodyRateMonitor, Deadlines, WriteRateMonitor } from './time-limits.ts'
import { TrustedProxies, type ClientConnection } from './trusted-proxies.ts'
import { writeResponse, type ResponseWriter } from './write-response.ts'

/** A request listener. Calls `next` if no route matches; without `next`, it sends the application's 404 response. */
export type NodeHandler = (
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  next?: () => void,
) => void

/**
 * Returns a request listener for the server of another framework. Express: `app.use(nodeHandler(handler))`. Fastify:
 * `reply.hijack(); listener(request.raw, reply.raw)`. Mount the listener in front of body parsers. The other framework's
 * server limits connections and their times; all other settings have the same effect as in `HttpServer`.
 * @throws FwError `server.setting-invalid`
 */
export function nodeHandler(handler: Handler, settings?: ServerSettings): NodeHandler {
  const container = new NodeContainer(handler, resolveSettings(settings))
  return (incoming, outgoing, next) => container.handle(incoming, outgoing, next)
}

type Next = (() => void) | undefined

/** Serves one application in Node: reads the raw request, and writes the response. Its methods never throw. */
export class NodeContainer implements ResponseWriter {
  readonly logger: Logger
  readonly finish: (response: HttpResponse) => HttpResponse
  readonly writeRate: WriteRateMonitor
  readonly trust: TrustedProxies
  readonly bodyRate: BodyRateMonitor
  readonly freesChunks: boolean
  readonly memory: MemoryLimit
  readonly finishedSockets = new WeakSet<Socket>()
  readonly openStreams = new OpenStreams()
  closing = false
  readonly #handler: Handler
  readonly #validator: RequestValidator
  readonly #deadlines: Deadlines<NodeRequest>
  readonly #queued = new QueuedResponses()
  readonly #probe: Probe | undefined
  readonly #refusal: ResolvedSettings['refusal']
  /** The response to a refused request without a page. It is created once, because an overloaded server sends it often. */
  readonly #plainRefusal: HttpResponse

  /**
   * @param freesChunks true frees the memory of each chunk of a request body after its use. Set it only if an `HttpServer`
   * creates every `IncomingMessage` and no other code reads the chunks
   */
  constructor(handler: Handler, settings: ResolvedSettings, freesChunks = false) {
    this.#handler = handler
    this.#validator = new RequestValidator(settings)
    this.#deadlines = new Deadlines(settings.handlerTimeout, (late) => {
      if (late.isReceiving()) return this.#deadlines.begin(late)
      const message = `The application did not respond within server.handlerTimeout (${settings.handlerTimeout} ms).`
      this.#cancel(late, new HttpError(503, 'server.handler-timeout', message))
    })
    this.#probe = settings.probe
    this.#refusal = settings.refusal
    this.memory = new MemoryLimit(settings.maxMemory)
    this.trust = new TrustedProxies(settings)
    this.logger = settings.logger
    this.finish = settings.finish
    this.#plainRefusal = this.finish(plainResponse(503))
    const { writeTimeout, minWriteRate, minBodyRate } = settings
    this.writeRate = new WriteRateMonitor(writeTimeout, minWriteRate, () =>
      reportLimit(this.logger, 'minWriteRate'),
    )
    this.bodyRate = new BodyRateMonitor(minBodyRate, () => reportLimit(this.logger, 'minBodyRate'))
    this.freesChunks = freesChunks
  }

  /** The number of requests that have no response yet. */
  get inFlight(): number {
    return this.#deadlines.size
  }

  handle(
    incoming: IncomingMessage,
    outgoing: ServerResponse,
    next?: () => void,
    expectsContinue = false,
  ): void {
    const connection = this.trust.active ? resolveConnection(incoming, this.trust) : undefined
    if (this.#respondsItself(incoming, outgoing, connection, next === undefined)) return
    if (incoming.url === '*') return this.#send(incoming, outgoing, new HttpResponse(204))
    const request = new NodeRequest(incoming, outgoing, this, connection, expectsContinue)
    let response: HttpResponse | Promise<HttpResponse>
    try {
      response = this.#handler(request)
    } catch (error) {
      response = this.finish(errorResponse(error, this.logger))
    }
    if (isPromise(response)) this.#await(request, response, next)
    else this.#respond(request, response, next)
  }

  /**
   * Responds with 503. Health probes and malformed requests get their own response. Counts and logs the refusal if a limit is the
   * reason.
   */
  refuse(incoming: IncomingMessage, outgoing: ServerResponse, limit?: OverloadLimit): void {
    const connection = this.trust.active ? resolveConnection(incoming, this.trust) : undefined
    if (this.#respondsItself(incoming, outgoing, connection, true)) return
    if (limit !== undefined) reportOverload(this.logger, limit)
    const request = new NodeRequest(incoming, outgoing, this, connection, false)
    const page = limit !== undefined ? this.#refusal?.(request) : undefined
    writeResponse(incoming, outgoing, page ?? this.#plainRefusal, this)
  }

  /** Responds to malformed requests and, if `respondsToProbes` is true, to health probes. Returns whether it responded. */
  #respondsItself(
    incoming: IncomingMessage,
    outgoing: ServerResponse,
    connection: ClientConnection | undefined,
    respondsToProbes: boolean,
  ): boolean {
    if (outgoing.socket === null) this.#queued.add(incoming.socket, outgoing)
    if (this.finishedSockets.has(incoming.socket)) {
      destroySocket(outgoing)
      return true
    }
    const problem =
      this.#validator.validate(incoming) ??
      (connection && this.#validator.validateHost(connection.host, 'X-Forwarded-Host'))
    if (respondsToProbes && mayBeProbe(problem)) {
      const { method, url, headers } = incoming
      const probed = this.#probe?.(method!, url!, headers.authorization, this.memory)
      if (probed !== undefined) {
        const send = (response: HttpResponse): void => this.#send(incoming, outgoing, response)
        if (isPromise(probed)) void probed.then(send)
        else send(probed)
        return true
      }
    }
    if (problem !== undefined) this.#reject(incoming, outgoing, problem)
    return problem !== undefined
  }

  #respond({ incoming, outgoing }: NodeRequest, response: HttpResponse, next: Next): void {
    if (next !== undefined && response instanceof HttpResponse && response.unmatched) next()
    else if (response instanceof HttpResponse) writeResponse(incoming, outgoing, response, this)
    else this.#send(incoming, outgoing, errorResponse(invalidResponse(response), this.logger))
  }

  #await(request: NodeRequest, promise: PromiseLike<HttpResponse>, next: Next): void {
    const { incoming, outgoing } = request
    const deadlines = this.#deadlines
    deadlines.begin(request)
    promise.then(
      (response) => {
        deadlines.end(request)
        this.#respond(request, response, outgoing.headersSent ? undefined : next)
      },
      (error: unknown) => {
        deadlines.end(request)
        // The client has disconnected, so do not log the error.
        if (outgoing.destroyed && error instanceof HttpError && error.status < 500) return
        this.#send(incoming, outgoing, errorResponse(error, this.logger))
      },
    )
  }

  /** Begins the time limit of the handler again: the time in which the body arrives is not the handler's. */
  restartDeadline(request: NodeRequest): void {
    this.#deadlines.restart(request)
  }

  /** Ends event streams as complete responses, and WebSockets. Browsers reconnect. */
  endOpenStreams(): void {
    this.openStreams.endAll()
  }

  /** Responds 503 to the requests that have no response yet, and aborts their signals. */
  cancelAll(): void {
    for (const request of this.#deadlines.endAll()) {
      const error = new HttpError(
        503,
        'server.shutdown-timeout',
        'The server stopped before the application responded: server.shutdownGrace was over.',
      )
      this.#cancel(request, error)
    }
  }

  #cancel(request: NodeRequest, error: HttpError): void {
    const { incoming, outgoing, method, target } = request
    request.cancel(error)
    shedChannel.publish({ code: error.code })
    logError(this.logger, error, 'request failed', { method, path: target.split('?', 1)[0] })
    this.#send(incoming, outgoing, plainResponse(error.status))
  }

  // Closes the connection, because later requests cannot be parsed reliably after a malformed one.
  #reject(incoming: IncomingMessage, outgoing: ServerResponse, problem: HttpError): void {
    if (problem.status === 414) reportLimit(this.logger, 'maxTargetLength')
    if (problem.status === 431) reportLimit(this.logger, 'maxHeaders')
    const response = plainResponse(problem.status, problem.message)
    response.headers.set('Connection', 'close')
    this.#send(incoming, outgoing, response)
  }

  /** Sends a response that the application's handler has not created. */
  #send(incoming: IncomingMessage, outgoing: ServerResponse, response: HttpResponse): void {
    writeResponse(incoming, outgoing, this.finish(response), this)
  }
}

// A host framework may dispatch pipelined requests out of order. Close the socket, so that it cannot hang on this response.
function destroySocket(outgoing: ServerResponse): void {
  if (outgoing.socket === null) outgoing.once('socket', (socket: Socket) => socket.destroy())
  else outgoing.socket.destroy()
}

const overloaded: ErrorCode = 'server.overloaded'

/** The messages by the setting below `server` that refuses requests. */
const overloads = {
  maxQueueTime: 'requests get 503: they wait longer than server.maxQueueTime',
  maxRequests: 'requests get 503: more than server.maxRequests wait or are in flight',
  maxMemory: 'requests get 503: the process uses more memory than server.maxMemory',
} as const

export type OverloadLimit = keyof typeof overloads

function reportOverload(logger: Logger, limit: OverloadLimit): void {
  shedChannel.publish({ code: overloaded })
  logRepeated(logger, { code: overloaded, level: 'error', message: overloads[limit] })
}

function invalidResponse(response: unknown): TypeError {
  return new TypeError(`The handler returned ${typeof response} instead of an HttpResponse.`)
}

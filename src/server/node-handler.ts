/** An application as a listener of Node's http server, of Express, or of Fastify's raw pair. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { HttpError, isPromise } from '../base.ts'
import type { Logger } from '../base.ts'
import type { Handler } from '../http.ts'
import { HttpResponse } from '../http.ts'
import { BodyRate } from './body-rate.ts'
import { WriteRate } from './write-rate.ts'
import { errorResponse, plainResponse } from './container-error.ts'
import { Deadlines } from './deadlines.ts'
import { NodeRequest } from './node-request.ts'
import { ProxyTrust } from './proxy-trust.ts'
import { RequestHygiene } from './request-hygiene.ts'
import type { ResolvedSettings, ServerSettings } from './server-settings.ts'
import { resolveSettings } from './server-settings.ts'
import type { ResponseWriter } from './write-response.ts'
import { writeResponse } from './write-response.ts'

/** `next` is called when no route of the application matched; without it the application's 404 is sent. */
export type NodeHandler = (
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  next?: () => void,
) => void

/**
 * For another framework's server: `app.use(nodeHandler(handler))` in Express;
 * in Fastify `reply.hijack(); listener(request.raw, reply.raw)`. Mount it in front of body parsers.
 * Connection limits and timeouts are the surrounding server's; everything else is as in `HttpServer`.
 * @throws FwError `server.setting-invalid`
 */
export function nodeHandler(handler: Handler, settings?: ServerSettings): NodeHandler {
  const container = new NodeContainer(handler, resolveSettings(settings))
  return (incoming, outgoing, next) => container.handle(incoming, outgoing, next)
}

/** One application in Node's http: from the raw request to the written response. Nothing thrown leaves it. */
export class NodeContainer implements ResponseWriter {
  readonly logger: Logger
  readonly writeRate: WriteRate
  readonly trust: ProxyTrust
  readonly bodyRate: BodyRate
  readonly ownsMessages: boolean
  readonly ended = new WeakSet<Socket>()
  closing = false
  readonly #handler: Handler
  readonly #hygiene: RequestHygiene
  readonly #deadlines: Deadlines<NodeRequest> | undefined

  /** @param ownsMessages whether all it handles is made by a server of ours, and seen by nobody in front of us */
  constructor(handler: Handler, settings: ResolvedSettings, ownsMessages = false) {
    this.#handler = handler
    this.#hygiene = new RequestHygiene(settings)
    const { handlerTimeout } = settings
    this.#deadlines =
      handlerTimeout === 0 ? undefined : new Deadlines(handlerTimeout, (late) => this.#giveUp(late))
    this.trust = new ProxyTrust(settings.trustedProxies)
    this.logger = settings.logger
    this.writeRate = new WriteRate(settings.writeTimeout, settings.minWriteRate)
    this.bodyRate = new BodyRate(settings.minBodyRate)
    this.ownsMessages = ownsMessages
  }

  handle(
    incoming: IncomingMessage,
    outgoing: ServerResponse,
    next?: () => void,
    expectsContinue = false,
  ): void {
    if (this.ended.has(incoming.socket)) return drop(outgoing)
    const refusal = this.#hygiene.refusal(incoming)
    if (refusal !== undefined) return this.#refuse(incoming, outgoing, refusal)
    if (incoming.url === '*') return writeResponse(incoming, outgoing, new HttpResponse(204), this)
    const request = new NodeRequest(incoming, outgoing, this, expectsContinue)
    let answer: HttpResponse | Promise<HttpResponse>
    try {
      answer = this.#handler(request)
    } catch (error) {
      answer = errorResponse(error, this.logger)
    }
    if (isPromise(answer)) this.#await(request, answer, incoming, outgoing, next)
    else this.#answer(incoming, outgoing, answer, next)
  }

  #answer(
    incoming: IncomingMessage,
    outgoing: ServerResponse,
    response: HttpResponse,
    next: (() => void) | undefined,
  ): void {
    if (next !== undefined && response instanceof HttpResponse && response.unmatched) next()
    else if (response instanceof HttpResponse) writeResponse(incoming, outgoing, response, this)
    else writeResponse(incoming, outgoing, errorResponse(noResponse(response), this.logger), this)
  }

  #await(
    request: NodeRequest,
    answer: PromiseLike<HttpResponse>,
    incoming: IncomingMessage,
    outgoing: ServerResponse,
    next: (() => void) | undefined,
  ): void {
    const deadlines = this.#deadlines
    deadlines?.begin(request)
    answer.then(
      (response) => {
        deadlines?.end(request)
        this.#answer(
          incoming,
          outgoing,
          response,
          next !== undefined && outgoing.headersSent ? undefined : next,
        )
      },
      (error: unknown) => {
        deadlines?.end(request)
        // A client that left has nobody to answer, and is no fault.
        if (outgoing.destroyed && error instanceof HttpError && error.status < 500) return
        writeResponse(incoming, outgoing, errorResponse(error, this.logger), this)
      },
    )
  }

  #giveUp(request: NodeRequest): void {
    const error = new HttpError(
      503,
      'server.handler-timeout',
      'The application did not answer in time.',
    )
    request.giveUp(error)
    writeResponse(request.incoming, request.outgoing, errorResponse(error, this.logger), this)
  }

  // What was malformed once is not read any further.
  #refuse(incoming: IncomingMessage, outgoing: ServerResponse, refusal: HttpError): void {
    const response = plainResponse(refusal.status, refusal.message)
    response.headers.set('Connection', 'close')
    writeResponse(incoming, outgoing, response, this)
  }
}

// Where others hand requests on out of order, the connection may wait for this very answer, now or later: it ends then.
function drop(outgoing: ServerResponse): void {
  if (outgoing.socket === null) outgoing.once('socket', (socket: Socket) => socket.destroy())
  else outgoing.socket.destroy()
}

function noResponse(response: unknown): TypeError {
  return new TypeError(`The handler returned ${typeof response} instead of an HttpResponse.`)
}

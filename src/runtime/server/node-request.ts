/** `NodeRequest`: adapts Node's request to the interface `HttpRequest`, and computes most properties on first use. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { FwError } from '../base.ts'
import { noBody, type BodySource, type HttpRequest } from '../http.ts'
import type { BodyRateMonitor, HasDeadline } from './time-limits.ts'
import { NodeBody } from './node-body.ts'
import type { ClientConnection, TrustedProxies } from './trusted-proxies.ts'
import { splitAbsolute } from './request-validator.ts'
import { streamEnd } from './write-response.ts'

/** The settings and services that all requests of a container share. */
export interface NodeRequestSettings {
  readonly bodyRate: BodyRateMonitor
  /** True if the memory of body chunks may be freed after use. */
  readonly freesChunks: boolean
  /** Begins the time limit of the handler again, because the body has arrived. */
  restartDeadline(request: NodeRequest): void
}

export class NodeRequest implements HttpRequest, HasDeadline {
  listIndex = -1
  beganAtCheck = 0
  readonly method: string
  readonly target: string
  readonly mountPath: string
  readonly httpVersion: string
  readonly incoming: IncomingMessage
  readonly outgoing: ServerResponse
  readonly #settings: NodeRequestSettings
  readonly #expectsContinue: boolean
  /** The body; undefined before its first use, and for a request without a body. */
  #body: NodeBody | undefined
  readonly #isBodiless: boolean
  readonly #connection: ClientConnection | undefined
  #controller: AbortController | undefined
  #cancelled: FwError | undefined

  constructor(
    incoming: IncomingMessage,
    outgoing: ServerResponse,
    settings: NodeRequestSettings,
    connection: ClientConnection | undefined,
    expectsContinue: boolean,
  ) {
    const url = incoming.url!
    this.method = incoming.method!
    this.target =
      url.charCodeAt(0) === 0x2f || url === '*' ? url : (splitAbsolute(url)?.target ?? url)
    this.mountPath = (incoming as { baseUrl?: string }).baseUrl ?? ''
    this.httpVersion = incoming.httpVersion
    this.incoming = incoming
    this.outgoing = outgoing
    const { 'content-length': length, 'transfer-encoding': coding } = incoming.headers
    this.#isBodiless = length === undefined && coding === undefined
    this.#settings = settings
    this.#connection = connection
    this.#expectsContinue = expectsContinue
  }

  header(name: string): string | undefined {
    return readHeader(this.incoming, name)
  }

  *headers(): Generator<readonly [string, string]> {
    const { rawHeaders } = this.incoming
    for (let i = 0; i < rawHeaders.length; i += 2)
      yield [rawHeaders[i]!.toLowerCase(), rawHeaders[i + 1]!]
  }

  get body(): BodySource {
    return this.#isBodiless ? noBody : (this.#body ??= this.#newBody())
  }

  get scheme(): 'http' | 'https' {
    return this.#connection === undefined ? directScheme(this.incoming) : this.#connection.scheme
  }

  get host(): string {
    return this.#connection === undefined ? directHost(this.incoming) : this.#connection.host
  }

  get remoteAddress(): string {
    return this.#connection === undefined
      ? directAddress(this.incoming)
      : this.#connection.remoteAddress
  }

  get isProxied(): boolean {
    return this.#connection?.isProxied === true
  }

  get aborted(): boolean {
    return this.#cancelled !== undefined || this.#isDisconnected()
  }

  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      const controller = (this.#controller = new AbortController())
      if (this.#cancelled !== undefined) controller.abort(this.#cancelled)
      else if (this.#isDisconnected()) controller.abort()
      else {
        // Not `once`, whose wrapper takes memory for each open stream. Both events are emitted once.
        this.outgoing.on('close', () => this.#isDisconnected() && controller.abort())
        this.outgoing.on(streamEnd, () => controller.abort())
      }
    }
    return this.#controller.signal
  }

  /** Returns true while the request waits for its body; see `NodeBody.isArriving`. */
  isReceiving(): boolean {
    return this.#body?.isArriving() === true
  }

  bodyEnded(): void {
    this.#settings.restartDeadline(this)
  }

  /** Aborts the signal and the reading of the body. Call it when the container responds in place of the application. */
  cancel(reason: FwError): void {
    this.#cancelled = reason
    this.#body?.cancel(reason)
    this.#controller?.abort(reason)
  }

  #newBody(): NodeBody {
    const interim = this.#expectsContinue ? this.outgoing : undefined
    const { bodyRate, freesChunks } = this.#settings
    const body = new NodeBody(this.incoming, bodyRate, interim, freesChunks, this)
    if (this.#cancelled !== undefined) body.cancel(this.#cancelled)
    return body
  }

  #isDisconnected(): boolean {
    return this.outgoing.destroyed && !this.outgoing.writableFinished
  }
}

const directScheme = ({ socket }: IncomingMessage): 'http' | 'https' =>
  'encrypted' in socket ? 'https' : 'http'
const directHost = ({ headers }: IncomingMessage): string => headers.host ?? ''
const directAddress = ({ socket }: IncomingMessage): string => socket.remoteAddress ?? ''

function readHeader({ headers }: IncomingMessage, name: string): string | undefined {
  // Node's object inherits members such as `constructor`, so ignore values that are neither texts nor arrays.
  const value: unknown = headers[name]
  if (typeof value === 'string') return value
  return Array.isArray(value) ? value.join(', ') : undefined
}

/** Returns the client's connection, which the headers of trusted proxies describe. */
export function resolveConnection(
  incoming: IncomingMessage,
  trust: TrustedProxies,
): ClientConnection {
  const direct = {
    remoteAddress: directAddress(incoming),
    scheme: directScheme(incoming),
    host: directHost(incoming),
  }
  return trust.resolve(direct, (name) => readHeader(incoming, name))
}

/** Node's request as the request contract: everything is read when asked for. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { FwError } from '../base.ts'
import type { BodySource, HttpRequest } from '../http.ts'
import type { BodyRate } from './body-rate.ts'
import type { Limited } from './deadlines.ts'
import { NodeBody } from './node-body.ts'
import type { Origin, ProxyTrust } from './proxy-trust.ts'
import { splitAbsolute } from './request-hygiene.ts'

/** What the requests of one container share. */
export interface NodeRequestSettings {
  readonly trust: ProxyTrust
  readonly bodyRate: BodyRate
  /** Pieces of bodies are nobody else's: their memory is freed once they were looked at. */
  readonly ownsMessages: boolean
}

export class NodeRequest implements HttpRequest, Limited {
  place = -1
  since = 0
  readonly method: string
  readonly target: string
  readonly mountPath: string
  readonly httpVersion: string
  /** What the container answers on. */
  readonly incoming: IncomingMessage
  readonly outgoing: ServerResponse
  readonly #settings: NodeRequestSettings
  readonly #expectsContinue: boolean
  #body: NodeBody | undefined
  #origin: Origin | undefined
  #controller: AbortController | undefined
  #givenUp: FwError | undefined

  constructor(
    incoming: IncomingMessage,
    outgoing: ServerResponse,
    settings: NodeRequestSettings,
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
    this.#settings = settings
    this.#expectsContinue = expectsContinue
  }

  header(name: string): string | undefined {
    // Node's object inherits: only text counts, `constructor` is none.
    const value: unknown = this.incoming.headers[name]
    if (typeof value === 'string') return value
    return Array.isArray(value) ? value.join(', ') : undefined
  }

  *headers(): Generator<readonly [string, string]> {
    const { rawHeaders } = this.incoming
    for (let i = 0; i < rawHeaders.length; i += 2)
      yield [rawHeaders[i]!.toLowerCase(), rawHeaders[i + 1]!]
  }

  get body(): BodySource {
    return (this.#body ??= this.#newBody())
  }

  get scheme(): 'http' | 'https' {
    return this.#settings.trust.active ? this.#resolved().scheme : this.#directScheme()
  }

  get host(): string {
    return this.#resolved().host
  }

  get remoteAddress(): string {
    return this.#resolved().remoteAddress
  }

  get aborted(): boolean {
    return this.#givenUp !== undefined || this.#clientGone()
  }

  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      const controller = (this.#controller = new AbortController())
      if (this.#givenUp !== undefined) controller.abort(this.#givenUp)
      else if (this.#clientGone()) controller.abort()
      else this.outgoing.once('close', () => this.#clientGone() && controller.abort())
    }
    return this.#controller.signal
  }

  /** The container stops waiting for the application, which gets no more of the body. */
  giveUp(reason: FwError): void {
    this.#givenUp = reason
    this.#body?.giveUp(reason)
    this.#controller?.abort(reason)
  }

  #newBody(): NodeBody {
    const interim = this.#expectsContinue ? this.outgoing : undefined
    const { bodyRate, ownsMessages } = this.#settings
    const body = new NodeBody(this.incoming, bodyRate, interim, ownsMessages)
    if (this.#givenUp !== undefined) body.giveUp(this.#givenUp)
    return body
  }

  #clientGone(): boolean {
    return this.outgoing.destroyed && !this.outgoing.writableFinished
  }

  #directScheme(): 'http' | 'https' {
    return 'encrypted' in this.incoming.socket ? 'https' : 'http'
  }

  #resolved(): Origin {
    return (this.#origin ??= this.#settings.trust.resolve(
      {
        remoteAddress: this.incoming.socket.remoteAddress ?? '',
        scheme: this.#directScheme(),
        host: this.incoming.headers.host ?? '',
      },
      (name) => this.header(name),
    ))
  }
}

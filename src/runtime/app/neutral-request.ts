/** `NeutralRequest`: a request without a visitor, for pages that no visitor has requested. */
import { noBody, type HttpRequest } from '../http.ts'

/** Where the application is reached. */
type Address = Pick<HttpRequest, 'mountPath' | 'scheme' | 'host'>

/** A GET of `/` at an address, with its own headers. */
export class NeutralRequest implements HttpRequest {
  readonly method = 'GET'
  readonly target = '/'
  readonly mountPath: string
  readonly httpVersion = '1.1'
  readonly scheme: HttpRequest['scheme']
  readonly host: string
  readonly remoteAddress = ''
  readonly body = noBody
  readonly aborted = false
  readonly signal: AbortSignal = new AbortController().signal
  readonly #headers: ReadonlyMap<string, string>

  constructor({ mountPath, scheme, host }: Address, ownHeaders: ReadonlyMap<string, string>) {
    this.mountPath = mountPath
    this.scheme = scheme
    this.host = host
    this.#headers = ownHeaders
  }

  header(name: string): string | undefined {
    return this.#headers.get(name)
  }

  headers(): Iterable<readonly [string, string]> {
    return this.#headers
  }
}

/** Creates a request to the origin of the configuration. `locale` is the language of its visitor. */
export function neutralRequest(
  origin: string | undefined,
  locale: string | undefined,
): NeutralRequest {
  const { host, protocol } = new URL(origin ?? 'http://localhost')
  const scheme = protocol === 'https:' ? 'https' : 'http'
  const headers = new Map(locale === undefined ? [] : [['accept-language', locale] as const])
  return new NeutralRequest({ mountPath: '', scheme, host }, headers)
}

/** `BusyPages`: the 503 for requests that the server refuses under overload. */
import { FwContext, formats, respondWithProblem } from '../action.ts'
import type { ErrorCode } from '../base.ts'
import { parsePath, reasonPhrase, type HttpRequest, type HttpResponse } from '../http.ts'
import { negotiateLocale } from '../i18n.ts'
import type { Dispatch } from './dispatch.ts'
import { finishResponse } from './finish-response.ts'

const code: ErrorCode = 'server.overloaded'
const root = parsePath('/')
/** More pages than formats and languages need: the host of the request selects a page, too. */
const maxPages = 100

/**
 * Renders one page for each format, language and address of the application, because rendering it for each refusal would
 * prolong the overload. The page is rendered for a request to `/` without cookies, so that it contains nothing of a visitor.
 */
export class BusyPages {
  readonly #dispatch: Dispatch
  readonly #pages = new Map<string, Promise<HttpResponse>>()

  constructor(dispatch: Dispatch) {
    this.#dispatch = dispatch
  }

  /** Returns the response to a request. Rejects for a malformed path. */
  readonly respond = async (http: HttpRequest): Promise<HttpResponse> => {
    const { live, services } = this.#dispatch
    const path = parsePath(http.target.split('?', 1)[0]!)
    const ctx = new FwContext(http, path, services)
    ctx.errorRoute = live.current.fallbacks.find('errorFormat', path)
    const { locales, defaultLocale } = services.messages
    const locale = negotiateLocale(http.header('accept-language'), locales, defaultLocale)
    const key = `${ctx.errorFormat} ${locale} ${http.scheme} ${http.host}`
    const known = this.#pages.get(key)
    if (known !== undefined) return known
    const page = this.#render(ctx, locale)
    if (this.#pages.size >= maxPages) this.#pages.clear()
    this.#pages.set(key, page)
    page.catch(() => this.#pages.delete(key))
    return page
  }

  async #render({ request, errorFormat, errorRoute }: FwContext, locale: string) {
    const headers = new Map([['accept-language', locale]])
    const type = formats.typeOf(errorFormat)
    if (type !== undefined) headers.set('accept', type)
    const neutral = new NeutralRequest(request.http, headers)
    const ctx = new FwContext(neutral, root, this.#dispatch.services)
    ctx.errorRoute = errorRoute
    ctx.response.headers.set('Retry-After', '1')
    ctx.response.headers.set('Cache-Control', 'no-store')
    await respondWithProblem(ctx, { status: 503, message: reasonPhrase(503), code })
    const response = await finishResponse(ctx)
    if (typeof response.body === 'string') response.body = Buffer.from(response.body)
    return response
  }
}

/** A GET of `/` at the address of another request, with its own headers. */
class NeutralRequest implements HttpRequest {
  readonly method = 'GET'
  readonly target = '/'
  readonly mountPath: string
  readonly httpVersion = '1.1'
  readonly scheme: HttpRequest['scheme']
  readonly host: string
  readonly remoteAddress = ''
  readonly body: HttpRequest['body']
  readonly aborted = false
  readonly signal: AbortSignal = new AbortController().signal
  readonly #headers: ReadonlyMap<string, string>

  constructor(
    { mountPath, scheme, host, body }: HttpRequest,
    ownHeaders: ReadonlyMap<string, string>,
  ) {
    this.mountPath = mountPath
    this.scheme = scheme
    this.host = host
    this.body = body
    this.#headers = ownHeaders
  }

  header(name: string): string | undefined {
    return this.#headers.get(name)
  }

  headers(): Iterable<readonly [string, string]> {
    return this.#headers
  }
}

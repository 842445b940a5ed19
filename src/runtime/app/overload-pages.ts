/** `OverloadPages`: the 503 for requests that the server refuses under overload. */
import { FwContext, formats, respondWithProblem } from '../action.ts'
import { isPromise, outsideRequests, takeRandomBytes, type ErrorCode } from '../base.ts'
import { HttpResponse, reasonPhrase, ResponseHeaders, type HttpRequest } from '../http.ts'
import { negotiateLocale } from '../i18n.ts'
import { parseRequestPath, rootPath } from './dispatch.ts'
import type { DispatchParts } from './dispatch-parts.ts'
import { finishResponse } from './finish-response.ts'
import { NeutralRequest } from './neutral-request.ts'

const code: ErrorCode = 'server.overloaded'
/** More pages than formats and languages need: the host of the request selects a page, too. */
const maxPages = 100
/** The milliseconds until a page that could not be rendered is tried again, and until one makes room for another. */
const pause = 60_000

interface Entry {
  readonly begunAt: number
  /** Undefined while the page is being rendered, and if that has failed. */
  page?: OverloadPage
}

/**
 * Renders one page for each format, language and address of the application, because rendering it for each refusal would
 * prolong the overload. The page is rendered for a request to `/` without cookies, so that it contains nothing of a visitor.
 */
export class OverloadPages {
  readonly #parts: DispatchParts
  readonly #inScope: <T>(work: () => T) => T
  /** The pages, the oldest first. */
  readonly #pages = new Map<string, Entry>()

  /** @param inScope runs work in the scope of the application */
  constructor(parts: DispatchParts, inScope: <T>(work: () => T) => T) {
    this.#parts = parts
    this.#inScope = inScope
  }

  /**
   * Returns the response to a request. Returns undefined for a malformed request, until the page has been rendered, and while
   * clients have caused too many pages by the port in the host: the server then sends a plain 503.
   */
  readonly find = (http: HttpRequest): HttpResponse | undefined => {
    try {
      return this.#find(http)
    } catch {
      return undefined
    }
  }

  #find(http: HttpRequest): HttpResponse | undefined {
    const { live, services } = this.#parts
    const path = parseRequestPath(http)
    const ctx = new FwContext(http, path, services)
    ctx.errorRoute = live.current.fallbacks.find('errorFormat', path)
    const { locales, defaultLocale } = services.messages
    const locale = negotiateLocale(http.header('accept-language'), locales, defaultLocale)
    const key = `${ctx.errorFormat} ${locale} ${http.scheme} ${http.host}`
    if (this.#begins(key)) {
      const headers = new Map([['accept-language', locale]])
      const type = formats.typeOf(ctx.errorFormat)
      if (type !== undefined) headers.set('accept', type)
      const neutral = new FwContext(new NeutralRequest(http, headers), rootPath, services)
      neutral.errorRoute = ctx.errorRoute
      outsideRequests(() => this.#inScope(() => this.#add(key, neutral)))
    }
    return this.#pages.get(key)?.page?.respond()
  }

  /** Makes an entry for the page and returns true, unless there is one, or too many have begun within the pause. */
  #begins(key: string): boolean {
    const known = this.#pages.get(key)
    if (known?.page !== undefined) return false
    const now = performance.now()
    const [oldest] = this.#pages
    const replaced = known === undefined ? oldest : ([key, known] as const)
    const needsRoom = known !== undefined || this.#pages.size >= maxPages
    if (needsRoom && now - replaced![1].begunAt < pause) return false
    if (needsRoom) this.#pages.delete(replaced![0])
    this.#pages.set(key, { begunAt: now })
    return true
  }

  /** Renders a page: immediately for formats without a view. */
  #add(key: string, ctx: FwContext): void {
    ctx.response.headers.set('Retry-After', '1')
    ctx.response.headers.set('Cache-Control', 'no-store')
    const problem = { status: 503, message: reasonPhrase(503), code }
    const responding = respondWithProblem(ctx, problem)
    if (!isPromise(responding)) return this.#finish(key, ctx)
    responding
      .then(() => this.#finish(key, ctx))
      .catch((err: unknown) => ctx.logger.error({ err }, 'the page of an overload failed'))
  }

  #finish(key: string, ctx: FwContext): void {
    const response = finishResponse(ctx)
    // The request accepts no content coding, so that the response is not compressed later.
    const entry = this.#pages.get(key)
    if (entry !== undefined && !isPromise(response)) entry.page = new OverloadPage(ctx, response)
  }
}

/** A rendered page without its request. Its nonce and its request id are replaced in each response. */
class OverloadPage {
  readonly #body: string
  readonly #headers: readonly string[]
  readonly #shared: HttpResponse['shared']
  readonly #nonce: string | undefined
  readonly #requestId: string | undefined
  /** The response to all requests, if it contains neither nonce nor request id. */
  readonly #same: HttpResponse | undefined

  constructor({ usedCspNonce, usedRequestId }: FwContext, { body, headers, shared }: HttpResponse) {
    this.#body = String(body)
    this.#headers = headers.raw
    this.#shared = shared
    this.#nonce = usedCspNonce
    this.#requestId = usedRequestId
    if (usedCspNonce === undefined && usedRequestId === undefined)
      this.#same = this.#create(Buffer.from(this.#body), headers.raw)
  }

  respond(): HttpResponse {
    if (this.#same !== undefined) return this.#same
    const nonce = takeRandomBytes(16).toString('base64')
    const requestId = takeRandomBytes(12).toString('base64url')
    const replace = (text: string): string => {
      const renewed = this.#nonce === undefined ? text : text.replaceAll(this.#nonce, nonce)
      return this.#requestId === undefined
        ? renewed
        : renewed.replaceAll(this.#requestId, requestId)
    }
    return this.#create(replace(this.#body), this.#headers.map(replace))
  }

  #create(body: string | Uint8Array, headers: string[]): HttpResponse {
    const response = new HttpResponse(503, body, new ResponseHeaders(headers))
    response.shared = this.#shared
    return response
  }
}

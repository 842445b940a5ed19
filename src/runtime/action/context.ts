/** `FwContext`: the context of one request, which filters, actions and views read and write. */
import { AsyncLocalStorage } from 'node:async_hooks'
import { FwError, HttpError, takeRandomBytes, withFields, type Logger } from '../base.ts'
import {
  addVary,
  type CompressionOptions,
  type Handler,
  type HttpRequest,
  type MultipartLimits,
  type RequestPath,
  type UploadDirectory,
} from '../http.ts'
import { I18n, isTimeZone, type MessageCatalog } from '../i18n.ts'
import {
  formatQuery,
  urlFor,
  type IncompleteTarget,
  type Match,
  type Route,
  type UrlQuery,
  type UrlTarget,
  type UrlTargetArgs,
} from '../routing.ts'
import type { Flash, SecretKeys, Session, SessionManager } from '../session.ts'
import type { ViewEngine, ViewHelper } from '../view.ts'
import { callAtEnd } from './call-at-end.ts'
import type { Format } from './format.ts'
import { isBelow, RequestParams, type FormatDefaults } from './request-params.ts'
import { warnOfPlainHttp } from './plain-http.ts'
import { FwRequest, isPrefetch, type BodyLimits } from './request.ts'
import { FwResponse } from './response.ts'
import type { BuiltAsset, DefaultHeaders, RenderedFault } from './service-types.ts'
import type { RecentWrites } from './recent-writes.ts'
import { RequestCookies } from './request-cookies.ts'
import { requestEndedError } from './request-ended.ts'
import { adoptedRequestId } from './request-id.ts'
import { SessionScope } from './session-scope.ts'
import { endAttempt } from './slot.ts'
import {
  chooseFormatLocale,
  chooseLocale,
  chosenTimeZone,
  localeAttribute,
  timeZoneAttribute,
} from './visitor-locale.ts'

/** Stores and renders faults for the developer. Its methods must not throw. */
export interface ErrorReporter {
  /** Wraps the application's request handler, for example to record what a request does. */
  wrap?(handle: Handler): Handler
  /** Stores the fault of a failed request. Called once, before the request's transaction is rolled back. */
  report(ctx: FwContext, fault: unknown): void
  /** Renders the fault for the response; returns `undefined` if the client must not see details of the fault. */
  render(ctx: FwContext, fault: unknown): RenderedFault | undefined
}

/** The services of the application that requests use. They do not change after the start. */
export interface Services {
  readonly logger: Logger
  /** The error reporter; defined only in development. */
  readonly errorReporter: ErrorReporter | undefined
  /** True if cookies are sent with `Secure`, so that browsers send them back over https only. */
  readonly secureCookies: boolean
  /**
   * The setting `contextPath`: `''` at the root, else `/prefix` without a slash at the end. It does not include the prefix of a host framework,
   * which `FwContext.contextPath` adds.
   */
  readonly contextPath: string
  readonly limits: BodyLimits
  /** The folder in which large uploads are stored during their request, and the limits of an upload. */
  readonly uploads: { readonly directory: UploadDirectory; readonly limits: MultipartLimits }
  readonly compression: CompressionOptions | undefined
  readonly views: ViewEngine
  readonly messages: MessageCatalog
  readonly sessions: SessionManager
  readonly securityHeaders: DefaultHeaders
  /** Keys derived from `secretKeyBase`, for signed and sealed cookies. */
  readonly keys: SecretKeys
  readonly recentWrites: RecentWrites | undefined
  /** `seen` is true once a browser has prefetched a page, which `Clear-Site-Data` then removes after each write. */
  readonly prefetches: { seen: boolean }
  /** Other origins whose pages may send unsafe requests. */
  readonly trustedOrigins: ReadonlySet<string>
  /** Other hosts to which `redirect` may lead. */
  readonly redirectHosts: readonly string[]
  /** The status of the response to a failed validation. */
  readonly invalidStatus: number
  /** The paths, relative to the context path, below which errors are JSON by default. */
  readonly apiPaths: readonly string[]
  /** Returns the mount path of the route's controller: `here` if it is one of several, else the first; `''` at the root. */
  findMountPath(route: Route, here?: string): string
  /** Returns the built files of an entry such as `src/app.ts`. Without a bundler, the file is the name itself. */
  resolveAsset(name: string): BuiltAsset
  /** The application's controllers by name, which `this.routes` returns. */
  readonly controllers: object | undefined
  createViewHelper(ctx: FwContext): ViewHelper
}

/** Decides, for one controller, what pages of other origins may do (CORS). */
export interface CrossOrigin {
  /** Returns true if pages of the origin may send unsafe requests. */
  trusts(origin: string, ctx: FwContext): boolean
  /** Sets the CORS headers that allow pages of the request's origin to read the response. */
  allow(ctx: FwContext): void
  /** Sets the headers of the response to a CORS preflight request; `methods` are the HTTP methods that the path has. */
  preflight(ctx: FwContext, methods: readonly string[]): void
}

/** The members of a route's plan that code outside the lifecycle reads. */
export interface RoutePlan {
  readonly controllerName: string
  /** The name of the route; undefined for an inline action without `.as()`. */
  readonly routeName: string | undefined
  /** The CORS policy; if several classes in the inheritance chain set one, that of the most derived class. */
  readonly crossOrigin: CrossOrigin | undefined
  /** False if the controller mixes in no session feature. */
  readonly savesSession: boolean
  /** The settings that traits have made for this route; see `Registrations.configure`. */
  readonly settings: ReadonlyMap<symbol, unknown>
}

/** The members of a matched route that code outside the lifecycle reads. */
export interface MatchedRoute extends FormatDefaults {
  readonly plan: RoutePlan
  /** The controller's mount path; `''` at the root. */
  readonly mountPath: string
  /** The context path, the mount path and the route's pattern, joined; undefined for a fallback handler. */
  readonly pattern?: string | undefined
}

const startsWithScheme = /^https?:\/\//i

const currentContext = new AsyncLocalStorage<FwContext>()

/** Runs `work`; in it, and in the asynchronous work that it starts, `FwContext.current()` returns `ctx`. */
export const runWithContext = <T>(ctx: FwContext, work: () => T): T => currentContext.run(ctx, work)

/** The context of a request: `this.ctx` in a controller, and the argument of an action. */
export class FwContext extends RequestParams {
  response: FwResponse = new FwResponse(this)
  readonly services: Services
  declare match: Match<MatchedRoute> | undefined
  /** The result of the last redirect. It becomes the response if the action then returns undefined. */
  recordedRedirect: unknown
  /** The first fault of the request. */
  fault: unknown
  #ended = false
  #endCallbacks: (() => unknown)[] | undefined
  #scope: Map<string, unknown> | undefined
  #cookies: RequestCookies | undefined
  #sessionScope: SessionScope | undefined
  #requestId: string | undefined
  #logger: Logger | undefined
  #i18n: I18n | undefined
  #timeZone: string | undefined
  #viewHelper: ViewHelper | undefined
  #cspNonce: string | undefined

  /**
   * Returns the context of the current request, for code without a reference to it. Needs the trait
   * `MainThreadLocalEverywhere`.
   * @throws FwError `action.no-context`
   * @spec Filters › 5
   */
  static current(): FwContext {
    const ctx = currentContext.getStore()
    if (ctx !== undefined) return ctx
    throw new FwError(
      'action.no-context',
      'There is no current context here: mix MainThreadLocalEverywhere into the controller, or pass this.ctx on.',
    )
  }

  constructor(http: HttpRequest, path: RequestPath, services: Services) {
    super(new FwRequest(http, path, services.limits))
    this.services = services
  }

  protected override get defaultErrorFormat(): Format {
    const { apiPaths, contextPath } = this.services
    // Reads the raw request target, because a malformed path cannot be decoded.
    if (isBelow(this.request.http.target, contextPath, apiPaths)) return 'json'
    return (this.match?.target ?? this.errorRoute)?.errorFormat ?? 'html'
  }

  /** The path below which the whole application is mounted, including the prefix of a host framework; `''` at the root. */
  get contextPath(): string {
    return this.request.http.mountPath + this.services.contextPath
  }

  /** Starts a candidate route, which has the session again if the previous route refused the session and called `pass()`. */
  override beginRoute(match: Match<MatchedRoute>): void {
    super.beginRoute(match)
    if (this.refusesSession) this.#sessionScope = undefined
  }

  /**
   * Discards all values that the filters and the action have set, so that the route can run again. The parsed body and the
   * callbacks of `atRequestEnd` are kept.
   */
  restart(): void {
    this.response = new FwResponse(this)
    this.recordedRedirect = this.fault = undefined
    this.#scope = this.#cookies = this.#sessionScope = this.#i18n = this.#viewHelper = undefined
    this.#timeZone = undefined
    endAttempt(this)
    this.resetFormat()
  }

  /** Removes the cookies that a failed request has set, and that of its session. */
  discardCookies(): void {
    this.#cookies = undefined
    this.#sessionScope?.discardCookie()
    this.response.headers.delete('set-cookie')
  }

  /** Adds the request headers to `Vary` that format and purpose of the response depend on. */
  writeVary(): void {
    const { headers } = this.response
    if (this.isNegotiated) addVary(headers, 'Accept')
    if (this.request.variesByPurpose)
      for (const name of ['Sec-Purpose', 'X-Sec-Purpose']) addVary(headers, name)
  }

  /** The plan of the route or fallback handler that runs, or has run last; `undefined` before the first of them begins. */
  get plan(): RoutePlan | undefined {
    return this.match?.target.plan
  }

  /** The name of the matched route; `undefined` for an inline action without `.as()`. */
  get routeName(): string | undefined {
    return this.plan?.routeName
  }

  /** Returns the map of request-scope values, which views read; a change affects the views. @spec General rules › 2 */
  requestScope(): Map<string, unknown> {
    return (this.#scope ??= new Map())
  }

  /** True after the headers of the response have been written, for example while an event stream is sent. */
  get hasEnded(): boolean {
    return this.#ended
  }

  /** The cookies of the request, and those that the response sets. */
  get cookies(): RequestCookies {
    if (this.#ended) throw requestEndedError('cookies')
    return (this.#cookies ??= new RequestCookies(this.request, this.services, this.contextPath))
  }

  /** What requests do with the session besides reading and changing its values. */
  get sessionScope(): SessionScope {
    return (this.#sessionScope ??= new SessionScope(this))
  }

  /** True if a token instead of a cookie authenticates the request: then another site cannot forge it. */
  get refusesSession(): boolean {
    return this.#sessionScope?.isRefused === true
  }

  /** The visitor's session. A new session is stored only after a value is set. */
  get session(): Session {
    if (this.#ended) throw requestEndedError('session')
    return this.sessionScope.session
  }

  /** The flash: values that the previous request has set, and values for the next one. @spec Response helpers › flash */
  get flash(): Flash {
    if (this.#ended) throw requestEndedError('flash')
    void this.sessionScope.session
    return this.sessionScope.flash
  }

  /** True if code has read a cookie with `cookies`. */
  get readsCookies(): boolean {
    return this.#cookies?.isRead === true
  }

  /** The session if the request's cookie named one, or if code has read it; otherwise undefined. */
  get loadedSession(): Session | undefined {
    return this.#sessionScope?.loaded
  }

  /** True for a prefetch, which stores nothing. Unlike `request.isPrefetch`, reading it does not set `Vary`. */
  get isPrefetch(): boolean {
    const { http, isSafe } = this.request
    if (!isSafe || !isPrefetch(http)) return false
    this.services.prefetches.seen ||= http.header('sec-purpose') !== undefined
    return true
  }

  /** The messages in the visitor's language: that of the session, else by `Accept-Language`, else the default. */
  get i18n(): I18n {
    const { request, response, loadedSession, services } = this
    return (this.#i18n ??= new I18n(
      services.messages,
      chooseLocale(services.messages, loadedSession, request.http, response),
      this,
    ))
  }

  /** Returns the locale of numbers and dates beside texts in `locale`: `es-MX` for `es` and a visitor from Mexico. */
  formatLocaleFor(locale: string): string {
    const { request, response, loadedSession } = this
    return chooseFormatLocale(locale, loadedSession, request.http, response)
  }

  /**
   * The time zone of pages and forms: that in which the sent form was shown, else that of the visitor's session, else `i18n.timeZone`
   * of the configuration.
   */
  get timeZone(): string {
    return (
      this.formTimeZone ??
      (this.#timeZone ??= chosenTimeZone(this.loadedSession) ?? this.services.messages.timeZone)
    )
  }

  /**
   * Stores the visitor's time zone in the session, such as `Europe/Berlin`. An unknown zone, and `undefined`, select that of the
   * configuration. A form that this request has sent keeps its zone.
   */
  set timeZone(timeZone: string | undefined) {
    const chosen = timeZone !== undefined && isTimeZone(timeZone) ? timeZone : undefined
    this.#timeZone = chosen
    this.session.set(timeZoneAttribute, chosen)
  }

  /** The language of the messages, for `<html lang>`. */
  get locale(): string {
    return this.i18n.locale
  }

  /** Stores the visitor's language in the session. An unknown language selects the default; `undefined` removes the choice. */
  set locale(locale: string | undefined) {
    this.#i18n = locale === undefined ? undefined : new I18n(this.services.messages, locale, this)
    this.session.set(localeAttribute, this.#i18n?.locale)
  }

  /** Returns the URL of a route, with the context path. @throws FwError `routing.*` for a value that a path cannot contain */
  url<T extends UrlTarget>(target: T, ...args: UrlTargetArgs<T>): string
  url<T extends UrlTarget>(target: IncompleteTarget<T>): string
  url(target: Route | string, ...args: readonly unknown[]): string {
    if (typeof target === 'string') {
      const absolute = target === '' || target.startsWith('/') ? target : `/${target}`
      return this.contextPath + this.relativeUrl(absolute, args[0] as UrlQuery | undefined)
    }
    const [params, query] = args as [Parameters<typeof urlFor>[1], UrlQuery?]
    const mountPath = this.services.findMountPath(target, this.match?.target.mountPath)
    return this.contextPath + mountPath + urlFor(target, params, query)
  }

  /**
   * Returns the URL of a route with scheme and host, for mails, feeds and other sites. A URL that already has a scheme is
   * returned unchanged.
   * @throws HttpError 400 `action.host-missing` for an HTTP/1.0 request without `Host`; FwError `routing.*`
   */
  fullUrl<T extends UrlTarget>(target: T, ...args: UrlTargetArgs<T>): string
  fullUrl<T extends UrlTarget>(target: IncompleteTarget<T>): string
  fullUrl(target: Route | string, ...args: readonly unknown[]): string {
    if (typeof target === 'string' && startsWithScheme.test(target))
      return this.relativeUrl(target, args[0] as UrlQuery | undefined)
    const { host, isHttps } = this.request
    if (host === '')
      throw new HttpError(
        400,
        'action.host-missing',
        'The request names no host: send a Host header.',
      )
    return `http${isHttps ? 's' : ''}://${host}${this.url(target as Route, ...(args as UrlTargetArgs<Route>))}`
  }

  /** Returns the path with its query. Does not add the context path, so a relative path refers to the current page. */
  relativeUrl(path: string, query?: UrlQuery): string {
    return path + formatQuery(query)
  }

  /** The view helper `s`. @spec View helper */
  get viewHelper(): ViewHelper {
    return (this.#viewHelper ??= this.services.createViewHelper(this))
  }

  /** The Content-Security-Policy nonce of this response's inline scripts and styles. */
  get cspNonce(): string {
    return (this.#cspNonce ??= takeRandomBytes(16).toString('base64'))
  }

  /** The CSP nonce; undefined unless code of this request has read `cspNonce`. */
  get usedCspNonce(): string | undefined {
    return this.#cspNonce
  }

  /** The id of this request in the log. Once code has read it, the response contains it too. A configured proxy may send it. */
  get requestId(): string {
    return this.usedRequestId ?? (this.#requestId = takeRandomBytes(12).toString('base64url'))
  }

  /** The request id if code has read `requestId` or a proxy has sent an id; otherwise undefined. */
  get usedRequestId(): string | undefined {
    return (this.#requestId ??= adoptedRequestId(this.request.http))
  }

  /** The application's logger, which adds the request id to each event. */
  get logger(): Logger {
    return (this.#logger ??= withFields(this.services.logger, { requestId: this.requestId }))
  }

  /** A signal that is aborted when the client disconnects. */
  get signal(): AbortSignal {
    return this.request.http.signal
  }

  /** Calls `work` asynchronously with the request, and returns a promise of its result. @spec Async helpers */
  futureWithRequest<T>(work: (request: FwRequest) => T | PromiseLike<T>): Promise<T> {
    return Promise.resolve(this.request).then(work)
  }

  /** Calls `work` asynchronously with this context, and returns a promise of its result. @spec Async helpers */
  futureWithContext<T>(work: (ctx: FwContext) => T | PromiseLike<T>): Promise<T> {
    return Promise.resolve(this as FwContext).then(work)
  }

  /** Writes the changed cookies into the headers. Then `cookies`, `session` and `flash` throw `action.request-ended`. */
  writeCookies(): void {
    if ((this.#cookies !== undefined || this.response.headers.has('set-cookie')) && this.isPrefetch)
      this.discardCookies()
    if (this.#sessionScope?.changesCookie === true) this.#sessionScope.writeCookie(this.cookies)
    if (this.#cookies?.changed === true) {
      this.#cookies.writeTo(this.response.headers)
      if (this.services.secureCookies && !this.request.isHttps) warnOfPlainHttp(this)
    }
    this.#ended = true
  }

  /**
   * Calls `work` after the response has been sent or aborted, to release what the request has opened. Runs the callbacks of
   * failed attempts, too. For work that must run only once, use `transaction.afterCommit`. If `work` fails, the error is
   * logged.
   */
  atRequestEnd(work: () => unknown): void {
    ;(this.#endCallbacks ??= []).push(work)
  }

  /** Runs the callbacks of `atRequestEnd`: immediately, or for a streamed body after it has been sent or aborted. */
  endRequest(): void {
    const callbacks = this.#endCallbacks
    if (callbacks === undefined) return
    this.#endCallbacks = undefined
    callAtEnd(callbacks, this.response, this.services.logger)
  }
}

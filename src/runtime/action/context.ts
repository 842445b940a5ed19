/** The context of one request: what filters, actions and views read and write. */
import { AsyncLocalStorage } from 'node:async_hooks'
import { FwError, HttpError, takeRandomBytes, withFields, type Logger } from '../base.ts'
import {
  addVary,
  isStreamed,
  WatchedBody,
  type CompressionOptions,
  type Handler,
  type HttpRequest,
  type MultipartLimits,
  type RequestPath,
  type UploadDirectory,
} from '../http.ts'
import { I18n, negotiateLocale, type MessageCatalog } from '../i18n.ts'
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
import {
  ForgeryToken,
  TokenCookie,
  type Flash,
  type SecretKeys,
  type Session,
  type SessionManager,
  type TokenStore,
} from '../session.ts'
import type { ViewEngine, ViewHelper } from '../view.ts'
import type { Format } from './format.ts'
import { requestEndedError } from './request-ended-error.ts'
import { adoptedRequestId, requestIdOf } from './request-ids.ts'
import { isBelow, RequestParams, type FormatDefaults } from './request-params.ts'
import { FwRequest, type BodyLimits } from './request.ts'
import { FwResponse } from './response.ts'
import type {
  BuiltAsset,
  RenderedFault,
  ResponseHeaderPolicy,
  WriteMemory,
} from './service-types.ts'
import { RequestCookies } from './request-cookies.ts'
import { SessionScope } from './session-scope.ts'

/** Describes faults to the developer. Its methods must not throw. */
export interface ErrorReporter {
  /** Wraps the application's handler, to observe the work of a request. */
  wrap?(handle: Handler): Handler
  /** Called once for each failed request, before its transaction is rolled back. */
  report(ctx: FwContext, fault: unknown): void
  /** `undefined` for a client that must not see the fault. */
  render(ctx: FwContext, fault: unknown): RenderedFault | undefined
}

/** The services of an application that requests use. Immutable after the start. */
export interface Services {
  readonly logger: Logger
  /** Defined only in development. */
  readonly errorReporter: ErrorReporter | undefined
  /** Adds `Secure` to cookies and enforces the restrictions of production. */
  readonly production: boolean
  /** `''` at the root, else `/prefix` without a slash at its end. */
  readonly contextPath: string
  readonly limits: BodyLimits
  /** Where large uploads are stored during their request, and how much one request may upload. */
  readonly uploads: { readonly directory: UploadDirectory; readonly limits: MultipartLimits }
  /** Absent: responses are sent uncompressed. */
  readonly compression: CompressionOptions | undefined
  readonly views: ViewEngine
  readonly messages: MessageCatalog
  readonly sessions: SessionManager
  /** Security headers for every response that does not set them itself. */
  readonly securityHeaders: ResponseHeaderPolicy
  /** Keys derived from `secretKeyBase`, for signed and sealed cookies. */
  readonly keys: SecretKeys
  readonly recentWrites: WriteMemory | undefined
  /** Other origins that may send unsafe requests. */
  readonly trustedOrigins: ReadonlySet<string>
  /** Other hosts that `redirect` allows. */
  readonly redirectHosts: readonly string[]
  /** The status of a failed validation. */
  readonly invalidStatus: number
  /** Below these paths, relative to the context path, errors are JSON by default. */
  readonly apiPaths: readonly string[]
  /**
   * The mount path of a route's controller; `''` when it is mounted at the root or not at all. Of several mount paths,
   * `here` if it is one of them, else the first.
   */
  findMountPath(route: Route, here?: string): string
  /** The built files of an entry such as `src/app.ts`; without a bundler the name itself is the file. */
  resolveAsset(name: string): BuiltAsset
  /** The application's controllers by name, for `this.routes`. */
  readonly controllers: object | undefined
  /** Makes `s`, the `fw.Fw` helper of a view. */
  createViewHelper(ctx: FwContext): ViewHelper
}

/** The permissions of pages of other origins for a controller. */
export interface CrossOrigin {
  /** Whether pages of the origin may send unsafe requests. */
  trusts(origin: string, ctx: FwContext): boolean
  /** Sets the headers that let pages of the request's origin read the response. */
  allow(ctx: FwContext): void
  /** Sets the headers of a CORS preflight response; `methods` are the methods of the path. */
  preflight(ctx: FwContext, methods: readonly string[]): void
}

/** The part of a route's plan that a request reads. */
export interface RoutePlan {
  readonly controllerName: string
  /** Absent for an inline action without `.as()`. */
  readonly routeName: string | undefined
  /** The nearest class's policy. */
  readonly crossOrigin: CrossOrigin | undefined
  /** False where no session feature is mixed in. */
  readonly savesSession: boolean
  /** What traits configured for this route; see `Registrations.configure`. */
  readonly settings: ReadonlyMap<symbol, unknown>
}

/** The part of a matched route that a request reads. */
export interface MatchedRoute extends FormatDefaults {
  readonly plan: RoutePlan
  /** The controller's mount path; `''` at the root. */
  readonly mountPath: string
  /** Context path, mount path and pattern; absent for a fallback handler. */
  readonly pattern?: string | undefined
}

/** The session attribute with the language that the visitor chose. */
const localeAttribute = 'locale'

const startsWithScheme = /^https?:\/\//i

const currentContext = new AsyncLocalStorage<FwContext>()

/** Runs `work`, and all that it starts, with `ctx` as the result of `FwContext.current()`. */
export const runWithContext = <T>(ctx: FwContext, work: () => T): T => currentContext.run(ctx, work)

/** The request's context: `this.ctx` in a controller, the argument of an asynchronous action. */
export class FwContext extends RequestParams {
  response: FwResponse = new FwResponse(this)
  readonly services: Services
  declare match: Match<MatchedRoute> | undefined
  /** The result of the last redirect. It becomes the response if the action then returns nothing. */
  recordedRedirect: unknown
  /** The fault that stopped the request. */
  fault: unknown
  #ended = false
  /** False on error pages and for refused requests. */
  #createsToken = true
  #hasSession = true
  #endCallbacks: (() => unknown)[] | undefined
  #scope: Map<string, unknown> | undefined
  #cookies: RequestCookies | undefined
  #sessionScope: SessionScope | undefined
  #requestId: string | undefined
  #logger: Logger | undefined
  #i18n: I18n | undefined
  #viewHelper: ViewHelper | undefined
  #cspNonce: string | undefined

  /**
   * The context of the current request, for code without a reference to it; needs `MainThreadLocalEverywhere`.
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
    // By the raw target, because a malformed path has no other.
    if (isBelow(this.request.http.target, contextPath, apiPaths)) return 'json'
    return (this.match?.target ?? this.errorRoute)?.errorFormat ?? 'html'
  }

  /** The path prefix of the whole application, a host framework's included; `''` at the root. */
  get contextPath(): string {
    return this.request.http.mountPath + this.services.contextPath
  }

  /** A route that a route without a session passes the request to has one. */
  override beginRoute(match: Match<MatchedRoute>): void {
    super.beginRoute(match)
    if (this.#hasSession) return
    this.#createsToken = this.#hasSession = true
    this.#sessionScope = undefined
  }

  /** Discards what filters and action have set, so that the route can run again. The parsed body stays. */
  restart(): void {
    this.response = new FwResponse(this)
    this.recordedRedirect = this.fault = undefined
    this.#scope = this.#cookies = this.#sessionScope = this.#i18n = this.#viewHelper = undefined
    this.resetFormat()
    this.#createsToken = this.#hasSession = true
  }

  /** Drops the cookies that a failed request has set. */
  discardCookies(): void {
    this.#cookies = undefined
    this.response.headers.delete('set-cookie')
  }

  /** Adds `Vary: Accept` if the response depends on that header. */
  writeVary(): void {
    if (this.isNegotiated) addVary(this.response.headers, 'Accept')
  }

  /** The plan of the matched route. */
  get plan(): RoutePlan | undefined {
    return this.match?.target.plan
  }

  /** The name of the matched route; `undefined` for an inline action without `.as()`. */
  get routeName(): string | undefined {
    return this.plan?.routeName
  }

  /** The live map of request-scope values that views read. @spec General rules › 2 */
  requestScope(): Map<string, unknown> {
    return (this.#scope ??= new Map())
  }

  /** True once the response's headers are sent, as in a stream of events. */
  get hasEnded(): boolean {
    return this.#ended
  }

  /** Cookies of the request and, once set, of the response. */
  get cookies(): RequestCookies {
    if (this.#ended) throw requestEndedError('cookies')
    return (this.#cookies ??= new RequestCookies(this.request, this.services, this.contextPath))
  }

  get #visit(): SessionScope {
    return (this.#sessionScope ??= new SessionScope(
      this.services.sessions,
      this.request.http.header('cookie'),
    ))
  }

  /** The visitor's session; stored only once a value is set. */
  get session(): Session {
    if (this.#ended) throw requestEndedError('session')
    const { session } = this.#visit
    session.refuseChanges(!this.#hasSession || this.plan?.savesSession === false)
    return session
  }

  /** Values from the previous request, and for the next one. @spec Response helpers › flash */
  get flash(): Flash {
    if (this.#ended) throw requestEndedError('flash')
    void this.session
    return this.#visit.flash
  }

  /** The session if this request brought or touched one. */
  get loadedSession(): Session | undefined {
    return this.#sessionScope?.loaded
  }

  /** Reads the session that the request's cookie names, so that `session` can return at once. */
  loadSession(): Promise<void> | undefined {
    return this.request.http.header('cookie') === undefined ? undefined : this.#visit.load()
  }

  /** For a refused request: its session is not read any more, and nothing of it is stored. */
  ignoreSession(): void {
    this.#createsToken = false
    this.#visit.ignore()
  }

  /** False for a request that something else than a cookie authenticates: nothing can be forged. */
  get hasSession(): boolean {
    return this.#hasSession
  }

  /** Ignores the session cookie, also where an earlier route has read it: the session is empty, a change throws. */
  refuseSession(): void {
    this.#hasSession = false
    this.#sessionScope = undefined
    if (this.request.http.header('cookie') !== undefined) this.ignoreSession()
  }

  /** For an error page: a session that was not read stays unread, and no forgery token is created. */
  leaveSession(): void {
    this.#createsToken = false
    this.#visit.ignoreUnread()
  }

  /** Sweeps the flash and writes the changed attributes; does nothing for a request without a session. */
  saveSession(): Promise<void> | undefined {
    const session = this.loadedSession
    if (session === undefined) return undefined
    if (session.isBeginning) this.#findTokenStore(session)
    return this.#visit.save()
  }

  #findTokenStore(session: Session): TokenStore {
    if (!session.isNew) return session
    const cookie = new TokenCookie(this.cookies.sealed, this.services.sessions.cookie)
    if (!session.isBeginning) return cookie
    const token = cookie.get()
    if (token !== undefined) session.adoptToken(token)
    return session
  }

  /** The visitor's forgery token: in the session, before there is one in a cookie of its own. */
  get forgeryToken(): ForgeryToken {
    const { session } = this
    // A page with a token is private, also if the token is in a cookie.
    session.markUsed()
    return new ForgeryToken(this.#findTokenStore(session))
  }

  /** The token, masked for this response; `undefined` on an error page, unless the request has read one. */
  maskToken(): string | undefined {
    if (this.#visit.detached) return undefined
    const token = this.forgeryToken
    return this.#createsToken ? token.mask() : token.maskExisting()
  }

  /** Messages in the visitor's language: chosen in the session, else by `Accept-Language`, else the default. */
  get i18n(): I18n {
    return (this.#i18n ??= new I18n(this.services.messages, this.#negotiateLocale()))
  }

  #negotiateLocale(): string {
    const { messages } = this.services
    const session = this.loadedSession
    // A read makes the response private, so an empty session is not read.
    const isEmpty = session === undefined || (session.isNew && !session.isBeginning)
    const chosen = isEmpty ? undefined : session.get(localeAttribute)
    if (typeof chosen === 'string') return chosen
    if (messages.locales.length > 1) addVary(this.response.headers, 'Accept-Language')
    return negotiateLocale(
      this.request.header('accept-language'),
      messages.locales,
      messages.defaultLocale,
    )
  }

  /** The language of `i18n`, for `<html lang>`. */
  get locale(): string {
    return this.i18n.locale
  }

  /** Stores the language in the session. One without messages selects the default; `undefined` removes the choice. */
  set locale(locale: string | undefined) {
    this.#i18n = locale === undefined ? undefined : new I18n(this.services.messages, locale)
    this.session.set(localeAttribute, this.#i18n?.locale)
  }

  /**
   * The URL of a route, context path included; the compiler checks its parameters.
   * @throws FwError `routing.*` for a value that no path can hold
   */
  url<T extends UrlTarget>(target: T, ...args: UrlTargetArgs<T>): string
  url<T extends UrlTarget>(target: IncompleteTarget<T>): string
  url(target: Route | string, ...args: readonly unknown[]): string {
    return this.#buildUrl(target, args)
  }

  #buildUrl(target: Route | string, args: readonly unknown[]): string {
    if (typeof target === 'string') {
      const absolute = target === '' || target.startsWith('/') ? target : `/${target}`
      return this.contextPath + this.relativeUrl(absolute, args[0] as UrlQuery | undefined)
    }
    const [params, query] = args as [Parameters<typeof urlFor>[1], UrlQuery?]
    const mountPath = this.services.findMountPath(target, this.match?.target.mountPath)
    return this.contextPath + mountPath + urlFor(target, params, query)
  }

  /**
   * As `url`, with scheme and host before it: for mails, feeds and other sites. A full URL stays unchanged.
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
    return `http${isHttps ? 's' : ''}://${host}${this.#buildUrl(target, args)}`
  }

  /** The path and its query without the context path: relative to the current page. */
  relativeUrl(path: string, query?: UrlQuery): string {
    return path + formatQuery(query)
  }

  /** `s` of the views. @spec View helper */
  get viewHelper(): ViewHelper {
    return (this.#viewHelper ??= this.services.createViewHelper(this))
  }

  /** The nonce of this response's inline scripts and styles. */
  get cspNonce(): string {
    return (this.#cspNonce ??= takeRandomBytes(16).toString('base64'))
  }

  /** The nonce if a view of this request has used it. */
  get usedCspNonce(): string | undefined {
    return this.#cspNonce
  }

  /** Identifies this request in the log, and to the client once something was logged. A configured proxy may send it. */
  get requestId(): string {
    return (this.#requestId ??= requestIdOf(this.request.http))
  }

  /** The id if anything has read it, or if a proxy sent it. */
  get usedRequestId(): string | undefined {
    return (this.#requestId ??= adoptedRequestId(this.request.http))
  }

  /** The application's logger, with the request's id in every event. */
  get logger(): Logger {
    return (this.#logger ??= withFields(this.services.logger, { requestId: this.requestId }))
  }

  /** Aborted when the client goes away. */
  get signal(): AbortSignal {
    return this.request.http.signal
  }

  /** The result of `work`, which gets the request. @spec Async helpers */
  futureWithRequest<T>(work: (request: FwRequest) => T | PromiseLike<T>): Promise<T> {
    return Promise.resolve(this.request).then(work)
  }

  /** As `futureWithRequest`, with the whole context. @spec Async helpers */
  futureWithContext<T>(work: (ctx: FwContext) => T | PromiseLike<T>): Promise<T> {
    return Promise.resolve(this as FwContext).then(work)
  }

  /**
   * Writes the changed cookies into the response's headers. Cookies, session and flash throw
   * `action.request-ended` from then on.
   */
  writeCookies(): void {
    const change = this.fault === undefined ? this.#sessionScope?.cookie : undefined
    const { name, options } = this.services.sessions.cookie
    if (change !== undefined && 'set' in change) this.cookies.set(name, change.set, options)
    else if (change !== undefined) this.cookies.delete(name, options)
    this.#cookies?.writeTo(this.response.headers)
    this.#ended = true
  }

  /** Runs `work` once the response is sent or given up. A failure of it is logged. */
  atRequestEnd(work: () => unknown): void {
    ;(this.#endCallbacks ??= []).push(work)
  }

  /** Runs the callbacks of `atRequestEnd`: now, or for a streamed body when it is over. */
  endRequest(): void {
    const callbacks = this.#endCallbacks
    if (callbacks === undefined) return
    this.#endCallbacks = undefined
    const { response } = this
    const finish = (): void => {
      for (const work of callbacks) this.#runLogged(work)
    }
    if (isStreamed(response.body)) response.body = new WatchedBody(response.body, finish)
    else finish()
  }

  #runLogged(work: () => unknown): void {
    Promise.resolve()
      .then(work)
      .catch((error: unknown) => {
        this.services.logger.error({ err: error }, 'the end of a request failed')
      })
  }
}

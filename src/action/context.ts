/** One request as filters, actions and views see it; everything is computed when first asked for. */
import { randomBytes } from 'node:crypto'
import { FwError, withFields, type Logger } from '../base.ts'
import { addVary, CookieJar, HttpResponse, type HttpRequest, type RequestPath } from '../http.ts'
import { I18n, negotiateLocale } from '../i18n.ts'
import type { Match } from '../routing.ts'
import { SecretCookies, type Flash, type Session, type SessionCookieChange } from '../session.ts'
import type { ViewHelper } from '../view.ts'
import { contextUnderWay } from './current-context.ts'
import type { Plan } from './plan.ts'
import { RequestParams, type FormatDefaults } from './request-params.ts'
import { FwRequest } from './request.ts'
import { tooLate } from './too-late.ts'
import type { Services } from './services.ts'
import { SessionScope } from './session-scope.ts'

/** The session's attribute with the language that its visitor chose. */
const localeAttribute = 'locale'

/** What a route leads to; `plan` runs it. */
export interface Target extends FormatDefaults {
  readonly plan: Plan
  /** The route's `when`; absent means always. */
  readonly when: ((ctx: FwContext) => boolean) | undefined
  /** Under which its controller is mounted here; `''` at the root. */
  readonly mountPath: string
}

/** The request's own context: `this.ctx` in a controller, the argument of an asynchronous action. */
export class FwContext extends RequestParams {
  response = new HttpResponse()
  readonly services: Services
  declare match: Match<Target> | undefined
  /** What a redirect recorded: an action that returns nothing afterwards answers with it. */
  recorded: unknown
  /** The answer stands: by a redirect in a filter, a halt or an error. */
  answered = false
  /** The response has left, or is on its way: nothing more can be set. */
  ended = false
  /** The fault that stopped the request, for the steps that keep or undo what it did. */
  fault: unknown
  /** What is to be done when the response is sent or given up; see `atRequestEnd`. */
  endings: (() => unknown)[] | undefined
  /** Asked about whatever a step threw: true undoes what the request did, for `restart` to run it from its start. */
  runsAgain: ((error: unknown) => boolean) | undefined
  #scope: Map<string, unknown> | undefined
  #cookies: CookieJar | undefined
  #sessionScope: SessionScope | undefined
  #signedCookies: SecretCookies | undefined
  #sealedCookies: SecretCookies | undefined
  #requestId: string | undefined
  #logger: Logger | undefined
  #i18n: I18n | undefined
  #viewHelper: ViewHelper | undefined
  #cspNonce: string | undefined
  /** The layout of this request's page: absent for the default, false for none. */
  layout: string | false | undefined

  /**
   * The context of the request under way, for code that was handed none: in controllers with `MainThreadLocalEverywhere`.
   * @throws FwError `action.no-context`
   * @spec Filters › 5
   */
  static current(): FwContext {
    const ctx = contextUnderWay()
    if (ctx instanceof FwContext) return ctx
    throw new FwError(
      'action.no-context',
      'There is no current context here: mix MainThreadLocalEverywhere into the controller, or pass this.ctx on.',
    )
  }

  constructor(http: HttpRequest, path: RequestPath, services: Services) {
    super(new FwRequest(http, path, services.limits))
    this.services = services
  }

  /** What stands before every path of the application: of a framework around it, then its own; `''` at the root. */
  get contextPath(): string {
    return this.request.http.mountPath + this.services.contextPath
  }

  /** Forgets what filters and action have set, as if the route were taken up just now; the form that was read stays. */
  restart(): void {
    this.response = new HttpResponse()
    this.recorded = this.fault = this.layout = undefined
    this.answered = false
    this.#scope = this.#cookies = this.#sessionScope = undefined
    this.#signedCookies = this.#sealedCookies = undefined
    this.forgetFormat()
    this.#i18n = this.#viewHelper = undefined
  }

  /** What a request that failed would have given its client to keep. */
  forgetCookies(): void {
    this.#cookies = this.#signedCookies = this.#sealedCookies = undefined
    this.response.headers.delete('set-cookie')
  }

  /** The plan of the route under way. */
  get plan(): Plan | undefined {
    return this.match?.target.plan
  }

  /** The live map of request-scope values that views read. @spec General rules › 2 */
  requestScope(): Map<string, unknown> {
    return (this.#scope ??= new Map())
  }

  /** Cookies of the request and, once set, of the response. */
  get cookies(): CookieJar {
    if (this.ended) throw tooLate('cookies')
    return (this.#cookies ??= new CookieJar(this.request.header('cookie'), {
      path: this.contextPath === '' ? '/' : this.contextPath,
      httpOnly: true,
      sameSite: 'lax',
      secure: this.services.production,
    }))
  }

  /** Cookies that the client can read, not change. */
  get signedCookies(): SecretCookies {
    return (this.#signedCookies ??= SecretCookies.signed(this.cookies, this.services.keys))
  }

  /** Cookies that the client can neither read nor change. */
  get sealedCookies(): SecretCookies {
    return (this.#sealedCookies ??= SecretCookies.sealed(this.cookies, this.services.keys))
  }

  get #visit(): SessionScope {
    return (this.#sessionScope ??= new SessionScope(
      this.services.sessions,
      this.request.http.header('cookie'),
    ))
  }

  /** The visitor's session; nothing is stored until something is set. */
  get session(): Session {
    if (this.ended) throw tooLate('session')
    return this.#visit.session
  }

  /** Values from the request before, and for the next one. @spec Response helpers › flash */
  get flash(): Flash {
    if (this.ended) throw tooLate('flash')
    return this.#visit.flash
  }

  /** The session if this request brought or touched one. */
  get knownSession(): Session | undefined {
    return this.#sessionScope?.known
  }

  /** Reads the session that the request's cookie names, so that `session` can answer at once. */
  loadSession(): Promise<void> | undefined {
    return this.request.http.header('cookie') === undefined ? undefined : this.#visit.load()
  }

  /** As `loadSession`, for an error page: a session that cannot be read is an empty one. */
  loadSessionIfPossible(): Promise<void> | undefined {
    return this.loadSession()?.catch(() => {})
  }

  /** Sweeps the flash and writes what changed; nothing for a request without a session. */
  saveSession(): Promise<void> | undefined {
    return this.#sessionScope?.save()
  }

  /** Messages in the visitor's language: chosen in the session, else by `Accept-Language`, else the default. */
  get i18n(): I18n {
    return (this.#i18n ??= new I18n(this.services.messages, this.#locale()))
  }

  #locale(): string {
    const { messages } = this.services
    const chosen = this.knownSession?.get(localeAttribute)
    if (typeof chosen === 'string') return chosen
    if (messages.locales.length > 1) addVary(this.response.headers, 'Accept-Language')
    return negotiateLocale(
      this.request.header('accept-language'),
      messages.locales,
      messages.defaultLocale,
    )
  }

  /** Keeps the language in the session; one without messages gives the default, `undefined` forgets the choice. */
  setCurrentLocale(locale: string | undefined): void {
    this.#i18n = locale === undefined ? undefined : new I18n(this.services.messages, locale)
    this.session.set(localeAttribute, this.#i18n?.locale)
  }

  /** `s` of the views. @spec View helper */
  get viewHelper(): ViewHelper {
    return (this.#viewHelper ??= this.services.viewHelper(this as never))
  }

  /** The nonce of this response's inline scripts and styles, made when a view first needs it. */
  get cspNonce(): string {
    return (this.#cspNonce ??= randomBytes(16).toString('base64'))
  }

  /** The nonce if a view of this request has used it. */
  get usedCspNonce(): string | undefined {
    return this.#cspNonce
  }

  /** Names this request in the log, and to the client once something was logged; made when first asked for. */
  get requestId(): string {
    return (this.#requestId ??= randomBytes(12).toString('base64url'))
  }

  /** The id if anything has asked for it. */
  get usedRequestId(): string | undefined {
    return this.#requestId
  }

  /** The application's logger, with the request's id in every event. */
  get logger(): Logger {
    return (this.#logger ??= withFields(this.services.logger, { requestId: this.requestId }))
  }

  /** Aborted when the client goes away. */
  get signal(): AbortSignal {
    return this.request.http.signal
  }

  /** Runs `work` with the request at hand; its promise is the result. @spec Async helpers */
  futureWithRequest<T>(work: (request: FwRequest) => T | PromiseLike<T>): Promise<T> {
    return Promise.resolve(this.request).then(work)
  }

  /**
   * Puts the cookies that were set into the response's headers; the last thing before it is written: cookies, session
   * and flash are out of reach from then on.
   */
  writeCookies(): void {
    const change = this.fault === undefined ? this.#sessionScope?.cookie : undefined
    if (change !== undefined) this.#writeSessionCookie(change)
    this.#cookies?.writeTo(this.response.headers)
    this.ended = true
  }

  /** No client gets the id of a session that was not kept. */
  #writeSessionCookie(change: SessionCookieChange): void {
    const { name, options } = this.services.sessions.cookie
    if ('set' in change) this.cookies.set(name, change.set, options)
    else this.cookies.delete(name, options)
  }
}

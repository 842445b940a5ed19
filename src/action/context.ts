/** One request as filters, actions and views see it; everything is computed when first asked for. */
import { randomBytes } from 'node:crypto'
import { CookieJar, HttpResponse, type HttpRequest, type RequestPath } from '../http.ts'
import { I18n, negotiateLocale } from '../i18n.ts'
import { combineSources, MultiParams, Params, type ParamSource } from '../params.ts'
import type { Match } from '../routing.ts'
import { Flash, type Session, type SessionCookieChange } from '../session.ts'
import type { ViewHelper } from '../view.ts'
import { chooseFormat, type Format } from './format.ts'
import { PathSource } from './path-source.ts'
import type { Plan } from './plan.ts'
import { FwRequest } from './request.ts'
import type { Services } from './services.ts'

const nothing: ParamSource = new Map<string, readonly string[]>()

/** What a route leads to; `plan` runs it. */
export interface Target {
  readonly plan: Plan
  /** The route's `when`; absent means always. */
  readonly when: ((ctx: FwContext) => boolean) | undefined
  /** The format of a text that an action returns, when nothing else decides. */
  readonly textFormat: Format
}

/** The request's own context: `this.ctx` in a controller, the argument of an asynchronous action. */
export class FwContext {
  readonly request: FwRequest
  readonly response = new HttpResponse()
  readonly services: Services
  /** The candidate route under way; absent before one matched and when none did. */
  match: Match<Target> | undefined
  /** What a redirect recorded: an action that returns nothing afterwards answers with it. */
  recorded: unknown
  /** The answer stands: by a redirect in a filter, a halt or an error. */
  answered = false
  /** The fault that stopped the request, for the steps that keep or undo what it did. */
  fault: unknown
  #scope: Map<string, unknown> | undefined
  #params: Params | undefined
  #multiParams: MultiParams | undefined
  #cookies: CookieJar | undefined
  #session: Session | undefined
  #flash: Flash | undefined
  #format: Format | undefined
  #i18n: I18n | undefined
  #viewHelper: ViewHelper | undefined
  #cspNonce: string | undefined
  /** The layout of this request's page: absent for the default, false for none. */
  layout: string | false | undefined

  constructor(http: HttpRequest, path: RequestPath, services: Services) {
    this.request = new FwRequest(http, path, services.limits)
    this.services = services
  }

  /** Takes up the next candidate: its path parameters replace those of the one before. */
  begin(match: Match<Target>): void {
    this.match = match
    this.#params = undefined
    this.#multiParams = undefined
    this.#format = undefined
  }

  /** What stands before every path of the application: of a framework around it, then its own; `''` at the root. */
  get contextPath(): string {
    return this.request.http.mountPath + this.services.contextPath
  }

  /** The plan of the route under way. */
  get plan(): Plan | undefined {
    return this.match?.target.plan
  }

  /** The live map of request-scope values that views read. @spec General rules › 2 */
  requestScope(): Map<string, unknown> {
    return (this.#scope ??= new Map())
  }

  /** Path, then query, then form parameters. @spec Parameter access */
  get params(): Params {
    return (this.#params ??= new Params(this.#source()))
  }

  /** All values of each key, `splat` and `captures` among them. @spec Parameter access */
  get multiParams(): MultiParams {
    return (this.#multiParams ??= new MultiParams(this.#source()))
  }

  get queryParams(): Params {
    return new Params(this.request.query)
  }

  get formParams(): Params {
    return new Params(this.request.form)
  }

  get queryMultiParams(): MultiParams {
    return new MultiParams(this.request.query)
  }

  get formMultiParams(): MultiParams {
    return new MultiParams(this.request.form)
  }

  #source(): ParamSource {
    const path = this.match === undefined ? nothing : new PathSource(this.match.params)
    return combineSources(path, this.request.query, this.request.form)
  }

  /** A path parameter alone; `undefined` when the route has none of that name. */
  pathParam(name: string): string | undefined {
    return this.match?.params.get(name)?.[0]
  }

  /** Cookies of the request and, once set, of the response. */
  get cookies(): CookieJar {
    return (this.#cookies ??= new CookieJar(this.request.header('cookie'), {
      path: this.contextPath === '' ? '/' : this.contextPath,
      httpOnly: true,
      sameSite: 'lax',
      secure: this.services.production,
    }))
  }

  /** The visitor's session; nothing is stored until something is set. */
  get session(): Session {
    return (this.#session ??= this.services.sessions.open(this.request.http.header('cookie')))
  }

  /** Values from the request before, and for the next one. @spec Response helpers › flash */
  get flash(): Flash {
    return (this.#flash ??= new Flash(this.session))
  }

  /** The session if this request brought or touched one. */
  get knownSession(): Session | undefined {
    return this.#session
  }

  /** Reads the session that the request's cookie names, so that `session` can answer at once. */
  loadSession(): Promise<void> | undefined {
    const loading = this.services.sessions.load(this.request.http.header('cookie'))
    return loading?.then((session) => {
      this.#session = session
    })
  }

  /** Sweeps the flash, writes what changed and sets the cookie; nothing for a request without a session. */
  saveSession(): Promise<void> | undefined {
    if (this.#session === undefined) return undefined
    this.flash.sweep()
    return this.#session.commit()?.then((change) => this.#changeSessionCookie(change))
  }

  #changeSessionCookie(change: SessionCookieChange | undefined): void {
    const { name, options } = this.services.sessions.cookie
    if (change === undefined) return
    if ('set' in change) this.cookies.set(name, change.set, options)
    else this.cookies.delete(name, options)
  }

  /** What the client wants to read: by the path's suffix, `format`, `Accept`, else the route's default. */
  get format(): Format {
    return (this.#format ??= this.#chooseFormat())
  }

  #chooseFormat(): Format {
    const named = this.pathParam('format') ?? this.request.query.get('format')?.[0]
    return chooseFormat(
      named,
      this.request.http.header('accept'),
      this.match?.target.textFormat ?? 'html',
    )
  }

  set format(format: Format) {
    this.#format = format
  }

  /** Messages in the visitor's language. */
  get i18n(): I18n {
    return (this.#i18n ??= new I18n(this.services.messages, this.#locale()))
  }

  #locale(): string {
    const { messages } = this.services
    return negotiateLocale(
      this.request.header('accept-language'),
      messages.locales,
      messages.defaultLocale,
    )
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

  /** Aborted when the client goes away. */
  get signal(): AbortSignal {
    return this.request.http.signal
  }

  /** Runs `work` with the request at hand; its promise is the result. @spec Async helpers */
  futureWithRequest<T>(work: (request: FwRequest) => T | PromiseLike<T>): Promise<T> {
    return Promise.resolve(this.request).then(work)
  }

  /** Puts the cookies that were set into the response's headers; the last thing before it is written. */
  writeCookies(): void {
    this.#cookies?.writeTo(this.response.headers)
  }
}

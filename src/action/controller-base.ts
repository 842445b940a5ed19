/** What every controller has: the request, the response, the ways to answer, and the registering of filters. */
import type { Logger } from '../base.ts'
import { checkedStatus, type ActionResult, type CookieJar, type HttpResponse } from '../http.ts'
import type { I18n } from '../i18n.ts'
import type { MultiParams, Params } from '../params.ts'
import { queryText, type Route, type UrlArgs, type UrlValue } from '../routing.ts'
import type { SecretCookies, Session } from '../session.ts'
import type { FwContext } from './context.ts'
import { FilterStatics, type Ctor } from './filter-statics.ts'
import type { Format } from './format.ts'
import { guardOrigin } from './origin-guard.ts'
import { readForm } from './read-form.ts'
import { redirectResult, type RedirectOptions } from './redirect.ts'
import { registrationsOf } from './registrations.ts'
import type { FwRequest } from './request.ts'
import { haltWith, passSignal, type HaltOptions } from './signals.ts'
import { askTrap } from './trap-step.ts'
import { fullUrl, urlOf } from './url.ts'

// The one place where `any` stands: a trait's class takes whatever its base's constructor takes.
/** A controller class that a trait can extend: any constructor, with the registering statics. */
export type ControllerClass<T extends FwControllerBase = FwControllerBase> = Ctor<T> &
  Omit<typeof FwControllerBase, 'prototype'>

/** The base of every controller. An instance serves one request, so its fields are safe between requests. */
export abstract class FwControllerBase extends FilterStatics {
  static {
    registrationsOf(this).add('guard', (_controller, ctx: FwContext) => guardOrigin(ctx))
    registrationsOf(this).add('body', (_controller, ctx: FwContext) => readForm(ctx))
    registrationsOf(this).add('trap', askTrap)
  }

  /** True for a class that answers every path below its mount path, with its own 404 and 405 where no route does. */
  static readonly isServlet: boolean = false

  /** The format of a text that an action returns, when neither the path nor `Accept` decides. */
  static readonly textFormat: Format = 'html'

  /** The format of an error's body, when neither the path nor `Accept` decides. */
  static readonly errorFormat: Format = 'html'

  readonly ctx: FwContext

  constructor(ctx: FwContext) {
    super()
    this.ctx = ctx
  }

  get request(): FwRequest {
    return this.ctx.request
  }

  get response(): HttpResponse {
    return this.ctx.response
  }

  get logger(): Logger {
    return this.ctx.logger
  }

  get cookies(): CookieJar {
    return this.ctx.cookies
  }

  /** Cookies that the client can read, and cannot change unnoticed. */
  get signedCookies(): SecretCookies {
    return this.ctx.signedCookies
  }

  /** Cookies that the client can neither read nor change. */
  get sealedCookies(): SecretCookies {
    return this.ctx.sealedCookies
  }

  get session(): Session {
    return this.ctx.session
  }

  get i18n(): I18n {
    return this.ctx.i18n
  }

  /** The language of `i18n`, for `<html lang>`. */
  get currentLocale(): string {
    return this.ctx.i18n.locale
  }

  /** Keeps the language in the session; one without messages gives the default, `undefined` forgets the choice. */
  setCurrentLocale(locale: string | undefined): void {
    this.ctx.setCurrentLocale(locale)
  }

  /** The status of the response: 200 until something says otherwise. @throws FwError `http.status-invalid` */
  get status(): number {
    return this.ctx.response.status
  }

  set status(status: number) {
    this.ctx.response.status = checkedStatus(status)
  }

  /** Path, then query, then form parameters. @spec Parameter access */
  get params(): Params {
    return this.ctx.params
  }

  /** All values of each key; `splat` and `captures` among them. @spec Parameter access */
  get multiParams(): MultiParams {
    return this.ctx.multiParams
  }

  get queryParams(): Params {
    return this.ctx.queryParams
  }

  get formParams(): Params {
    return this.ctx.formParams
  }

  get queryMultiParams(): MultiParams {
    return this.ctx.queryMultiParams
  }

  get formMultiParams(): MultiParams {
    return this.ctx.formMultiParams
  }

  /** Puts a value, or each member of an object, into the request scope, where the view finds it. @spec General rules › 2 */
  set(name: string, value: unknown): void
  set(values: Readonly<Record<string, unknown>>): void
  set(given: string | Readonly<Record<string, unknown>>, value?: unknown): void {
    const scope = this.ctx.requestScope()
    if (typeof given === 'string') scope.set(given, value)
    else for (const [name, each] of Object.entries(given)) scope.set(name, each)
  }

  /** The live map of request-scope values. */
  requestScope(): Map<string, unknown> {
    return this.ctx.requestScope()
  }

  /**
   * The URL of a route, context path included; its parameters are checked by the compiler.
   * @throws FwError `routing.*` for a value that no path can hold
   * @spec Endpoints › Route declaration
   */
  url<P extends string>(route: Route<P>, ...args: UrlArgs<P>): string
  /** The URL of a path of the application. */
  url(path: string, query?: Readonly<Record<string, UrlValue>>): string
  url(target: Route | string, ...args: readonly unknown[]): string {
    return urlOf(this.ctx, target, args)
  }

  /**
   * As `url`, with scheme and host before it: for mails, feeds and other sites. A text that is a full URL stays.
   * @throws HttpError 400 `action.host-missing` when the client did not say under which host it came
   */
  fullUrl<P extends string>(route: Route<P>, ...args: UrlArgs<P>): string
  fullUrl(path: string, query?: Readonly<Record<string, UrlValue>>): string
  fullUrl(target: Route | string, ...args: readonly unknown[]): string {
    return fullUrl(this.ctx, target, args)
  }

  /** The text with its query as it is: relative to the page that is shown, without the context path. */
  relativeUrl(path: string, query?: Readonly<Record<string, UrlValue>>): string {
    return path + queryText(query)
  }

  /** The name of the route that answers; `undefined` for an action written in place without `.as()`. */
  get currentActionName(): string | undefined {
    return this.ctx.plan?.routeName
  }

  /** Stops here; the after filters still run. @spec Response helpers */
  halt(status?: number): never
  halt(options: HaltOptions): never
  halt(given: number | HaltOptions = {}): never {
    throw haltWith(typeof given === 'number' ? { status: given } : given)
  }

  /** Stops here with the body of that status in the request's format: the view `/error/<status>`, problem details, XML. */
  haltWithBody(status: number): never {
    throw haltWith({ status, withBody: true })
  }

  /** Lets the next matching route answer. */
  pass(): never {
    throw passSignal
  }

  /**
   * 302. Returns its result and records it: in a filter the chain ends with it.
   * @throws FwError `action.redirect-refused` when it would leave the site
   * @spec Response helpers
   */
  redirect(target: string, options?: RedirectOptions): ActionResult {
    return redirectResult(this.ctx, 302, target, options)
  }

  redirect301(target: string, options?: RedirectOptions): ActionResult {
    return redirectResult(this.ctx, 301, target, options)
  }

  redirect302(target: string, options?: RedirectOptions): ActionResult {
    return redirectResult(this.ctx, 302, target, options)
  }

  /** See Other: the answer to a form that was accepted. */
  redirect303(target: string, options?: RedirectOptions): ActionResult {
    return redirectResult(this.ctx, 303, target, options)
  }

  /** Temporary, method and body kept. */
  redirect307(target: string, options?: RedirectOptions): ActionResult {
    return redirectResult(this.ctx, 307, target, options)
  }

  /** Permanent, method and body kept. */
  redirect308(target: string, options?: RedirectOptions): ActionResult {
    return redirectResult(this.ctx, 308, target, options)
  }
}

/** The base class of every controller: access to request and response, and methods that respond. */
import {
  FwError,
  HttpError,
  isPromise,
  logRepeated,
  type Logger,
  type MaybePromise,
} from '../base.ts'
import { ActionResult, checkStatus } from '../http.ts'
import type { I18n } from '../i18n.ts'
import type { MultiParams, Params } from '../params.ts'
import type { IncompleteTarget, Route, UrlTarget, UrlTargetArgs } from '../routing.ts'
import { explainForeignOrigin, isSameOrigin, type Session } from '../session.ts'
import type { FwContext } from './context.ts'
import { FilterStatics, type Ctor } from './filter-statics.ts'
import type { Format } from './format.ts'
import { recordRedirect, redirectStatus, type RedirectOptions } from './redirect.ts'
import { registrationsOf } from './registrations.ts'
import type { RequestCookies } from './request-cookies.ts'
import type { FwRequest } from './request.ts'
import type { FwResponse } from './response.ts'
import type { ControllerRegistry } from '../view.ts'
import { Halt, passSignal, type HaltOptions } from './halt.ts'
import { viewOf, type FwView } from './view.ts'

/** The type of the application's controllers by name. Without generated types, any name is accepted. */
export type AppRoutes = ControllerRegistry extends { readonly controllers: infer C }
  ? C
  : Readonly<Record<string, Readonly<Record<string, Route>>>>

/** The type of a controller class that a trait can extend, with the static methods that register filters. */
export type ControllerClass<T extends FwControllerBase = FwControllerBase> = Ctor<T> &
  Omit<typeof FwControllerBase, 'prototype'>

/**
 * Unlike `isHandshake` of the server, accepts a body: the check of the origin must also cover a malformed handshake, because browsers let
 * pages of all origins open WebSockets, with cookies.
 */
const isWebSocketHandshake = ({ http }: FwRequest): boolean =>
  http.method === 'GET' && http.header('upgrade')?.toLowerCase() === 'websocket'

/**
 * Rejects an unsafe request, or a WebSocket, that comes from another origin according to the browser's headers. Runs before the
 * body is read.
 * @throws HttpError 403 `action.cross-origin`
 * @spec Authentication › 2
 */
function checkOrigin(_controller: object, ctx: FwContext): void {
  const { request } = ctx
  if (request.isSafe && !isWebSocketHandshake(request)) return
  const origin = request.http.header('origin')
  const secFetchSite = request.http.header('sec-fetch-site')
  // Browsers send one of these headers. Another client sends no cookies of a visitor, so the request cannot be forged.
  if (origin === undefined && secFetchSite === undefined) return
  const policy = ctx.plan?.crossOrigin
  if (origin !== undefined && policy?.trusts(origin, ctx) === true) return
  const { errorReporter, logger, trustedOrigins } = ctx.services
  const { host, scheme } = request.http
  const sent = { secFetchSite, origin, host, scheme, trustedOrigins }
  if (isSameOrigin(sent)) return
  policy?.allow(ctx)
  const code = 'action.cross-origin'
  const explanation = explainForeignOrigin(sent)
  const message = 'more requests from other sites were refused'
  logRepeated(logger, { code, level: 'warn', message }, () =>
    ctx.logger.warn({ code, method: request.method, path: request.path.text }, explanation),
  )
  const isDevelopment = errorReporter !== undefined
  throw new HttpError(
    403,
    code,
    isDevelopment ? explanation : 'The request came from another site.',
  )
}

/** Reads an urlencoded body before the first filter, so that `params` can return synchronously. */
function readForm(_controller: object, ctx: FwContext): MaybePromise<void> {
  const { request } = ctx
  if (request.http.body.isEmpty || request.mediaType !== 'application/x-www-form-urlencoded')
    return undefined
  const fields = request.content.form()
  return isPromise(fields) ? fields.then((read) => ctx.setForm(read)) : ctx.setForm(fields)
}

/**
 * The base class of every controller. Each request gets its own instance, so requests do not share its fields. An action cannot
 * have the name of a member. Therefore all members that the specification does not name are in `request`, `response`,
 * `cookies`, `session`, `view` or `ctx`.
 */
export abstract class FwControllerBase extends FilterStatics {
  static {
    registrationsOf(this).add('guard', checkOrigin)
    registrationsOf(this).add('body', readForm)
  }

  /** True for a class that serves every path below its mount path: without a matching route, it responds 404 or 405. */
  static readonly isServlet: boolean = false

  /** The format of a text that an action returns, if neither the path nor `Accept` determines it. */
  static readonly textFormat: Format = 'html'

  /** The format of an error's body, if neither the path nor `Accept` determines it. */
  static readonly errorFormat: Format = 'html'

  readonly ctx: FwContext

  constructor(ctx: FwContext) {
    super()
    this.ctx = ctx
  }

  get request(): FwRequest {
    return this.ctx.request
  }

  get response(): FwResponse {
    return this.ctx.response
  }

  get logger(): Logger {
    return this.ctx.logger
  }

  get cookies(): RequestCookies {
    return this.ctx.cookies
  }

  get session(): Session {
    return this.ctx.session
  }

  /** The values and the layout for the views of this request. */
  get view(): FwView {
    return viewOf(this.ctx)
  }

  get i18n(): I18n {
    return this.ctx.i18n
  }

  /** The status of the response; 200 by default. @throws FwError `http.status-invalid` */
  get status(): number {
    return this.ctx.response.status
  }

  set status(status: number) {
    this.ctx.response.status = checkStatus(status)
  }

  /**
   * The parameters of the request. A path parameter overrides a query parameter, which overrides a form parameter.
   * @spec Parameter access
   */
  get params(): Params {
    return this.ctx.params
  }

  /** The parameters with all values of each name, including `splat` and `captures`. @spec Parameter access */
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

  /**
   * The application's controllers by name, for links: `this.url(this.routes.sessions.newUrl)`. Use this in base classes of
   * controllers: importing `controllers` there would be an import cycle.
   * @throws FwError `controller.routes-unknown`
   */
  get routes(): AppRoutes {
    const { controllers } = this.ctx.services
    if (controllers !== undefined) return controllers as AppRoutes
    throw new FwError(
      'controller.routes-unknown',
      'this.routes needs the controllers of the application: add `override readonly controllers: object = controllers` to Bootstrap.',
    )
  }

  /** Sets a value, or each member of an object, in the request scope, which views read. @spec General rules › 2 */
  set(name: string, value: unknown): void
  set(values: Readonly<Record<string, unknown>>): void
  set(target: string | Readonly<Record<string, unknown>>, value?: unknown): void {
    const scope = this.ctx.requestScope()
    if (typeof target === 'string') scope.set(target, value)
    else for (const [name, each] of Object.entries(target)) scope.set(name, each)
  }

  /** Returns the map of request-scope values. Changing the map changes these values. */
  requestScope(): Map<string, unknown> {
    return this.ctx.requestScope()
  }

  /** Returns the URL of a route, with the context path. @throws FwError `routing.*` @spec Endpoints › Route declaration */
  url<T extends UrlTarget>(target: T, ...args: UrlTargetArgs<T>): string
  url<T extends UrlTarget>(target: IncompleteTarget<T>): string
  url<T extends UrlTarget>(target: T, ...args: UrlTargetArgs<T>): string {
    return this.ctx.url(target, ...args)
  }

  /**
   * Ends the action or filter with a response: a status, halt options or a result. The after filters still run.
   * @spec Response helpers
   */
  halt(response: number | HaltOptions | ActionResult = {}): never {
    if (typeof response === 'number') throw new Halt({ status: response })
    if (!(response instanceof ActionResult)) throw new Halt(response)
    throw new Halt({ status: response.status, body: response })
  }

  /**
   * Ends the action or filter with a status and its standard body in the request's format: the view `/error/<status>`, problem
   * details or XML.
   */
  haltWithBody(status: number): never {
    throw new Halt({ status, withBody: true })
  }

  /** Ends this route; the next matching route serves the request. */
  pass(): never {
    throw passSignal
  }

  /**
   * Redirects with 302, or with 303 after PUT, PATCH or DELETE, which `fetch` would repeat after a 302. Returns the redirect as a
   * result and also records it, so that a redirect in a filter skips the action.
   * @throws FwError `action.redirect-refused` for another host
   * @spec Response helpers
   */
  redirect(target: string, options?: RedirectOptions): ActionResult<302 | 303, undefined> {
    return recordRedirect(this.ctx, redirectStatus(this.ctx.request.method), target, options)
  }

  redirect301(target: string, options?: RedirectOptions): ActionResult<301, undefined> {
    return recordRedirect(this.ctx, 301, target, options)
  }

  redirect302(target: string, options?: RedirectOptions): ActionResult<302, undefined> {
    return recordRedirect(this.ctx, 302, target, options)
  }

  /** Redirects with 303 (See Other), for example after a form has been accepted. */
  redirect303(target: string, options?: RedirectOptions): ActionResult<303, undefined> {
    return recordRedirect(this.ctx, 303, target, options)
  }

  /** Redirects with 307 (temporary): the client repeats the request with the same method and body. */
  redirect307(target: string, options?: RedirectOptions): ActionResult<307, undefined> {
    return recordRedirect(this.ctx, 307, target, options)
  }

  /** Redirects with 308 (permanent): the client repeats the request with the same method and body. */
  redirect308(target: string, options?: RedirectOptions): ActionResult<308, undefined> {
    return recordRedirect(this.ctx, 308, target, options)
  }
}

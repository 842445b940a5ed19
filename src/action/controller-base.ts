/** What every controller has: the request, the response, the ways to answer, and the registering of filters. */
import type { Logger } from '../base.ts'
import type { ActionResult, CookieJar, HttpResponse } from '../http.ts'
import type { I18n } from '../i18n.ts'
import type { MultiParams, Params } from '../params.ts'
import type { Route, UrlArgs, UrlValue } from '../routing.ts'
import type { Session } from '../session.ts'
import type { FwContext } from './context.ts'
import { guardOrigin } from './origin-guard.ts'
import { readForm } from './read-form.ts'
import { redirectResult, type RedirectOptions } from './redirect.ts'
import { registrationsOf, type FilterOptions, type Stage } from './registrations.ts'
import type { FwRequest } from './request.ts'
import { haltWith, passSignal, type HaltOptions } from './signals.ts'
import { pathUrl, routeUrl } from './url.ts'

// The one place where `any` stands: a trait's class takes whatever its base's constructor takes.
/** A class, abstract ones included. */
export type Ctor<T = object> = abstract new (...args: any[]) => T

/** A controller class that a trait can extend: any constructor, with the registering statics. */
export type ControllerClass<T extends FwControllerBase = FwControllerBase> = Ctor<T> &
  Omit<typeof FwControllerBase, 'prototype'>

/** Called with the request's controller; a promise is awaited, what it gives is ignored. */
export type Filter<C> = (controller: C, ctx: FwContext) => unknown

type FilterArgs<C> = [filter: Filter<C>] | [options: FilterOptions, filter: Filter<C>]

function register<C>(
  controllerClass: object,
  stage: Exclude<Stage, 'action'>,
  args: FilterArgs<C>,
): void {
  const [options, filter] = args.length === 1 ? [{}, args[0]] : args
  registrationsOf(controllerClass).add(stage, filter, options)
}

/** The base of every controller. An instance serves one request, so its fields are safe between requests. */
export abstract class FwControllerBase {
  static {
    registrationsOf(this).add('guard', (_controller, ctx: FwContext) => guardOrigin(ctx))
    registrationsOf(this).add('body', (_controller, ctx: FwContext) => readForm(ctx))
  }

  /** Runs before `beforeAction` filters, for every route. @spec Filters › 1 */
  static before<C>(this: Ctor<C>, ...args: FilterArgs<C>): void {
    register(this, 'before', args)
  }

  /** Runs after `afterAction` filters, for every route, however the action ended. @spec Filters › 1 */
  static after<C>(this: Ctor<C>, ...args: FilterArgs<C>): void {
    register(this, 'after', args)
  }

  /** Runs before the action of the chosen routes. @spec Filters › 2 */
  static beforeAction<C>(this: Ctor<C>, ...args: FilterArgs<C>): void {
    register(this, 'beforeAction', args)
  }

  /** Runs after the action of the chosen routes, however it ended. @spec Filters › 2 */
  static afterAction<C>(this: Ctor<C>, ...args: FilterArgs<C>): void {
    register(this, 'afterAction', args)
  }

  /** Sees every fault, in the order added; what it gives is ignored. @spec Filters › 4 */
  static addErrorFilter<C>(
    this: Ctor<C>,
    filter: (error: unknown, controller: C) => unknown,
  ): void {
    registrationsOf(this).errorFilters.push(filter)
  }

  /** May answer a fault: the first filter that gives something decides. @spec Filters › 5 */
  static addRenderingErrorFilter<C>(
    this: Ctor<C>,
    filter: (error: unknown, controller: C) => unknown,
  ): void {
    registrationsOf(this).renderingErrorFilters.push(filter)
  }

  readonly ctx: FwContext

  constructor(ctx: FwContext) {
    this.ctx = ctx
  }

  get request(): FwRequest {
    return this.ctx.request
  }

  get response(): HttpResponse {
    return this.ctx.response
  }

  get logger(): Logger {
    return this.ctx.services.logger
  }

  get cookies(): CookieJar {
    return this.ctx.cookies
  }

  get session(): Session {
    return this.ctx.session
  }

  get i18n(): I18n {
    return this.ctx.i18n
  }

  /** The status of the response: 200 until something says otherwise. */
  get status(): number {
    return this.ctx.response.status
  }

  set status(status: number) {
    this.ctx.response.status = status
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

  /** Puts a value into the request scope, where the view finds it. @spec General rules › 2 */
  set(name: string, value: unknown): void {
    this.ctx.requestScope().set(name, value)
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
    return typeof target === 'string'
      ? pathUrl(this.ctx, target, args[0])
      : routeUrl(this.ctx, target, args)
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

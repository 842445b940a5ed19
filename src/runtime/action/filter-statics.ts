/** The static methods by which a controller class registers filters and error handlers. */
import { checkStatus } from '../http.ts'
import type { FwContext } from './context.ts'
import {
  registrationsOf,
  type ErrorClass,
  type ErrorFilter,
  type FilterOptions,
  type FilterStage,
  type Step,
} from './registrations.ts'

// The only `any`: a trait's class takes the constructor arguments of any base.
/** A class, abstract ones included. */
export type Ctor<T = object> = abstract new (...args: any[]) => T

/** Called with the request's controller and its context; a promise is awaited, the result is ignored. */
export type Filter<C> = (controller: C, ctx: FwContext) => unknown

type FilterArgs<C> = [filter: Filter<C>] | [options: FilterOptions, filter: Filter<C>]

/**
 * Handles an error. Its result is applied like the result of an action; with `pass()` the next handler gets the error.
 */
export type ErrorHandler<C, E> = (error: E, controller: C) => unknown

type ErrorArgs<C> =
  | [handler: ErrorHandler<C, unknown>]
  | [type: ErrorClass, handler: ErrorHandler<C, never>]

function register<C extends object>(
  controllerClass: object,
  stage: FilterStage,
  args: FilterArgs<C>,
): void {
  const [options, filter] = args.length === 1 ? [{}, args[0]] : args
  registrationsOf(controllerClass).add(stage, filter, options)
}

/** The static half of a controller class. Subclasses inherit its registrations; base classes and siblings are not affected. */
export abstract class FilterStatics {
  /** Runs before `beforeAction` filters, for every route. @spec Filters › 1 */
  static before<C extends object>(this: Ctor<C>, filter: Filter<C>): void {
    registrationsOf(this).add('before', filter)
  }

  /** Runs after `afterAction` filters, for every route, however the action ended. @spec Filters › 1 */
  static after<C extends object>(this: Ctor<C>, filter: Filter<C>): void {
    registrationsOf(this).add('after', filter)
  }

  /** Runs before the action of the chosen routes. @spec Filters › 2 */
  static beforeAction<C extends object>(this: Ctor<C>, filter: Filter<C>): void
  static beforeAction<C extends object>(
    this: Ctor<C>,
    options: FilterOptions,
    filter: Filter<C>,
  ): void
  static beforeAction<C extends object>(this: Ctor<C>, ...args: FilterArgs<C>): void {
    register(this, 'beforeAction', args)
  }

  /** Runs after the action of the chosen routes, however it ended. @spec Filters › 2 */
  static afterAction<C extends object>(this: Ctor<C>, filter: Filter<C>): void
  static afterAction<C extends object>(
    this: Ctor<C>,
    options: FilterOptions,
    filter: Filter<C>,
  ): void
  static afterAction<C extends object>(this: Ctor<C>, ...args: FilterArgs<C>): void {
    register(this, 'afterAction', args)
  }

  /** Runs for every fault that no `error` block handled, in the order added; the result is ignored. @spec Filters › 4 */
  static addErrorFilter<C extends object>(
    this: Ctor<C>,
    filter: (error: unknown, controller: C) => unknown,
  ): void {
    registrationsOf(this).errorFilters.push(filter as ErrorFilter)
  }

  /**
   * Runs for every fault that no `error` block handled, after the error filters. The first filter that returns a value
   * responds with it. @spec Filters › 5
   */
  static addRenderingErrorFilter<C extends object>(
    this: Ctor<C>,
    filter: (error: unknown, controller: C) => unknown,
  ): void {
    registrationsOf(this).renderingErrorFilters.push(filter as ErrorFilter)
  }

  /**
   * Handles errors of one class, or every fault, before any error filter; the last registered block runs first. The
   * status is 500 (or an `HttpError`'s own) until the block changes it. An `HttpError` below 500 reaches only blocks of
   * `HttpError` and its subclasses.
   * @spec Filters › 5
   */
  static error<C extends object, E>(
    this: Ctor<C>,
    type: ErrorClass<E>,
    handler: ErrorHandler<C, E>,
  ): void
  static error<C extends object>(this: Ctor<C>, handler: ErrorHandler<C, unknown>): void
  static error<C extends object>(this: Ctor<C>, ...args: ErrorArgs<C>): void {
    const [type, handle] = args.length === 1 ? [undefined, args[0]] : args
    registrationsOf(this).errorBlocks.push({ type, handle: handle as ErrorFilter })
  }

  /**
   * Replaces the body of a response with this status, or one of the range, both ends included: the response of an
   * action, a halt or a filter's redirect. A block that returns nothing keeps the response.
   * @throws FwError `http.status-invalid`
   * @spec Response helpers › halt
   */
  static trap<C extends object>(
    this: Ctor<C>,
    status: number | readonly [from: number, to: number],
    block: Filter<C>,
  ): void {
    const [from, to] = typeof status === 'number' ? [status, status] : status
    const range = { from: checkStatus(from), to: checkStatus(to) }
    registrationsOf(this).statusHandlers.push({ ...range, handle: block as Step })
  }

  /**
   * Handles a 404 without a body: of `halt(404)`, of `NotFound()`, and of a path below the mount path that no route of
   * the application matches. The status is 404 until the block changes it. @spec Errors
   */
  static notFound<C extends object>(this: Ctor<C>, block: Filter<C>): void {
    registrationsOf(this).notFound = block as Step
  }

  /**
   * Handles a path below the mount path that has routes of other methods only; the block gets these methods. Status 405
   * and the header `Allow` are set before it runs. With `pass()` the response becomes a 404. @spec Errors
   */
  static methodNotAllowed<C extends object>(
    this: Ctor<C>,
    block: (controller: C, allowed: readonly string[]) => unknown,
  ): void {
    registrationsOf(this).methodNotAllowed = (controller, { response }) =>
      block(controller as C, response.headers.get('allow')?.split(', ') ?? [])
  }
}

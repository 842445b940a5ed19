/** The static methods by which a controller class registers filters and error handlers. */
import { checkStatus } from '../http.ts'
import type { FwContext } from './context.ts'
import {
  registrationsOf,
  type ErrorClass,
  type ErrorFilter,
  type FilterArgs,
  type FilterOptions,
  type Step,
} from './registrations.ts'

// This is the only `any`: the class of a trait accepts the constructor arguments of every base class.
/** The type of a class, which may be abstract. */
export type Ctor<T = object> = abstract new (...args: any[]) => T

/** A filter: called with the controller and the context of the request. A promise is awaited, the result ignored. */
export type Filter<C> = (controller: C, ctx: FwContext) => unknown

/** Responds to an error. Its result is applied like that of an action; after `pass()`, the next handler runs. */
export type ErrorHandler<C, E> = (error: E, controller: C) => unknown

type ErrorArgs<C> =
  | [handler: ErrorHandler<C, unknown>]
  | [type: ErrorClass, handler: ErrorHandler<C, never>]

/** The static methods of a controller class. Only subclasses inherit the registered filters. */
export abstract class FilterStatics {
  /** Registers a filter that runs for every route, before the `beforeAction` filters. @spec Filters › 1 */
  static before<C extends object>(this: Ctor<C>, filter: Filter<C>): void {
    registrationsOf(this).add('before', filter)
  }

  /** Registers a filter that runs after the `afterAction` filters, even if the action throws. @spec Filters › 1 */
  static after<C extends object>(this: Ctor<C>, filter: Filter<C>): void {
    registrationsOf(this).add('after', filter)
  }

  /** Registers a filter that runs before the action of the chosen routes. @spec Filters › 2 */
  static beforeAction<C extends object>(this: Ctor<C>, filter: Filter<C>): void
  static beforeAction<C extends object>(
    this: Ctor<C>,
    options: FilterOptions,
    filter: Filter<C>,
  ): void
  static beforeAction<C extends object>(this: Ctor<C>, ...args: FilterArgs<C>): void {
    registrationsOf(this).addFilter('beforeAction', args)
  }

  /** Registers a filter that runs after the action of the chosen routes, even if the action throws. @spec Filters › 2 */
  static afterAction<C extends object>(this: Ctor<C>, filter: Filter<C>): void
  static afterAction<C extends object>(
    this: Ctor<C>,
    options: FilterOptions,
    filter: Filter<C>,
  ): void
  static afterAction<C extends object>(this: Ctor<C>, ...args: FilterArgs<C>): void {
    registrationsOf(this).addFilter('afterAction', args)
  }

  /**
   * Registers a filter that runs for every fault that no `error` block handled, in the order of registration. Its result is
   * ignored.
   * @spec Filters › 4
   */
  static addErrorFilter<C extends object>(
    this: Ctor<C>,
    filter: (error: unknown, controller: C) => unknown,
  ): void {
    registrationsOf(this).addErrorFilter(filter as ErrorFilter)
  }

  /**
   * Registers a filter that runs, after the error filters, for every fault that no `error` block handled. The first of these
   * filters that returns a value responds with it.
   * @spec Filters › 5
   */
  static addRenderingErrorFilter<C extends object>(
    this: Ctor<C>,
    filter: (error: unknown, controller: C) => unknown,
  ): void {
    registrationsOf(this).addRenderingErrorFilter(filter as ErrorFilter)
  }

  /**
   * Registers a block that handles errors of one class, or every fault, before any error filter. The block registered last runs
   * first. The status is 500, or that of an `HttpError`, unless the block changes it. An `HttpError` below 500 is passed only
   * to blocks of `HttpError` and its subclasses.
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
    registrationsOf(this).addErrorBlock({ type, handle: handle as ErrorFilter })
  }

  /**
   * Registers a block that replaces the body of responses with this status, or with a status of the range (both ends included).
   * It runs for the responses of actions, halts and filters' redirects. If it returns undefined, the response stays the same.
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
    registrationsOf(this).addStatusHandler({ ...range, handle: block as Step })
  }

  /**
   * Registers a block that handles a 404 without a body: that of `halt(404)`, of `NotFound()`, and of a path below the mount
   * path that no route of the application matches. The status is 404 unless the block changes it.
   * @spec Errors
   */
  static notFound<C extends object>(this: Ctor<C>, block: Filter<C>): void {
    registrationsOf(this).notFound = block as Step
  }

  /**
   * Registers a block that handles a path below the mount path that has only routes of other HTTP methods; the block gets these
   * methods. Before it runs, the status is set to 405, and the header `Allow` is set. If it calls `pass()`, the response is a
   * 404.
   * @spec Errors
   */
  static methodNotAllowed<C extends object>(
    this: Ctor<C>,
    block: (controller: C, allowed: readonly string[]) => unknown,
  ): void {
    registrationsOf(this).methodNotAllowed = (controller, { response }) =>
      block(controller as C, response.headers.get('allow')?.split(', ') ?? [])
  }
}

/** What a controller class registers about itself: filters around its actions, and answers of its own to errors. */
import { checkedStatus } from '../http.ts'
import type { FwContext } from './context.ts'
import {
  registrationsOf,
  type ErrorClass,
  type FilterOptions,
  type Stage,
} from './registrations.ts'

// The one place where `any` stands: a trait's class takes whatever its base's constructor takes.
/** A class, abstract ones included. */
export type Ctor<T = object> = abstract new (...args: any[]) => T

/** Called with the request's controller and its context; a promise is awaited, what it gives is ignored. */
export type Filter<C> = (controller: C, ctx: FwContext) => unknown

type FilterArgs<C> = [filter: Filter<C>] | [options: FilterOptions, filter: Filter<C>]

/** Answers an error: what it gives is the answer, as an action's value is; `pass()` leaves it to the next one. */
export type ErrorHandler<C, E> = (error: E, controller: C) => unknown

type ErrorArgs<C> =
  | [handler: ErrorHandler<C, unknown>]
  | [type: ErrorClass, handler: ErrorHandler<C, never>]

function register<C>(
  controllerClass: object,
  stage: Exclude<Stage, 'action' | 'trap'>,
  args: FilterArgs<C>,
): void {
  const [options, filter] = args.length === 1 ? [{}, args[0]] : args
  registrationsOf(controllerClass).add(stage, filter, options)
}

/** The registering half of a controller class; all of it is inherited, none of it reaches a base or a sibling. */
export abstract class FilterStatics {
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

  /** Sees every fault that no `error` block took, in the order added; what it gives is ignored. @spec Filters › 4 */
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

  /**
   * Answers errors of one class, or every fault, before any error filter; the last one registered is asked first. The
   * status is 500 (an `HttpError`'s own) until the block says otherwise. An `HttpError` below 500 reaches only blocks
   * of `HttpError` and its subclasses.
   * @spec Filters › 5
   */
  static error<C, E>(this: Ctor<C>, type: ErrorClass<E>, handler: ErrorHandler<C, E>): void
  static error<C>(this: Ctor<C>, handler: ErrorHandler<C, unknown>): void
  static error<C>(this: Ctor<C>, ...args: ErrorArgs<C>): void {
    const [type, handle] = args.length === 1 ? [undefined, args[0]] : args
    registrationsOf(this).errorBlocks.push({ type, handle: handle as ErrorHandler<never, unknown> })
  }

  /**
   * Replaces the answer when an action, a halt or a filter's redirect ended with this status, or one of the range, both
   * ends included. The status and the headers stay unless the block changes them; giving nothing keeps the answer.
   * @throws FwError `http.status-invalid`
   * @spec Response helpers › halt
   */
  static trap<C>(
    this: Ctor<C>,
    status: number | readonly [from: number, to: number],
    block: Filter<C>,
  ): void {
    const [from, to] = typeof status === 'number' ? [status, status] : status
    const range = { from: checkedStatus(from), to: checkedStatus(to) }
    registrationsOf(this).traps.push({ ...range, handle: block })
  }

  /**
   * Answers a 404 that has no body: of `halt(404)`, of `NotFound()`, and of a path below the mount path that no route
   * of the application matches. The status is 404 until the block says otherwise. @spec Errors
   */
  static notFound<C>(this: Ctor<C>, block: Filter<C>): void {
    registrationsOf(this).notFound = block
  }

  /**
   * Answers a path below the mount path that has routes of other methods only, whose names the block gets. Status 405
   * and the header `Allow` are set before it runs; `pass()` makes it a path that is not found. @spec Errors
   */
  static methodNotAllowed<C>(
    this: Ctor<C>,
    block: (controller: C, allowed: readonly string[]) => unknown,
  ): void {
    registrationsOf(this).methodNotAllowed = (controller: never, { response }: FwContext) =>
      block(controller, response.headers.get('allow')?.split(', ') ?? [])
  }
}

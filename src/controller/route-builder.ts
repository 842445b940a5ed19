/** The `r` of `routes(Controller, (r) => …)`: one function a method. */
import type { Ctor, FwContext, FwControllerBase, Step } from '../action.ts'
import { didYouMean, FwError } from '../base.ts'
import { Route } from '../routing.ts'
import { DeclaredRoute } from './declared-route.ts'
import type { AsyncFwController } from './async-fw-controller.ts'

// The names alone: a mention of the actions' return types would make a link to the own routes circular.
/** The methods of `C` that can be an action: those that it did not inherit from Fw. */
export type ActionName<C> = Exclude<keyof C, keyof AsyncFwController> & string

/** An action written in place. */
export type InlineAction<C> = (controller: C, ctx: FwContext) => unknown

/** Conditions of a route beside its pattern. */
export interface RouteConditions {
  /** More matchers, all of which must match too; parameters that a later one captures go before those of an earlier one. */
  readonly also?: readonly (string | RegExp)[]
  /** Asked at each request, before any filter; false: the route is skipped as if it were absent. */
  readonly when?: (ctx: FwContext) => boolean
}

/** Adds a route with its action, or curried, as the specification writes it. */
export interface AddRoute<C> {
  <const P extends string>(pattern: P, action: InlineAction<C>): Route<P, never>
  <const P extends string, const A extends ActionName<C>>(
    pattern: P,
    conditions: RouteConditions,
    action: A,
  ): Route<P, A>
  <const P extends string>(
    pattern: P,
    conditions: RouteConditions,
    action: InlineAction<C>,
  ): Route<P, never>
  <const A extends ActionName<C>>(pattern: RegExp, action: A): Route<never, A>
  (pattern: RegExp, action: InlineAction<C>): Route<never, never>
  <const A extends ActionName<C>>(
    pattern: RegExp,
    conditions: RouteConditions,
    action: A,
  ): Route<never, A>
  (pattern: RegExp, conditions: RouteConditions, action: InlineAction<C>): Route<never, never>
  /** Without a pattern: every path, if the conditions hold; `{}` for none. */
  <const A extends ActionName<C>>(conditions: RouteConditions, action: A): Route<never, A>
  (conditions: RouteConditions, action: InlineAction<C>): Route<never, never>
  <const P extends string>(pattern: P): CurriedRoute<C, P>
  // Last, for the compiler tells of the last one: an action that the class does not have is told as such.
  <const P extends string, const A extends ActionName<C>>(pattern: P, action: A): Route<P, A>
}

/** Waits for the action: `r.get('/ping')(action)`. */
export interface CurriedRoute<C, P extends string> {
  <const A extends ActionName<C>>(action: A): Route<P, A>
  (action: InlineAction<C>): Route<P, never>
}

/** @spec Endpoints › Route declaration */
export interface RouteBuilder<C> {
  readonly get: AddRoute<C>
  readonly post: AddRoute<C>
  readonly put: AddRoute<C>
  readonly patch: AddRoute<C>
  readonly delete: AddRoute<C>
  readonly head: AddRoute<C>
  readonly options: AddRoute<C>
  readonly query: AddRoute<C>
}

type Action = string | InlineAction<never>

function methodNames(prototype: object): string[] {
  const names: string[] = []
  for (let at = prototype; at !== Object.prototype; at = Object.getPrototypeOf(at)) {
    names.push(...Object.getOwnPropertyNames(at))
  }
  return names
}

/** The method is looked up once: a request calls it, and looks nothing up. */
function stepOf(controllerClass: Ctor, action: Action): Step {
  if (typeof action === 'function') return action
  const method: unknown = (controllerClass.prototype as Record<string, unknown>)[action]
  if (typeof method === 'function') {
    // A named action takes the context; the controller is its `this`.
    return function (this: unknown, _controller: never, ctx: FwContext) {
      return (method as (ctx: FwContext) => unknown).call(this, ctx)
    }
  }
  const near = didYouMean(action, methodNames(controllerClass.prototype as object))
  throw new FwError(
    'controller.unknown-action',
    `${controllerClass.name} has no method '${action}' for its route.${near === undefined ? '' : ` Did you mean '${near}'?`}`,
  )
}

function declare(controllerClass: Ctor, method: string) {
  return (first: string | RegExp | RouteConditions, ...rest: readonly Given[]): unknown => {
    if (!isMatcher(first)) return make(undefined, first, rest[0] as Action)
    if (rest.length === 0) return (action: Action) => make(first, {}, action)
    const [conditions, action] = rest.length === 1 ? [{}, rest[0]] : rest
    return make(first, conditions as RouteConditions, action as Action)
  }
  function make(
    matcher: string | RegExp | undefined,
    { when, also = [] }: RouteConditions,
    action: Action,
  ): DeclaredRoute {
    const routeName = typeof action === 'string' ? action : undefined
    return new DeclaredRoute(
      method,
      matcher,
      { routeName, when },
      {
        action: stepOf(controllerClass, action),
        actionName: routeName,
        // A route compiles its matcher and makes a regular expression stateless.
        also: also.map((one) => new Route(method, one).matcher!),
      },
    )
  }
}

type Given = RouteConditions | Action

const isMatcher = (given: string | RegExp | RouteConditions): given is string | RegExp =>
  typeof given === 'string' || given instanceof RegExp

/** One function for each method that a route can have. */
export function routeBuilder<C extends FwControllerBase>(
  controllerClass: Ctor<C>,
): RouteBuilder<C> {
  const builder: Record<string, unknown> = {}
  for (const method of ['get', 'post', 'put', 'patch', 'delete', 'head', 'options', 'query']) {
    builder[method] = declare(controllerClass, method)
  }
  return builder as unknown as RouteBuilder<C>
}

/** The `r` of `routes(Controller, (r) => …)`: one function for each HTTP method. */
import type { Ctor, FwContext, FwControllerBase, Step } from '../action.ts'
import { Route } from '../routing.ts'
import { actionStep } from './action-step.ts'
import type { AsyncFwController } from './fw-controller.ts'
import { DeclaredRoute } from './route-set.ts'

// Only the names: with the actions' return types, a link to the own routes would be a circular type.
/** The methods of `C` that can be an action: its methods that are not inherited from Fw. */
export type ActionName<C> = Exclude<keyof C, keyof AsyncFwController> & string

// With this return type TypeScript does not infer what the action returns, so it may link to its own route.
// oxlint-disable-next-line typescript/no-explicit-any
type AnyResult = any

/** An inline action. */
export type InlineAction<C> = (controller: C, ctx: FwContext) => AnyResult

/** Conditions of a route in addition to its pattern. */
export interface RouteConditions {
  /** Further matchers, all of which must match too. If two capture the same name, the later one wins. */
  readonly also?: readonly (string | RegExp)[]
  /** Runs for each request, before any filter; a route whose condition returns false is skipped. */
  readonly when?: (ctx: FwContext) => boolean
}

/** `A`, or the error message that TypeScript shows for a name that cannot be an action. */
type CheckedAction<C, A extends string> = A extends keyof AsyncFwController
  ? `'${A}' is a member of every controller: give the action another name`
  : A extends keyof C
    ? A
    : Exclude<keyof C, keyof AsyncFwController> & string

/** Adds a route with its action, or curried, as the specification writes it. */
export interface AddRoute<C, M extends string = string> {
  <const P extends string>(pattern: P, action: InlineAction<C>): Route<P, never, M, never>
  <const P extends string, const A extends ActionName<C>>(
    pattern: P,
    conditions: RouteConditions,
    action: A,
  ): Route<P, A, M, A>
  <const P extends string>(
    pattern: P,
    conditions: RouteConditions,
    action: InlineAction<C>,
  ): Route<P, never, M, never>
  <const A extends ActionName<C>>(pattern: RegExp, action: A): Route<never, A, M, A>
  (pattern: RegExp, action: InlineAction<C>): Route<never, never, M, never>
  <const A extends ActionName<C>>(
    pattern: RegExp,
    conditions: RouteConditions,
    action: A,
  ): Route<never, A, M, A>
  (
    pattern: RegExp,
    conditions: RouteConditions,
    action: InlineAction<C>,
  ): Route<never, never, M, never>
  /** Without a pattern: every path, if the conditions match; `{}` for none. */
  <const A extends ActionName<C>>(conditions: RouteConditions, action: A): Route<never, A, M, A>
  (conditions: RouteConditions, action: InlineAction<C>): Route<never, never, M, never>
  <const P extends string>(pattern: P, conditions?: RouteConditions): CurriedRoute<C, P, M>
  (matcher: RegExp | RouteConditions, conditions?: RouteConditions): CurriedRoute<C, never, M>
  // Keep this overload last: TypeScript reports the last overload's error, which here lists the actions.
  <const P extends string, const A extends string>(
    pattern: P,
    action: CheckedAction<C, A>,
  ): Route<P, A, M, A>
}

/** Takes the action: `r.get('/ping')(action)`, `r.get(/^\/p/)(action)`, `r.get({ when })(action)`. */
export interface CurriedRoute<C, P extends string, M extends string = string> {
  <const A extends ActionName<C>>(action: A): Route<P, A, M, A>
  (action: InlineAction<C>): Route<P, never, M, never>
}

/** @spec Endpoints › Route declaration */
export interface RouteBuilder<C> {
  readonly get: AddRoute<C, 'GET'>
  readonly post: AddRoute<C, 'POST'>
  readonly put: AddRoute<C, 'PUT'>
  readonly patch: AddRoute<C, 'PATCH'>
  readonly delete: AddRoute<C, 'DELETE'>
  readonly head: AddRoute<C, 'HEAD'>
  readonly options: AddRoute<C, 'OPTIONS'>
  readonly query: AddRoute<C, 'QUERY'>
}

type Action = string | InlineAction<never>

type Matcher = string | RegExp

const isMatcher = (value: Matcher | RouteConditions): value is Matcher =>
  typeof value === 'string' || value instanceof RegExp

const isAction = (value: RouteConditions | Action | undefined): value is Action =>
  typeof value === 'string' || typeof value === 'function'

/** The function of one HTTP method. */
function routeFunction(controllerClass: Ctor, method: string) {
  return (
    first: Matcher | RouteConditions,
    ...rest: readonly (RouteConditions | Action)[]
  ): unknown => {
    const [matcher, given] = isMatcher(first) ? [first, rest] : [undefined, [first, ...rest]]
    const [conditions, action] = isAction(given[0]) ? [{}, given[0]] : [given[0] ?? {}, given[1]]
    const create = (chosen: Action) => createRoute(matcher, conditions, chosen)
    return action === undefined ? create : create(action as Action)
  }
  function createRoute(
    matcher: Matcher | undefined,
    { when, also = [] }: RouteConditions,
    action: Action,
  ): DeclaredRoute {
    const routeName = typeof action === 'string' ? action : undefined
    return new DeclaredRoute(
      method,
      matcher,
      { routeName, when },
      {
        action: typeof action === 'string' ? actionStep(controllerClass, action) : (action as Step),
        actionName: routeName,
        // A `Route` compiles its matcher and makes a regular expression stateless.
        also: also.map((one) => new Route(method, one).matcher!),
      },
    )
  }
}

/** Creates the `r` of a controller class. */
export function routeBuilder<C extends FwControllerBase>(
  controllerClass: Ctor<C>,
): RouteBuilder<C> {
  const builder: Record<string, unknown> = {}
  for (const method of ['get', 'post', 'put', 'patch', 'delete', 'head', 'options', 'query']) {
    builder[method] = routeFunction(controllerClass, method)
  }
  return builder as unknown as RouteBuilder<C>
}

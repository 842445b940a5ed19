/** Creates the object `r` of `routes(Controller, (r) => …)`, which has a function for each HTTP method. */
import type { Ctor, FwContext, FwControllerBase, Step } from '../action.ts'
import { Route, type UnnamedParameter } from '../routing.ts'
import type { AsyncFwController } from './fw-controller.ts'
import { actionStep, DeclaredRoute } from './mountable-controller.ts'

// Uses only names: with the return types of actions, an action that links to its own route would have a circular type.
/** The names of the methods of `C` that can be an action: all that are not inherited from Fw. */
export type ActionName<C> = Exclude<keyof C, keyof AsyncFwController> & string

// With `any` as return type, TypeScript does not infer the type of the action's result, so an action may link to its own route.
// oxlint-disable-next-line typescript/no-explicit-any
type AnyResult = any

/** An action that is declared as a function in the route, instead of a method of the controller. */
export type InlineAction<C> = (controller: C, ctx: FwContext) => AnyResult

/** Conditions that a route has in addition to its pattern. */
export interface RouteConditions {
  /** Further patterns or regular expressions, which must all match. If parameters have the same name, the last wins. */
  readonly also?: readonly (string | RegExp)[]
  /** Runs for each request, before any filter. If it returns false, the route does not match. */
  readonly when?: (ctx: FwContext) => boolean
}

/** `A` if it names an action; otherwise the type that makes TypeScript report the error: a message, or the list of actions. */
type CheckedAction<C, A extends string> = A extends keyof AsyncFwController
  ? `'${A}' is a member of every controller: give the action another name`
  : A extends keyof C
    ? A
    : Exclude<keyof C, keyof AsyncFwController> & string

/** `P`, or a message if it names a parameter like the values of `*` or of groups. */
type CheckedPattern<P extends string> = P extends `${string}:${UnnamedParameter}${infer Rest}`
  ? Rest extends '' | `${'/' | '.' | '-' | '?' | '*' | '(' | ')'}${string}`
    ? `rename the parameter: ${UnnamedParameter} are the values of * and of groups`
    : P
  : P

/** Declares a route. Without an action, returns a function that takes it, as the specification writes it. */
export interface AddRoute<C, M extends string = string> {
  <const P extends string>(
    pattern: CheckedPattern<P>,
    action: InlineAction<C>,
  ): Route<P, never, M, never>
  <const P extends string, const A extends ActionName<C>>(
    pattern: CheckedPattern<P>,
    conditions: RouteConditions,
    action: A,
  ): Route<P, A, M, A>
  <const P extends string>(
    pattern: CheckedPattern<P>,
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
  /** Declares a route without a pattern: it matches every path if the conditions match. `{}` means no condition. */
  <const A extends ActionName<C>>(conditions: RouteConditions, action: A): Route<never, A, M, A>
  (conditions: RouteConditions, action: InlineAction<C>): Route<never, never, M, never>
  <const P extends string>(
    pattern: CheckedPattern<P>,
    conditions?: RouteConditions,
  ): CurriedRoute<C, P, M>
  (matcher: RegExp | RouteConditions, conditions?: RouteConditions): CurriedRoute<C, never, M>
  // Keep this overload last: TypeScript reports the last overload's error, which lists the actions.
  <const P extends string, const A extends string>(
    pattern: CheckedPattern<P>,
    action: CheckedAction<C, A>,
  ): Route<P, A, M, A>
}

/** Takes the action of a route: `r.get('/ping')(action)`, `r.get(/^\/p/)(action)`, `r.get({ when })(action)`. */
export interface CurriedRoute<C, P extends string, M extends string = string> {
  <const A extends ActionName<C>>(action: A): Route<P, A, M, A>
  (action: InlineAction<C>): Route<P, never, M, never>
}

/** The functions that declare routes, one for each HTTP method. @spec Endpoints › Route declaration */
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

/** Creates the function of `r` for one HTTP method. */
function routeFunction(controllerClass: Ctor, method: string) {
  return (
    first: Matcher | RouteConditions,
    ...rest: readonly (RouteConditions | Action)[]
  ): unknown => {
    const [matcher, given] = isMatcher(first) ? [first, rest] : [undefined, [first, ...rest]]
    const [conditions, action] = isAction(given[0]) ? [{}, given[0]] : [given[0] ?? {}, given[1]]
    const { when, also = [] } = conditions
    const create = (chosen: Action): DeclaredRoute => {
      const actionName = typeof chosen === 'string' ? chosen : undefined
      return new DeclaredRoute(method, matcher, {
        routeName: actionName,
        when,
        action: typeof chosen === 'string' ? actionStep(controllerClass, chosen) : (chosen as Step),
        actionName,
        // Creating a `Route` compiles the pattern, and copies a regular expression without flags that keep state.
        also: also.map((one) => new Route(method, one).matcher!),
      })
    }
    return action === undefined ? create : create(action as Action)
  }
}

/** Creates the object `r` for a controller class. */
export function routeBuilder<C extends FwControllerBase>(
  controllerClass: Ctor<C>,
): RouteBuilder<C> {
  const methods = ['get', 'post', 'put', 'patch', 'delete', 'head', 'options', 'query']
  const functions = methods.map((method) => [method, routeFunction(controllerClass, method)])
  return Object.fromEntries(functions) as RouteBuilder<C>
}

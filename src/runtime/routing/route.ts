/** A route as a value: its method, its pattern and its name. */
import { Pattern } from './pattern.ts'

/** The optional properties of a route. */
export interface RouteOptions<N extends string = string> {
  /** The name of the action; undefined for an inline function. `as` replaces the name. */
  readonly routeName?: N | undefined
  /** The route does not match requests for which the condition returns false. The routing table does not call it. */
  readonly when?: ((context: never) => boolean) | undefined
}

/**
 * An immutable route. `P` is the text of its pattern, from which `url` infers the parameters (`never` for a regular
 * expression, which has no URL). `N` is its name, `M` its method, and `A` the name of the controller method that it
 * calls (`never` for an inline function).
 * @throws FwError `routing.pattern-invalid`
 * @spec Endpoints, filters › Route declaration
 */
export class Route<
  P extends string = string,
  N extends string = string,
  M extends string = string,
  A extends string = string,
> {
  /** Exists only for the types of typed clients. */
  declare readonly actionType?: A
  /** The method in upper case. */
  readonly method: M
  /** The text of the pattern, or the source of the regular expression; '' for a route that matches every path. */
  readonly pattern: P
  /** The matcher is undefined for a route that matches every path. A regular expression may match anywhere in the path. */
  readonly matcher: Pattern | RegExp | undefined
  readonly routeName: N | undefined
  readonly when: ((context: never) => boolean) | undefined

  constructor(
    method: string,
    matcher: P | Pattern | RegExp | undefined,
    options: RouteOptions<N> = {},
  ) {
    this.method = method.toUpperCase() as M
    this.matcher = typeof matcher === 'string' ? new Pattern(matcher) : withoutState(matcher)
    const source = this.matcher instanceof RegExp ? this.matcher.source : this.matcher?.text
    this.pattern = (source ?? '') as P
    this.routeName = options.routeName
    this.when = options.when
  }

  /** Returns a copy of the route with another name. */
  as<const Name extends string>(name: Name): Route<P, Name, M, A> {
    return new Route<P, Name, M, A>(this.method, this.matcher, { routeName: name, when: this.when })
  }
}

/** Removes the flags `g` and `y` of a regular expression: with them, a match would depend on the previous match. */
function withoutState(matcher: Pattern | RegExp | undefined): Pattern | RegExp | undefined {
  if (!(matcher instanceof RegExp)) return matcher
  return new RegExp(matcher.source, matcher.flags.replace(/[gy]/g, ''))
}

/** A route as a value: its method, its pattern and its name. */
import { Pattern } from './pattern.ts'

/** The optional properties of a route. */
export interface RouteOptions<N extends string = string> {
  /** The name of the action; absent for an inline function. `as` replaces it. */
  readonly routeName?: N | undefined
  /** The route exists only for requests for which this returns true. Routing stores it and does not call it. */
  readonly when?: ((context: never) => boolean) | undefined
}

/**
 * An immutable route. `P` is the text of its pattern, from which `url` infers the parameters (`never` for a regular
 * expression, which has no URL). `N` is its name, `M` its method, and `A` the method of the controller that it calls
 * (`never` for an inline function).
 * @throws FwError `routing.pattern-invalid`
 * @spec Endpoints, filters › Route declaration
 */
export class Route<
  P extends string = string,
  N extends string = string,
  M extends string = string,
  A extends string = string,
> {
  /** Only a type, for typed clients. */
  declare readonly actionType?: A
  /** Upper case. */
  readonly method: M
  /** The pattern's text, or the source of a regular expression; '' for a route that matches every path. */
  readonly pattern: P
  /** Absent for a route that matches every path. A regular expression may match anywhere in the path. */
  readonly matcher: Pattern | RegExp | undefined
  readonly routeName: N | undefined
  readonly when: ((context: never) => boolean) | undefined

  constructor(
    method: string,
    matcher: P | Pattern | RegExp | undefined,
    options: RouteOptions<N> = {},
  ) {
    this.method = method.toUpperCase() as M
    this.matcher = compileMatcher(matcher)
    this.pattern = sourceText(this.matcher) as P
    this.routeName = options.routeName
    this.when = options.when
  }

  /** The same route under another name. */
  as<const Name extends string>(name: Name): Route<P, Name, M, A> {
    return new Route<P, Name, M, A>(this.method, this.matcher, { routeName: name, when: this.when })
  }
}

function compileMatcher(
  matcher: string | Pattern | RegExp | undefined,
): Pattern | RegExp | undefined {
  if (typeof matcher === 'string') return new Pattern(matcher)
  return matcher instanceof RegExp ? withoutState(matcher) : matcher
}

function sourceText(matcher: Pattern | RegExp | undefined): string {
  if (matcher === undefined) return ''
  return matcher instanceof RegExp ? matcher.source : matcher.text
}

/** A copy without the flags `g` and `y`, with which a match depends on the previous one. */
function withoutState(expression: RegExp): RegExp {
  return new RegExp(expression.source, expression.flags.replace(/[gy]/g, ''))
}

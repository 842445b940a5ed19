/** A route as a value: what it matches and what it is called. */
import { compilePattern, type Pattern } from './pattern.ts'

/** What a route has beside its method and its pattern. */
export interface RouteOptions<N extends string = string> {
  /**
   * The name, until `as` gives another: that of the action, absent for an action written in place.
   */
  readonly routeName?: N | undefined
  /** Whether the route is there for a request; routing keeps it and never calls it. */
  readonly when?: ((context: never) => boolean) | undefined
}

/**
 * An immutable route. `P` is the text of its pattern, from which `url` infers the parameters
 * (`never` for a regular expression, which has no URL); `N` its name.
 *
 * @throws FwError `routing.pattern-invalid`
 * @spec Endpoints, filters › Route declaration
 */
export class Route<P extends string = string, N extends string = string> {
  /** In capitals. */
  readonly method: string
  /**
   * The pattern's text; the source of a regular expression; '' for a route that matches every path.
   */
  readonly pattern: P
  /**
   * Absent for a route that matches every path. A regular expression is searched for, anywhere in
   * the path.
   */
  readonly matcher: Pattern | RegExp | undefined
  readonly routeName: N | undefined
  readonly when: ((context: never) => boolean) | undefined

  constructor(
    method: string,
    matcher: P | Pattern | RegExp | undefined,
    options: RouteOptions<N> = {},
  ) {
    this.method = method.toUpperCase()
    this.matcher = compiled(matcher)
    this.pattern = textOf(this.matcher) as P
    this.routeName = options.routeName
    this.when = options.when
  }

  /** The same route under another name. */
  as<const M extends string>(name: M): Route<P, M> {
    return new Route<P, M>(this.method, this.matcher, { routeName: name, when: this.when })
  }
}

function compiled(matcher: string | Pattern | RegExp | undefined): Pattern | RegExp | undefined {
  if (typeof matcher === 'string') return compilePattern(matcher)
  return matcher instanceof RegExp ? stateless(matcher) : matcher
}

/**
 * The text of a matcher in listings: a pattern as it was written, a regular expression by its
 * source.
 */
export function textOf(matcher: Pattern | RegExp | undefined): string {
  if (matcher === undefined) return ''
  return matcher instanceof RegExp ? matcher.source : matcher.text
}

/** A copy without `g` and `y`, whose matches depend on the ones before. */
function stateless(expression: RegExp): RegExp {
  return new RegExp(expression.source, expression.flags.replace(/[gy]/g, ''))
}

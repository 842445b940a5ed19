/** A route together with its action, as a builder makes it. */
import type { FwContext, Step } from '../action.ts'
import { Route, type RouteOptions } from '../routing.ts'

/** What `routes(…)` collects; applications see it as a plain `Route`. */
export class DeclaredRoute<P extends string = string, N extends string = string> extends Route<
  P,
  N
> {
  readonly action: Step

  constructor(
    method: string,
    matcher: Route['matcher'] | P,
    options: RouteOptions<N>,
    action: Step,
  ) {
    super(method, matcher, options)
    this.action = action
  }

  override as<const M extends string>(name: M): DeclaredRoute<P, M> {
    return new DeclaredRoute<P, M>(
      this.method,
      this.matcher,
      { routeName: name, when: this.when },
      this.action,
    )
  }

  /** Whether the route is there for this request. */
  holds(ctx: FwContext): boolean {
    return this.when === undefined || this.when(ctx as never)
  }
}

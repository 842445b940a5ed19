/** A route together with its action, as a builder makes it. */
import type { FwContext, Step } from '../action.ts'
import { Route, type Pattern, type RouteOptions } from '../routing.ts'

/** What a declared route has beside a plain one. */
interface Declaration {
  readonly action: Step
  readonly actionName: string | undefined
  readonly also: readonly (Pattern | RegExp)[]
}

/** What `routes(…)` collects; applications see it as a plain `Route`. */
export class DeclaredRoute<P extends string = string, N extends string = string> extends Route<
  P,
  N
> {
  readonly action: Step
  /** The method's; absent for an action written in place. */
  readonly actionName: string | undefined
  /** Matchers beside the first: all must match. */
  readonly also: readonly (Pattern | RegExp)[]

  constructor(
    method: string,
    matcher: Route['matcher'] | P,
    options: RouteOptions<N>,
    { action, actionName, also }: Declaration,
  ) {
    super(method, matcher, options)
    this.action = action
    this.actionName = actionName
    this.also = also
  }

  override as<const M extends string>(name: M): DeclaredRoute<P, M> {
    return new DeclaredRoute<P, M>(
      this.method,
      this.matcher,
      { routeName: name, when: this.when },
      this,
    )
  }

  /** Whether the route is there for this request. */
  holds(ctx: FwContext): boolean {
    return this.when === undefined || this.when(ctx as never)
  }
}

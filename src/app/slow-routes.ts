/** Warns at the start of regular expressions that a path can make slow. */
import type { Logger } from '../base.ts'
import { slowRegExp, type Route } from '../routing.ts'

/** Tells of each route once, however often the tables are compiled. */
export class SlowRoutes {
  readonly #logger: Logger
  readonly #known = new WeakSet<Route>()

  constructor(logger: Logger) {
    this.#logger = logger
  }

  look(routes: Iterable<Route>): void {
    for (const route of routes) {
      if (!(route.matcher instanceof RegExp) || this.#known.has(route)) continue
      this.#known.add(route)
      const why = slowRegExp(route.matcher)
      if (why !== undefined) this.#logger.warn({ method: route.method, route: route.pattern }, why)
    }
  }
}

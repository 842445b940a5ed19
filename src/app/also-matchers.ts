/** Routes with several matchers: all must match, and a later one's parameters go before those of the ones before. */
import type { FwContext } from '../action.ts'
import type { DeclaredRoute } from '../controller.ts'
import { RoutingTable } from '../routing.ts'

type Condition = (ctx: FwContext) => boolean

const anyMethod = 'ANY'

/** A table of one route tells whether a matcher matches, and what it captured. */
function tableOf(matcher: DeclaredRoute['also'][number], prefix: string): RoutingTable<true> {
  return new RoutingTable([
    {
      method: anyMethod,
      matcher,
      prefix,
      order: 0,
      declared: 0,
      hasCondition: false,
      target: true,
    },
  ])
}

/**
 * Whether the matchers beside the first one match, asked from left to right until one does not; what they captured is
 * taken up. `undefined` when the route has none.
 * @param prefix the context path and the mount path
 */
export function alsoMatches(route: DeclaredRoute, prefix: string): Condition | undefined {
  if (route.also.length === 0) return undefined
  const tables = route.also.map((matcher) => tableOf(matcher, prefix))
  return (ctx) =>
    tables.every((table) => {
      const match = table.lookup(anyMethod, ctx.request.path)
      if (match !== undefined) ctx.takeCaptured(match.params)
      return match !== undefined
    })
}

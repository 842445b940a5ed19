/** Chooses the candidate route of a request: the first matching one whose condition is true. */
import type { FwContext, Target } from '../action.ts'
import type { Match } from '../routing.ts'

/** Returns true if the condition of the route holds. */
export const isActive = (ctx: FwContext, match: Match<Target>): boolean =>
  match.target.when?.(ctx) ?? true

/** Sets the candidate route of `ctx` to the first route, starting at `match`, whose condition is true. */
export function beginFirstRoute(
  ctx: FwContext,
  match: Match<Target> | undefined,
): Match<Target> | undefined {
  let at = match
  while (at !== undefined) {
    ctx.beginRoute(at)
    if (isActive(ctx, at)) return at
    at = at.next()
  }
  ctx.match = undefined
  return undefined
}

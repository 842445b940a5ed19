/** What answers a path where no route does: the blocks of controllers, and the servlet that owns it. */
import {
  answerStatus,
  compilePlan,
  inheritedRegistrations,
  type FwContext,
  type Registrations,
  type Stage,
  type Step,
  type Target,
} from '../action.ts'
import { normalPrefix, RoutingTable, type TableEntry } from '../routing.ts'
import { makerOf, targetOf } from './mount-targets.ts'
import type { MountedController } from './servlet-context.ts'

/** The kinds of ends, which stand as methods in their table: no request has that method there. */
export type End = 'notFound' | 'methodNotAllowed'

/** No route, no filters: what is left reads the session for the page and keeps what it changed. */
const skips: ReadonlySet<Stage> = new Set([
  'guard',
  'body',
  'token',
  'before',
  'beforeAction',
  'afterAction',
  'after',
])

const bare: Readonly<Record<End, Step>> = {
  notFound: (_controller, ctx: FwContext) => answerStatus(ctx, 404),
  methodNotAllowed: (_controller, ctx: FwContext) => answerStatus(ctx, 405),
}

function blockOf(mounted: MountedController, end: End): Step | undefined {
  const { controllerClass, own } = mounted.controller
  const found = inheritedRegistrations(controllerClass).findLast((one) => one[end] !== undefined)
  return own[end] ?? found?.[end] ?? (makerOf(mounted).isServlet ? bare[end] : undefined)
}

function endTarget(mounted: MountedController, action: Step, own: Registrations): Target {
  const controller = makerOf(mounted)
  return targetOf(
    mounted,
    compilePlan({ controller, routeName: undefined, action, own, skips }),
    undefined,
  )
}

/** The longest mount path first; of equal ones servlets, then mount order. */
function byMountPath(a: MountedController, b: MountedController): number {
  return (
    b.prefix.length - a.prefix.length || Number(makerOf(b).isServlet) - Number(makerOf(a).isServlet)
  )
}

/** The ends by mount path; a path that none of them covers is answered by the application. */
export function compileEnds(
  controllers: readonly MountedController[],
  contextPath: string,
): RoutingTable<Target> {
  const entries: TableEntry<Target>[] = []
  controllers.toSorted(byMountPath).forEach((mounted, order) => {
    for (const end of ['notFound', 'methodNotAllowed'] as const) {
      const action = blockOf(mounted, end)
      if (action === undefined) continue
      entries.push({
        method: end,
        matcher: undefined,
        prefix: contextPath + normalPrefix(mounted.prefix),
        order,
        declared: 0,
        hasCondition: false,
        target: endTarget(mounted, action, mounted.controller.own),
      })
    }
  })
  return new RoutingTable(entries)
}

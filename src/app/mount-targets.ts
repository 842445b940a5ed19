/** What the entries of the routing table lead to, and which servlet owns a path. */
import type { ControllerMaker, FwControllerBase, Plan, Target } from '../action.ts'
import type { RequestPath } from '../http.ts'
import { normalPrefix, RoutingTable } from '../routing.ts'
import type { MountedController } from './servlet-context.ts'

/** A controller's class as the application's start needs it. */
export type MountedClass = ControllerMaker &
  Pick<typeof FwControllerBase, 'isServlet' | 'textFormat' | 'errorFormat'>

export const makerOf = ({ controller }: MountedController): MountedClass =>
  controller.controllerClass as unknown as MountedClass

export function targetOf(mounted: MountedController, plan: Plan, when: Target['when']): Target {
  const { textFormat, errorFormat } = makerOf(mounted)
  return { plan, when, textFormat, errorFormat, mountPath: normalPrefix(mounted.prefix) }
}

/** The servlet below whose mount path a path lies, the longest one. */
export type Ownership = (path: RequestPath) => MountedController | undefined

const owner = 'OWNER'

/** Absent when no two servlets can meet: then nothing is asked at a request. */
export function ownershipOf(
  controllers: readonly MountedController[],
  contextPath: string,
): Ownership | undefined {
  const servlets = controllers.filter((one) => makerOf(one).isServlet)
  if (servlets.length < 2) return undefined
  const table = new RoutingTable(
    servlets
      .toSorted((a, b) => b.prefix.length - a.prefix.length)
      .map((target, order) => ({
        method: owner,
        matcher: undefined,
        prefix: contextPath + normalPrefix(target.prefix),
        order,
        declared: 0,
        hasCondition: false,
        target,
      })),
  )
  return (path) => table.lookup(owner, path)?.target
}

/** Compiles the mounted controllers into the application's one routing table. */
import {
  checkFilterNames,
  compilePlan,
  inheritedRegistrations,
  type ControllerMaker,
  type Registrations,
  type Target,
} from '../action.ts'
import { FwMicroFilter, type DeclaredRoute } from '../controller.ts'
import { normalPrefix, RoutingTable, type Route, type TableEntry } from '../routing.ts'
import type { MountedController } from './servlet-context.ts'

function targetOf(controller: MountedController, route: DeclaredRoute): Target {
  const maker = controller.controllerClass as unknown as ControllerMaker
  return {
    plan: compilePlan({
      controller: maker,
      routeName: route.routeName,
      action: route.action,
      own: controller.own,
    }),
    when: route.when === undefined ? undefined : (ctx) => route.holds(ctx),
    textFormat: maker.prototype instanceof FwMicroFilter ? 'txt' : 'html',
  }
}

/** Every filter's names against the routes of all controllers that inherit it. */
function checkNames(controllers: readonly MountedController[]): void {
  const known = new Map<Registrations, { readonly names: Set<string>; readonly owners: string[] }>()
  for (const { controllerClass, own, routes } of controllers) {
    for (const registrations of [...inheritedRegistrations(controllerClass), own]) {
      const entry = known.get(registrations) ?? { names: new Set<string>(), owners: [] }
      known.set(registrations, entry)
      entry.owners.push(controllerClass.name)
      for (const { routeName } of routes) if (routeName !== undefined) entry.names.add(routeName)
    }
  }
  for (const [registrations, { names, owners }] of known)
    checkFilterNames(registrations, names, owners.join(', '))
}

/** A route as a listing shows it. */
export interface MountedRoute {
  readonly method: string
  /** Context path, mount path and pattern. */
  readonly path: string
  readonly name: string | undefined
  readonly controller: string
}

/** The table, and under which path each route's controller is mounted. */
export interface MountTable {
  readonly table: RoutingTable<Target>
  readonly mountPaths: ReadonlyMap<Route, string>
  readonly routes: readonly MountedRoute[]
}

/**
 * @throws FwError `action.unknown-route-name`, `routing.pattern-invalid`
 * @spec Endpoints › Route declaration
 */
export function compileMountTable(
  controllers: readonly MountedController[],
  contextPath: string,
): MountTable {
  checkNames(controllers)
  const entries: TableEntry<Target>[] = []
  const mountPaths = new Map<Route, string>()
  const routes: MountedRoute[] = []
  controllers.forEach((controller, order) => {
    const prefix = normalPrefix(controller.prefix)
    controller.routes.forEach((route, declared) => {
      mountPaths.set(route, prefix)
      routes.push({
        method: route.method,
        path: contextPath + prefix + route.pattern,
        name: route.routeName,
        controller: controller.controllerClass.name,
      })
      entries.push({
        method: route.method,
        matcher: route.matcher,
        prefix: contextPath + prefix,
        order,
        declared,
        hasCondition: route.when !== undefined,
        target: targetOf(controller, route),
      })
    })
  })
  return { table: new RoutingTable(entries), mountPaths, routes }
}

/** Compiles the mounted controllers into the application's one routing table. */
import {
  checkFilterNames,
  compilePlan,
  inheritedRegistrations,
  routeFilters,
  type FwContext,
  type Registrations,
  type RouteFilter,
  type Target,
} from '../action.ts'
import type { DeclaredRoute, MountableController } from '../controller.ts'
import { normalPrefix, RoutingTable, type Route, type TableEntry } from '../routing.ts'
import { alsoMatches } from './also-matchers.ts'
import { makerOf, ownershipOf, targetOf, type Ownership } from './mount-targets.ts'
import { compileEnds } from './route-ends.ts'
import type { MountedController } from './servlet-context.ts'

/** Every filter's names against the routes of all controllers that inherit it. */
function checkNames(controllers: readonly MountedController[]): void {
  const known = new Map<Registrations, { readonly names: Set<string>; readonly owners: string[] }>()
  for (const { controller } of controllers) {
    for (const registrations of [
      ...inheritedRegistrations(controller.controllerClass),
      controller.own,
    ]) {
      const entry = known.get(registrations) ?? { names: new Set<string>(), owners: [] }
      known.set(registrations, entry)
      entry.owners.push(controller.controllerClass.name)
      for (const { routeName } of controller.routes)
        if (routeName !== undefined) entry.names.add(routeName)
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
  /** The method's name; absent for an action written in place. */
  readonly action: string | undefined
  /** True where the route is there for some requests only. */
  readonly isConditional: boolean
  /** The route itself, and whose it is. */
  readonly declared: DeclaredRoute
  readonly mounted: MountableController
  /** The mount path; `''` at the root. */
  readonly prefix: string
  /** What runs around its action, in that order. */
  readonly filters: () => readonly RouteFilter[]
}

/** The tables, and under which paths each route's controller is mounted, in mount order. */
export interface MountTable {
  readonly table: RoutingTable<Target>
  /** What answers where no route does, by the pseudo-methods of route-ends. */
  readonly ends: RoutingTable<Target>
  readonly mountPaths: ReadonlyMap<Route, readonly string[]>
  readonly routes: readonly MountedRoute[]
}

/** Controllers that hand on, in mount order; after them the servlets, the longest mount path first. */
function inOrder(controllers: readonly MountedController[]): readonly MountedController[] {
  const isServlet = (one: MountedController): boolean => makerOf(one).isServlet
  return [
    ...controllers.filter((one) => !isServlet(one)),
    ...controllers.filter(isServlet).toSorted((a, b) => b.prefix.length - a.prefix.length),
  ]
}

function whenOf(
  controller: MountedController,
  route: DeclaredRoute,
  ownership: Ownership | undefined,
  prefix: string,
): Target['when'] {
  const also = alsoMatches(route, prefix)
  const when =
    route.when === undefined && also === undefined
      ? undefined
      : (ctx: FwContext) => (also?.(ctx) ?? true) && route.holds(ctx)
  if (ownership === undefined || !makerOf(controller).isServlet) return when
  return (ctx) => ownership(ctx.request.path) === controller && (when?.(ctx) ?? true)
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
  const mountPaths = new Map<Route, readonly string[]>()
  const routes: MountedRoute[] = []
  const ownership = ownershipOf(controllers, contextPath)
  inOrder(controllers).forEach((mounted, order) => {
    const { controllerClass, own } = mounted.controller
    const prefix = normalPrefix(mounted.prefix)
    mounted.controller.routes.forEach((route, declared) => {
      const { method, matcher, pattern, routeName } = route
      const controller = makerOf(mounted)
      const planned = { controller, routeName, action: route.action, own }
      const hasCondition = route.when !== undefined || route.also.length > 0
      mountPaths.set(route, [...(mountPaths.get(route) ?? []), prefix])
      routes.push({
        method,
        path: contextPath + prefix + pattern,
        name: routeName,
        controller: controllerClass.name,
        action: route.actionName,
        isConditional: hasCondition,
        declared: route,
        mounted: mounted.controller,
        prefix,
        filters: () => routeFilters(planned),
      })
      entries.push({
        method,
        matcher,
        prefix: contextPath + prefix,
        order,
        declared,
        hasCondition,
        target: targetOf(
          mounted,
          compilePlan(planned),
          whenOf(mounted, route, ownership, contextPath + prefix),
        ),
      })
    })
  })
  const ends = compileEnds(controllers, contextPath)
  return { table: new RoutingTable(entries), ends, mountPaths, routes }
}

/** Compiles the mounted controllers to two tables: one of the routes, and one of the fallbacks for paths without a route. */
import {
  checkFilterNames,
  namesRoutes,
  planCompiler,
  routeFilters,
  routeSettings,
  type FwContext,
  type Registrations,
  type RouteFilter,
  type Target,
} from '../action.ts'
import type { DeclaredRoute, MountableController } from '../controller.ts'
import { PrefixTable, RoutingTable, type Route, type TableEntry } from '../routing.ts'
import { FallbackTable } from './fallbacks.ts'
import type { MountedController } from './mounted-controller.ts'

/** A route of a mounted controller, which `fw routes` and OpenAPI documents list. */
export interface MountedRoute {
  readonly method: string
  /** The context path, the mount path and the pattern, joined. */
  readonly path: string
  readonly name: string | undefined
  readonly controller: string
  /** The name of the controller's method; undefined for an inline action. */
  readonly action: string | undefined
  /** True if the route has conditions in addition to its pattern. */
  readonly isConditional: boolean
  readonly declared: DeclaredRoute
  readonly mounted: MountableController
  readonly prefix: string
  /** Returns the filters of the route, in the order in which they run. */
  readonly filters: () => readonly RouteFilter[]
  readonly settings: () => ReadonlyMap<symbol, unknown>
}

/** The routing tables of a running application. They are compiled again when the routes of a controller change. */
export class LiveRoutes {
  /** The current tables. A request must read this only once, so that all its steps use the same version. */
  current: ReturnType<typeof compileMountTable>
  readonly #unwatch: readonly (() => void)[]

  /** @throws FwError as `compileMountTable`. If a later change causes the error, the code that made the change gets it */
  constructor(controllers: readonly MountedController[], contextPath: string) {
    this.current = compileMountTable(controllers, contextPath)
    const distinct = new Set(controllers.map(({ controller }) => controller))
    this.#unwatch = [...distinct].map((controller) =>
      controller.watch(() => {
        this.current = compileMountTable(controllers, contextPath)
      }),
    )
  }

  stop(): void {
    for (const unwatch of this.#unwatch) unwatch()
  }
}

/** Checks the names in `only` and `except` of each filter against the routes of all controllers that inherit it. */
function checkNames(controllers: readonly MountedController[]): void {
  const known = new Map<Registrations, { readonly names: Set<string>; readonly owners: string[] }>()
  for (const mounted of controllers) {
    const routeNames = mounted.controller.routes.map(({ routeName }) => routeName)
    for (const registrations of mounted.registrations.filter(namesRoutes)) {
      const entry = known.get(registrations) ?? { names: new Set<string>(), owners: [] }
      known.set(registrations, entry)
      entry.owners.push(mounted.controllerClass.name)
      for (const name of routeNames) if (name !== undefined) entry.names.add(name)
    }
  }
  for (const [registrations, { names, owners }] of known)
    checkFilterNames(registrations, names, owners.join(', '))
}

const longestPrefixFirst = (a: MountedController, b: MountedController): number =>
  b.prefix.length - a.prefix.length

/** Sorts controllers by precedence: mount order, then servlets by their mount path, the longest first. */
const byPrecedence = (controllers: readonly MountedController[]): readonly MountedController[] => [
  ...controllers.filter((one) => !one.isServlet),
  ...controllers.filter((one) => one.isServlet).toSorted(longestPrefixFirst),
]

type Condition = (ctx: FwContext) => boolean

/** Returns the table that finds the servlet of a path; undefined if fewer than two servlets are mounted. */
function compileOwners(controllers: readonly MountedController[], contextPath: string) {
  const servlets = controllers.filter((one) => one.isServlet)
  if (servlets.length < 2) return undefined
  const byPath = Map.groupBy(servlets, ({ prefix }) => contextPath + prefix)
  return new PrefixTable([...byPath].map(([path, all]) => [path, all[0]!]))
}

/** Returns the condition that the path has no other servlet with a longer mount path. */
const ownsPath =
  (owners: PrefixTable<MountedController>, mounted: MountedController): Condition =>
  (ctx) =>
    owners.find(ctx.request.path, (owner) => owner) === mounted

/** Returns a condition that evaluates the matchers in `also`, and adds their parameters to the request. */
function compileAdditionalMatchers(
  { also, method }: DeclaredRoute,
  prefix: string,
): Condition | undefined {
  if (also.length === 0) return undefined
  // A routing table with one entry applies a matcher in the same way as the main table.
  const tables = also.map(
    (matcher) =>
      new RoutingTable([
        { method, matcher, prefix, order: 0, declared: 0, hasCondition: false, target: undefined },
      ]),
  )
  return (ctx) =>
    tables.every((table) => {
      const match = table.lookup(method, ctx.request.path)
      if (match !== undefined) ctx.addCaptures(match.params)
      return match !== undefined
    })
}

/** Joins all conditions of a route, except its first matcher; returns undefined if there are none. */
function compileCondition(
  route: DeclaredRoute,
  prefix: string,
  isOwner: Condition | undefined,
): Target['when'] {
  const matchesAll = compileAdditionalMatchers(route, prefix)
  const { when } = route
  if (when === undefined && matchesAll === undefined) return isOwner
  return (ctx) =>
    (isOwner?.(ctx) ?? true) && (matchesAll?.(ctx) ?? true) && (when?.(ctx as never) ?? true)
}

/** Returns the entry of a route's alias, which follows all other routes of the controller with the same pattern. */
function aliasEntry(
  entry: TableEntry<Target>,
  { matcher, when }: NonNullable<DeclaredRoute['alias']>,
  isOwner: Condition = () => true,
): TableEntry<Target> {
  const target = { ...entry.target, when: (ctx: FwContext) => isOwner(ctx) && when(ctx) }
  return { ...entry, matcher, declared: -1, hasCondition: false, target }
}

/** @throws FwError `action.unknown-route-name`, `routing.pattern-invalid` @spec Endpoints › Route declaration */
function compileMountTable(controllers: readonly MountedController[], contextPath: string) {
  checkNames(controllers)
  const entries: TableEntry<Target>[] = []
  /** Route → the mount paths of its controller, in mount order. */
  const mountPaths = new Map<Route, readonly string[]>()
  const routes: MountedRoute[] = []
  const owners = compileOwners(controllers, contextPath)
  for (const [order, mounted] of byPrecedence(controllers).entries()) {
    const { registrations, routes: declaredRoutes } = mounted.controller
    const { controllerClass: controller, prefix: mountPath } = mounted
    const prefix = contextPath + mountPath
    const isOwner =
      owners !== undefined && mounted.isServlet ? ownsPath(owners, mounted) : undefined
    const planned = { controller, routeRegistrations: registrations }
    const compilePlan = planCompiler(planned)
    for (const [declared, route] of declaredRoutes.entries()) {
      const { method, matcher, pattern, routeName } = route
      const hasCondition = route.when !== undefined || route.also.length > 0
      mountPaths.set(route, [...(mountPaths.get(route) ?? []), mountPath])
      routes.push({
        method,
        path: prefix + pattern,
        name: routeName,
        controller: controller.name,
        action: route.actionName,
        isConditional: hasCondition,
        declared: route,
        mounted: mounted.controller,
        prefix: mountPath,
        filters: () => routeFilters({ ...planned, routeName }),
        settings: () => routeSettings({ ...planned, routeName }),
      })
      const when = compileCondition(route, prefix, isOwner)
      const plan = compilePlan(routeName, mounted.controller.actionOf(route))
      const target = mounted.createTarget(plan, prefix + pattern, when)
      const entry = { method, matcher, prefix, order, declared, hasCondition, target }
      entries.push(entry)
      if (route.alias !== undefined) entries.push(aliasEntry(entry, route.alias, isOwner))
    }
  }
  const fallbacks = new FallbackTable(controllers, contextPath)
  return { table: new RoutingTable(entries), fallbacks, mountPaths, routes }
}

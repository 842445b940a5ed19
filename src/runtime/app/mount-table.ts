/** Compiles the mounted controllers to two routing tables: one for the routes, and one for the fallback handlers. */
import {
  checkFilterNames,
  compilePlan,
  inheritedRegistrations,
  respondWithStatus,
  routeFilters,
  routeSettings,
  type ControllerConstructor,
  type FwContext,
  type FwControllerBase,
  type Plan,
  type Registrations,
  type RouteFilter,
  type Stage,
  type Step,
  type Target,
} from '../action.ts'
import type { DeclaredRoute, MountableController } from '../controller.ts'
import { RoutingTable, type Route, type TableEntry } from '../routing.ts'
import type { MountedController } from './servlet-context.ts'

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

const classOf = ({ controller }: MountedController) =>
  controller.controllerClass as unknown as ControllerConstructor &
    Pick<typeof FwControllerBase, 'isServlet' | 'textFormat' | 'errorFormat'>

const isServlet = (mounted: MountedController): boolean => classOf(mounted).isServlet

/** Creates the target of a table entry; `pattern` is undefined for a fallback handler. */
function createTarget(
  mounted: MountedController,
  plan: Plan,
  pattern?: string,
  when?: Target['when'],
): Target {
  const { textFormat, errorFormat } = classOf(mounted)
  return { plan, when, textFormat, errorFormat, mountPath: mounted.prefix, pattern }
}

/** Creates a table entry that matches every path below `prefix`. */
const prefixEntry = <T>(
  method: string,
  prefix: string,
  order: number,
  target: T,
): TableEntry<T> => ({
  method,
  matcher: undefined,
  prefix,
  order,
  declared: 0,
  hasCondition: false,
  target,
})

const allRegistrations = ({ controllerClass, registrations }: MountableController) => [
  ...inheritedRegistrations(controllerClass),
  registrations,
]

/** Checks the names in `only` and `except` of each filter against the routes of all controllers that inherit it. */
function checkNames(controllers: readonly MountedController[]): void {
  const known = new Map<Registrations, { readonly names: Set<string>; readonly owners: string[] }>()
  for (const { controller } of controllers)
    for (const registrations of allRegistrations(controller)) {
      const entry = known.get(registrations) ?? { names: new Set<string>(), owners: [] }
      known.set(registrations, entry)
      entry.owners.push(controller.controllerClass.name)
      for (const { routeName } of controller.routes)
        if (routeName !== undefined) entry.names.add(routeName)
    }
  for (const [registrations, { names, owners }] of known)
    checkFilterNames(registrations, names, owners.join(', '))
}

const longestPrefixFirst = (a: MountedController, b: MountedController): number =>
  b.prefix.length - a.prefix.length

/** Sorts controllers by precedence: mount order, then servlets by their mount path, the longest first. */
const byPrecedence = (controllers: readonly MountedController[]): readonly MountedController[] => [
  ...controllers.filter((one) => !isServlet(one)),
  ...controllers.filter(isServlet).toSorted(longestPrefixFirst),
]

type Condition = (ctx: FwContext) => boolean

/**
 * Returns a function that decides whether a servlet has the longest matching mount path. Returns undefined if fewer than two
 * servlets are mounted.
 */
function compileOwnership(
  controllers: readonly MountedController[],
  contextPath: string,
): ((ctx: FwContext, mounted: MountedController) => boolean) | undefined {
  const servlets = controllers.filter(isServlet).toSorted(longestPrefixFirst)
  if (servlets.length < 2) return undefined
  const table = new RoutingTable(
    servlets.map((servlet, order) =>
      prefixEntry('OWNER', contextPath + servlet.prefix, order, servlet),
    ),
  )
  return (ctx, mounted) => table.lookup('OWNER', ctx.request.path)?.target === mounted
}

/** Returns a condition that evaluates the matchers in `also`, and adds their parameters to the request. */
function compileAdditionalMatchers({ also }: DeclaredRoute, prefix: string): Condition | undefined {
  if (also.length === 0) return undefined
  // A routing table with one entry applies a matcher in the same way as the main table.
  const tables = also.map(
    (matcher) => new RoutingTable([{ ...prefixEntry('ANY', prefix, 0, true), matcher }]),
  )
  return (ctx) =>
    tables.every((table) => {
      const match = table.lookup('ANY', ctx.request.path)
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

/** @throws FwError `action.unknown-route-name`, `routing.pattern-invalid` @spec Endpoints › Route declaration */
function compileMountTable(controllers: readonly MountedController[], contextPath: string) {
  checkNames(controllers)
  const entries: TableEntry<Target>[] = []
  /** Route → the mount paths of its controller, in mount order. */
  const mountPaths = new Map<Route, readonly string[]>()
  const routes: MountedRoute[] = []
  const ownership = compileOwnership(controllers, contextPath)
  for (const [order, mounted] of byPrecedence(controllers).entries()) {
    const { controllerClass, registrations, routes: declaredRoutes } = mounted.controller
    const controller = classOf(mounted)
    const mountPath = mounted.prefix
    const prefix = contextPath + mountPath
    const isOwner: Condition | undefined =
      ownership !== undefined && isServlet(mounted) ? (ctx) => ownership(ctx, mounted) : undefined
    for (const [declared, route] of declaredRoutes.entries()) {
      const { method, matcher, pattern, routeName } = route
      const action = mounted.controller.actionOf(route)
      const planned = { controller, routeName, action, routeRegistrations: registrations }
      const hasCondition = route.when !== undefined || route.also.length > 0
      mountPaths.set(route, [...(mountPaths.get(route) ?? []), mountPath])
      routes.push({
        method,
        path: prefix + pattern,
        name: routeName,
        controller: controllerClass.name,
        action: route.actionName,
        isConditional: hasCondition,
        declared: route,
        mounted: mounted.controller,
        prefix: mountPath,
        filters: () => routeFilters(planned),
        settings: () => routeSettings(planned),
      })
      const when = compileCondition(route, prefix, isOwner)
      const target = createTarget(mounted, compilePlan(planned), prefix + pattern, when)
      entries.push({ method, matcher, prefix, order, declared, hasCondition, target })
    }
  }
  const fallbacks = compileFallbacks(controllers, contextPath)
  return { table: new RoutingTable(entries), fallbacks, mountPaths, routes }
}

/**
 * The kind of a fallback handler, or a rule for paths without a route: `crossOrigin` finds the CORS policy, and `errorFormat`
 * the controller (with a mount path) that determines the format of errors.
 */
export type FallbackKind = 'notFound' | 'methodNotAllowed' | 'crossOrigin' | 'errorFormat'

/** The stages that fallback handlers skip: without a route, no filters run. The remaining stages load and save the session. */
const skips: ReadonlySet<Stage> = new Set([
  'guard',
  'body',
  'token',
  'before',
  'beforeAction',
  'afterAction',
  'after',
])

type HandlerKind = 'notFound' | 'methodNotAllowed'

const servletDefaults: Readonly<Record<HandlerKind, Step>> = {
  notFound: (_controller, ctx: FwContext) => respondWithStatus(ctx, 404),
  methodNotAllowed: (_controller, ctx: FwContext) => respondWithStatus(ctx, 405),
}

/** Returns the fallback handler of the controller or of its nearest base class; a servlet has a default handler. */
function findHandler(mounted: MountedController, kind: HandlerKind): Step | undefined {
  const all = allRegistrations(mounted.controller)
  const handler = all.findLast((one) => one[kind] !== undefined)?.[kind]
  return handler ?? (isServlet(mounted) ? servletDefaults[kind] : undefined)
}

/** Compiles the table of fallback handlers by mount path, the longest first; servlets precede others, then mount order. */
function compileFallbacks(
  controllers: readonly MountedController[],
  contextPath: string,
): RoutingTable<Target> {
  const sorted = controllers.toSorted(
    (a, b) => longestPrefixFirst(a, b) || Number(isServlet(b)) - Number(isServlet(a)),
  )
  const entries: TableEntry<Target>[] = []
  for (const [order, mounted] of sorted.entries()) {
    const prefix = contextPath + mounted.prefix
    const { registrations: routeRegistrations } = mounted.controller
    const controller = classOf(mounted)
    const add = (kind: FallbackKind, action: Step, isNeeded = (_plan: Plan) => true): void => {
      const planned = { controller, routeName: undefined, action, routeRegistrations, skips }
      const plan = compilePlan(planned)
      if (isNeeded(plan))
        entries.push(prefixEntry(kind, prefix, order, createTarget(mounted, plan)))
    }
    for (const kind of ['notFound', 'methodNotAllowed'] as const) {
      const action = findHandler(mounted, kind)
      if (action !== undefined) add(kind, action)
    }
    add('crossOrigin', servletDefaults.notFound, (plan) => plan.crossOrigin !== undefined)
    add('errorFormat', servletDefaults.notFound, () => mounted.prefix !== '')
  }
  return new RoutingTable(entries)
}

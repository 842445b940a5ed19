/** `routes(Controller, …)` (`Routes` in the specification): an object that has a controller's routes and mounts them. */
import type { Ctor, Filter, FilterArgs, FilterOptions, FwControllerBase } from '../action.ts'
import type { Route } from '../routing.ts'
import type { ControllerDescription, RouteDescription } from './route-description.ts'
import { routeBuilder, type RouteBuilder } from './route-builder.ts'
import { FwMicroFilter, FwMicroServlet } from './fw-controller.ts'
import { MountableController, type MountTarget } from './mountable-controller.ts'

/** Routes by name; applications link to a route through its name. */
export type RouteTable = Readonly<Record<string, Route>>

type NamesOf<R> = {
  [K in keyof R]: R[K] extends Route<never, infer N>
    ? N
    : R[K] extends Route<string, infer N>
      ? N
      : never
}[keyof R] &
  string

/** The key of a member that exists only as a type; a typed client infers its calls from that type. */
declare const clientTypes: unique symbol
/** The type of the key under which a controller object has the types for a typed client. */
export type ClientTypesKey = typeof clientTypes

/** `never` for unknown names of routes and members, which TypeScript rejects only in object literals. */
type KnownNames<D, N> = {
  readonly [K in keyof D]: K extends N
    ? { readonly [O in keyof D[K]]: O extends keyof RouteDescription ? unknown : never }
    : never
}

/** The routes of a controller, with methods to mount and filter them. `D` is the type of the routes' descriptions. */
export type ControllerObject<C, R extends RouteTable, D = {}> = Readonly<R> & {
  readonly [clientTypes]?: { readonly controller: C; readonly routes: R; readonly described: D }
  /** Mounts the controller, below `prefix` if given. Controllers mounted earlier win. @spec General rules › 1 */
  mount(ctx: MountTarget, prefix?: string): void
  /** Adds a filter that runs before the actions of the chosen routes, after the filters of the class. @spec Filters › 2 */
  beforeAction(filter: Filter<C>): ControllerObject<C, R, D>
  beforeAction(options: FilterOptions<NamesOf<R>>, filter: Filter<C>): ControllerObject<C, R, D>
  /** Adds a filter that runs after the actions of the chosen routes, even if an action throws. @spec Filters › 2 */
  afterAction(filter: Filter<C>): ControllerObject<C, R, D>
  afterAction(options: FilterOptions<NamesOf<R>>, filter: Filter<C>): ControllerObject<C, R, D>
  /** Describes routes; see docs/openapi.md. @throws FwError `controller.route-invalid` for an unknown route name */
  describe<const E extends { readonly [K in NamesOf<R>]?: RouteDescription }>(
    description: Omit<ControllerDescription, 'routes'> & {
      readonly routes?: E & KnownNames<E, NamesOf<R>>
    },
  ): ControllerObject<C, R, E>
  /**
   * Adds a route after all others. If the application is running, the route is valid from the next request on.
   * @throws FwError `controller.route-invalid`, `routing.pattern-invalid`; then nothing changes
   */
  addRoute<A extends Route<never> | Route>(declare: (r: RouteBuilder<C>) => A): A
  /** Removes a route; the next request no longer matches it. Returns false if the object does not contain the route. */
  removeRoute(route: Route<never> | Route): boolean
}

/**
 * Declares the routes of a controller class. Call it below the class, in the same file. A subclass inherits the routes that its
 * base classes have declared before.
 * @throws FwError `controller.route-invalid`, `controller.unknown-action`, `controller.action-name-taken`,
 *   `routing.pattern-invalid`
 * @spec Endpoints › Route declaration
 */
export function routes<C extends FwControllerBase, R extends RouteTable>(
  controllerClass: Ctor<C>,
  declare: (r: RouteBuilder<C>) => R,
): ControllerObject<C, R> {
  const builder = routeBuilder(controllerClass)
  const table = declare(builder)
  const mountable = new MountableController(controllerClass, table)
  const methods = {
    mount: (ctx: MountTarget, prefix = ''): void => ctx.addController(mountable, prefix),
    beforeAction(...args: FilterArgs<C>): unknown {
      mountable.registrations.addFilter('beforeAction', args)
      return object
    },
    afterAction(...args: FilterArgs<C>): unknown {
      mountable.registrations.addFilter('afterAction', args)
      return object
    },
    describe(description: ControllerDescription): unknown {
      mountable.describe(description)
      return object
    },
    addRoute(declareOne: (r: RouteBuilder<C>) => Route): Route {
      const route = declareOne(builder)
      mountable.add(route)
      return route
    },
    removeRoute: (route: Route) => mountable.remove(route),
  }
  const taken = Object.keys(table).find((key) => Object.hasOwn(methods, key))
  if (taken !== undefined)
    throw mountable.invalid(
      taken,
      'the routes object has a method of this name, so use another key',
    )
  const object = { ...table, ...methods } as unknown as ControllerObject<C, R>
  return object
}

/** Creates an application in one file: `microFilter((r) => ({ hello: r.get('/hello', () => 'Hello') }))`. */
export function microFilter<R extends RouteTable>(
  declare: (r: RouteBuilder<FwMicroFilter>) => R,
): ControllerObject<FwMicroFilter, R> {
  abstract class MicroFilter extends FwMicroFilter {}
  return routes(MicroFilter, declare)
}

/** Like `microFilter`, but serves every path below its mount path: responds 404 itself if no route matches. */
export function microServlet<R extends RouteTable>(
  declare: (r: RouteBuilder<FwMicroServlet>) => R,
): ControllerObject<FwMicroServlet, R> {
  abstract class MicroServlet extends FwMicroServlet {}
  return routes(MicroServlet, declare)
}

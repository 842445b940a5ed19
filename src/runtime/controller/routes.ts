/** `routes(Controller, …)`: the specification's `Routes`, an object with a controller's routes that mounts it. */
import type { Ctor, Filter, FilterOptions, FwControllerBase } from '../action.ts'
import type { Route } from '../routing.ts'
import type { ControllerDescription, RouteDescription } from './route-description.ts'
import { routeBuilder, type RouteBuilder } from './route-builder.ts'
import { FwMicroFilter, FwMicroServlet } from './fw-controller.ts'
import { RouteSet, type MountTarget } from './route-set.ts'

/** Routes by the name under which an application links to them. */
export type RouteTable = Readonly<Record<string, Route>>

type NamesOf<R> = {
  [K in keyof R]: R[K] extends Route<never, infer N>
    ? N
    : R[K] extends Route<string, infer N>
      ? N
      : never
}[keyof R] &
  string

/** The key of a member that exists only as a type: what a typed client reads. */
declare const clientTypes: unique symbol
/** The type of that key. */
export type ClientTypesKey = typeof clientTypes

/** Descriptions of routes by name, with the types of a literal. */
export type RouteDescriptions = Readonly<Record<string, RouteDescription>>

/** `never` for the name of a route or of an option that does not exist, because TypeScript checks only literals for such names. */
type KnownNames<D, N> = {
  readonly [K in keyof D]: K extends N
    ? { readonly [O in keyof D[K]]: O extends keyof RouteDescription ? unknown : never }
    : never
}

/** A controller's routes: to link to, to filter and to mount. `D` are the descriptions of its routes. */
export type ControllerObject<C, R extends RouteTable, D = {}> = Readonly<R> & {
  readonly [clientTypes]?: { readonly controller: C; readonly routes: R; readonly described: D }
  /** Makes the controller reachable, below `prefix` if given. Mount order is precedence. @spec General rules › 1 */
  mount(ctx: MountTarget, prefix?: string): void
  /** Before the actions of the chosen routes, after the filters of the class. @spec Filters › 2 */
  beforeAction(filter: Filter<C>): ControllerObject<C, R, D>
  beforeAction(options: FilterOptions<NamesOf<R>>, filter: Filter<C>): ControllerObject<C, R, D>
  /** After the actions of the chosen routes, however they ended. @spec Filters › 2 */
  afterAction(filter: Filter<C>): ControllerObject<C, R, D>
  afterAction(options: FilterOptions<NamesOf<R>>, filter: Filter<C>): ControllerObject<C, R, D>
  /**
   * Describes the routes in OpenAPI documents and clients; see docs/openapi.md.
   * @throws FwError `controller.route-invalid` for an unknown route name
   */
  describe<const E extends { readonly [K in NamesOf<R>]?: RouteDescription }>(
    description: Omit<ControllerDescription, 'routes'> & {
      readonly routes?: E & KnownNames<E, NamesOf<R>>
    },
  ): ControllerObject<C, R, E>
  /**
   * Adds a route as the last one declared; from the next request on when the application runs.
   * @throws FwError `controller.route-invalid`, `routing.pattern-invalid`; then nothing changes
   */
  addRoute<A extends Route<never> | Route>(declare: (r: RouteBuilder<C>) => A): A
  /** Removes a route, from the next request on. Returns false when the object does not have it. */
  removeRoute(route: Route<never> | Route): boolean
}

const reserved: ReadonlySet<string> = new Set([
  'mount',
  'beforeAction',
  'afterAction',
  'describe',
  'addRoute',
  'removeRoute',
])

/**
 * Declares the routes of a controller class, below the class and in the same file. A subclass inherits the routes that
 * its base classes have declared before.
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
  const set = new RouteSet(controllerClass, table)
  for (const key of Object.keys(table))
    if (reserved.has(key))
      throw set.invalid(key, 'the routes object has a method of this name, so use another key')
  const added = (stage: 'beforeAction' | 'afterAction', args: FilterArgs<C>): unknown => {
    const [options, filter] = args.length === 1 ? [{}, args[0]] : args
    set.registrations.add(stage, filter, options)
    return object
  }
  const object = {
    ...table,
    mount: (ctx: MountTarget, prefix = ''): void => ctx.addController(set, prefix),
    beforeAction: (...args: FilterArgs<C>) => added('beforeAction', args),
    afterAction: (...args: FilterArgs<C>) => added('afterAction', args),
    describe(description: ControllerDescription): unknown {
      set.describe(description)
      return object
    },
    addRoute(declareOne: (r: RouteBuilder<C>) => Route): Route {
      const route = declareOne(builder)
      set.add(route)
      return route
    },
    removeRoute: (route: Route) => set.remove(route),
  }
  return object as unknown as ControllerObject<C, R>
}

type FilterArgs<C> = [filter: Filter<C>] | [options: FilterOptions, filter: Filter<C>]

/** An application in one file: `microFilter((r) => ({ hello: r.get('/hello', () => 'Hello') }))`. */
export function microFilter<R extends RouteTable>(
  declare: (r: RouteBuilder<FwMicroFilter>) => R,
): ControllerObject<FwMicroFilter, R> {
  abstract class MicroFilter extends FwMicroFilter {}
  return routes(MicroFilter, declare)
}

/** As `microFilter`, but it owns every path below its mount path: a path that no route matches gets its 404. */
export function microServlet<R extends RouteTable>(
  declare: (r: RouteBuilder<FwMicroServlet>) => R,
): ControllerObject<FwMicroServlet, R> {
  abstract class MicroServlet extends FwMicroServlet {}
  return routes(MicroServlet, declare)
}

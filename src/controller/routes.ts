/** `routes(Controller, …)`: the specification's `Routes`, the object that names a controller's routes and mounts it. */
import type { Ctor, Filter, FilterOptions, FwControllerBase } from '../action.ts'
import type { Route } from '../routing.ts'
import type { MountTarget } from './mount-target.ts'
import type { ControllerDescription } from './route-description.ts'
import { routeBuilder, type RouteBuilder } from './route-builder.ts'
import { RouteSet } from './route-set.ts'

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

/** A controller's routes, ready to be linked to, filtered and mounted. */
export type ControllerObject<C, R extends RouteTable> = Readonly<R> & {
  /** Makes the controller reachable, below `prefix` if given. Mount order is precedence. @spec General rules › 1 */
  mount(ctx: MountTarget, prefix?: string): void
  /** Before the actions of the chosen routes, after the filters of the class. @spec Filters › 2 */
  beforeAction(filter: Filter<C>): ControllerObject<C, R>
  beforeAction(options: FilterOptions<NamesOf<R>>, filter: Filter<C>): ControllerObject<C, R>
  /** After the actions of the chosen routes, however they ended. @spec Filters › 2 */
  afterAction(filter: Filter<C>): ControllerObject<C, R>
  afterAction(options: FilterOptions<NamesOf<R>>, filter: Filter<C>): ControllerObject<C, R>
  /**
   * Says in documents and clients what the code of the routes does not say; see docs/openapi.md.
   * @throws FwError `controller.route-invalid` for the name of no route
   */
  describe(description: ControllerDescription<NamesOf<R>>): ControllerObject<C, R>
  /**
   * Declares one more route, also while the application runs: the next request finds it, as the last one declared.
   * @throws FwError `controller.route-invalid`, `routing.pattern-invalid`; then nothing has changed
   */
  addRoute<A extends Route<never> | Route>(declare: (r: RouteBuilder<C>) => A): A
  /** Takes a route away; the next request does not find it. False when it was not there. */
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
 * Declares the routes of a controller class, below the class and in the same file.
 * @throws FwError `controller.route-invalid`, `controller.unknown-action`, `routing.pattern-invalid`
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
    if (reserved.has(key)) throw set.invalid(key, 'the key is taken: call it otherwise')
  const added = (stage: 'beforeAction' | 'afterAction', args: FilterArgs<C>): unknown => {
    const [options, filter] = args.length === 1 ? [{}, args[0]] : args
    set.own.add(stage, filter, options)
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

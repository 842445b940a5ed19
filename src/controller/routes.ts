/** `routes(Controller, …)`: the specification's `Routes`, the object that names a controller's routes and mounts it. */
import {
  Registrations,
  type Ctor,
  type Filter,
  type FilterOptions,
  type FwControllerBase,
} from '../action.ts'
import { FwError } from '../base.ts'
import type { Route } from '../routing.ts'
import { DeclaredRoute } from './declared-route.ts'
import type { MountTarget } from './mount-target.ts'
import { routeBuilder, type RouteBuilder } from './route-builder.ts'

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
}

const reserved: ReadonlySet<string> = new Set(['mount', 'beforeAction', 'afterAction'])

function checkTable(controllerClass: Ctor, table: Readonly<Record<string, unknown>>): void {
  const named = new Map<string, string>()
  for (const [key, route] of Object.entries(table)) {
    if (reserved.has(key))
      throw invalid(controllerClass, key, 'the key is taken: call it otherwise')
    if (!(route instanceof DeclaredRoute))
      throw invalid(controllerClass, key, 'it never got an action: r.get(pattern, action)')
    const { routeName, pattern, method } = route
    if (routeName === undefined) continue
    const known = named.get(`${method} ${routeName}`)
    if (known !== undefined && known !== pattern) {
      throw invalid(
        controllerClass,
        key,
        `the name '${routeName}' has another pattern already, '${known}': give one of them its own .as(…)`,
      )
    }
    named.set(`${method} ${routeName}`, pattern)
  }
}

function invalid(controllerClass: Ctor, key: string, why: string): FwError {
  return new FwError(
    'controller.route-invalid',
    `The route '${key}' of ${controllerClass.name} cannot stand: ${why}.`,
  )
}

/**
 * Declares the routes of a controller class, below the class and in the same file.
 * @throws FwError `controller.route-invalid`, `controller.unknown-action`, `routing.pattern-invalid`
 * @spec Endpoints › Route declaration
 */
export function routes<C extends FwControllerBase, R extends RouteTable>(
  controllerClass: Ctor<C>,
  declare: (r: RouteBuilder<C>) => R,
): ControllerObject<C, R> {
  const table = declare(routeBuilder(controllerClass))
  checkTable(controllerClass, table)
  const own = new Registrations()
  const object = {
    ...table,
    mount(ctx: MountTarget, prefix = ''): void {
      ctx.addController(
        { controllerClass, routes: Object.values(table) as unknown as DeclaredRoute[], own },
        prefix,
      )
    },
    beforeAction: (...args: FilterArgs<C>) => added('beforeAction', args),
    afterAction: (...args: FilterArgs<C>) => added('afterAction', args),
  }
  const added = (stage: 'beforeAction' | 'afterAction', args: FilterArgs<C>): unknown => {
    const [options, filter] = args.length === 1 ? [{}, args[0]] : args
    own.add(stage, filter, options)
    return object
  }
  return object as unknown as ControllerObject<C, R>
}

type FilterArgs<C> = [filter: Filter<C>] | [options: FilterOptions, filter: Filter<C>]

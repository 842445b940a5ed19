/** The routes of a controller object, which may change while the application runs. */
import { Registrations, type Ctor, type FwContext, type Step } from '../action.ts'
import { FwError } from '../base.ts'
import { Route, type Pattern, type RouteOptions } from '../routing.ts'
import { actionStep } from './action-step.ts'
import { baseClasses } from './fw-controller.ts'
import type { ControllerDescription } from './route-description.ts'

/** The members that a declared route adds to a plain one. */
interface Declaration {
  readonly action: Step
  readonly actionName: string | undefined
  readonly also: readonly (Pattern | RegExp)[]
}

/** A route with its action. Applications see it as a plain `Route`. */
export class DeclaredRoute<
  P extends string = string,
  N extends string = string,
  M extends string = string,
  A extends string = string,
> extends Route<P, N, M, A> {
  readonly action: Step
  /** The name of the action's method; absent for an inline action. */
  readonly actionName: string | undefined
  /** Further matchers: all must match. */
  readonly also: readonly (Pattern | RegExp)[]

  constructor(
    method: string,
    matcher: Route['matcher'] | P,
    options: RouteOptions<N>,
    { action, actionName, also }: Declaration,
  ) {
    super(method, matcher, options)
    this.action = action
    this.actionName = actionName
    this.also = also
  }

  override as<const Name extends string>(name: Name): DeclaredRoute<P, Name, M, A> {
    return new DeclaredRoute<P, Name, M, A>(
      this.method,
      this.matcher,
      { routeName: name, when: this.when },
      this,
    )
  }

  /** Whether the route's `when` accepts this request. */
  matchesCondition(ctx: FwContext): boolean {
    return this.when === undefined || this.when(ctx as never)
  }
}

/** A controller class with its routes and the filters of its routes object. */
export interface MountableController {
  readonly controllerClass: Ctor
  /** The current routes. */
  readonly routes: readonly DeclaredRoute[]
  readonly registrations: Registrations
  /** The last argument of `describe`. */
  readonly description: ControllerDescription
  /** The step that calls the route's action on this controller. */
  actionOf(route: DeclaredRoute): Step
  /** The key of the route in the routes object; absent for a route that was added later. */
  keyOf(route: DeclaredRoute): string | undefined
  /** Calls `changed` after each change of the routes. Returns a function that ends this. */
  watch(changed: () => void): () => void
}

/** An application that controllers can be mounted to; mount order is precedence. */
export interface MountTarget {
  /** @param prefix text before all paths: `/admin`, `/admin/` and `/admin/*` are the same; `''` for none */
  addController(controller: MountableController, prefix: string): void
}

const nameOf = ({ method, routeName }: DeclaredRoute): string => `${method} ${routeName}`

const routeSetsByClass = new WeakMap<object, readonly RouteSet[]>()

function inheritedRouteSets(controllerClass: Ctor): readonly RouteSet[] {
  const sets: RouteSet[] = []
  let base: object | null = Object.getPrototypeOf(controllerClass)
  for (; base !== null && !baseClasses.has(base); base = Object.getPrototypeOf(base))
    sets.unshift(...(routeSetsByClass.get(base) ?? []))
  return sets
}

/** The routes and registrations of one controller object. */
export class RouteSet implements MountableController {
  readonly controllerClass: Ctor
  readonly registrations: Registrations
  description: ControllerDescription = {}
  readonly #listeners = new Set<() => void>()
  readonly #keys: ReadonlyMap<unknown, string>
  /** The route sets of the base classes, base first. */
  readonly #bases: readonly RouteSet[]
  #routes: readonly DeclaredRoute[]

  /** @throws FwError `controller.route-invalid` */
  constructor(controllerClass: Ctor, table: Readonly<Record<string, unknown>>) {
    this.controllerClass = controllerClass
    this.#bases = inheritedRouteSets(controllerClass)
    this.registrations = new Registrations(controllerClass.name)
    this.#routes = Object.entries(table).map(([key, route]) => this.#checkDeclared(key, route))
    this.#checkNames(this.#routes)
    this.#keys = new Map(Object.entries(table).map(([key, route]) => [route, key]))
    routeSetsByClass.set(controllerClass, [...(routeSetsByClass.get(controllerClass) ?? []), this])
  }

  keyOf(route: DeclaredRoute): string | undefined {
    const base = this.#bases.findLast((one) => one.keyOf(route) !== undefined)
    return this.#keys.get(route) ?? base?.keyOf(route)
  }

  /** The action of a route; an inherited route calls the method of this class. */
  actionOf({ actionName, action }: DeclaredRoute): Step {
    return actionName === undefined ? action : actionStep(this.controllerClass, actionName)
  }

  /** @throws FwError `controller.route-invalid` for an unknown route name */
  describe(description: ControllerDescription): void {
    const names = new Set(this.routes.map(({ routeName }) => routeName))
    const unknown = Object.keys(description.routes ?? {}).find((name) => !names.has(name))
    if (unknown !== undefined)
      throw this.invalid(unknown, 'it is described, but no route has this name')
    this.description = description
  }

  /** The inherited routes, then the own ones. An own route replaces inherited ones of its method and name. */
  get routes(): readonly DeclaredRoute[] {
    const own = new Set(this.#routes.map(nameOf))
    const inherited = this.#bases
      .flatMap((base) => base.#routes)
      .filter((route) => route.routeName === undefined || !own.has(nameOf(route)))
    return [...inherited, ...this.#routes]
  }

  watch(changed: () => void): () => void {
    const sets = [this, ...this.#bases]
    for (const set of sets) set.#listeners.add(changed)
    return () => {
      for (const set of sets) set.#listeners.delete(changed)
    }
  }

  /** Adds a route as the last one declared. @throws FwError `controller.route-invalid`, or the error of mounting it; then it is not added */
  add(route: unknown): void {
    this.#change([...this.#routes, this.#checkDeclared('added', route)])
  }

  /** Returns false when the set does not have the route. */
  remove(route: Route): boolean {
    const rest = this.#routes.filter((one) => one !== route)
    if (rest.length === this.#routes.length) return false
    this.#change(rest)
    return true
  }

  #change(routes: readonly DeclaredRoute[]): void {
    this.#checkNames(routes)
    const before = this.#routes
    this.#routes = routes
    try {
      this.#notify()
    } catch (error) {
      this.#routes = before
      this.#notify()
      throw error
    }
  }

  #notify(): void {
    for (const changed of this.#listeners) changed()
  }

  #checkDeclared(key: string, route: unknown): DeclaredRoute {
    if (route instanceof DeclaredRoute) return route
    throw this.invalid(key, 'it never got an action: r.get(pattern, action)')
  }

  #checkNames(routes: readonly DeclaredRoute[]): void {
    const named = new Map<string, string>()
    for (const route of routes) {
      const { routeName, pattern } = route
      if (routeName === undefined) continue
      const known = named.get(nameOf(route))
      if (known !== undefined && known !== pattern)
        throw this.invalid(
          routeName,
          `the name '${routeName}' already has the pattern '${known}': name one of them with .as(…)`,
        )
      named.set(nameOf(route), pattern)
    }
  }

  /** The error of an invalid route. */
  invalid(key: string, why: string): FwError {
    return new FwError(
      'controller.route-invalid',
      `The route '${key}' of ${this.controllerClass.name} is invalid: ${why}.`,
    )
  }
}

/** `RouteSet`: the routes of a controller object, which can change while the application runs. */
import { Registrations, type Ctor, type FwContext, type Step } from '../action.ts'
import { FwError } from '../base.ts'
import { Route, type Pattern, type RouteOptions } from '../routing.ts'
import { actionStep } from './action-step.ts'
import { baseClasses } from './fw-controller.ts'
import type { ControllerDescription } from './route-description.ts'

/** The members that `DeclaredRoute` has in addition to `Route`. */
interface Declaration {
  readonly action: Step
  readonly actionName: string | undefined
  readonly also: readonly (Pattern | RegExp)[]
}

/** A route with its action. Applications see only the type `Route`, which has no action. */
export class DeclaredRoute<
  P extends string = string,
  N extends string = string,
  M extends string = string,
  A extends string = string,
> extends Route<P, N, M, A> {
  readonly action: Step
  /** The name of the controller's method; undefined for an inline action. */
  readonly actionName: string | undefined
  /** Further patterns or regular expressions, all of which must match. */
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

  /** True if the route has no condition `when`, or if the condition returns true for this request. */
  matchesCondition(ctx: FwContext): boolean {
    return this.when === undefined || this.when(ctx as never)
  }
}

/** A controller class with its routes, and the filters that were added to the object of its routes. */
export interface MountableController {
  readonly controllerClass: Ctor
  /** The current routes, including inherited ones. */
  readonly routes: readonly DeclaredRoute[]
  readonly registrations: Registrations
  /** The description that the last call of `describe` has set. */
  readonly description: ControllerDescription
  /** Returns the step that calls the route's action on this controller. */
  actionOf(route: DeclaredRoute): Step
  /** Returns the key of the route in the routes object; undefined for a route that was added later. */
  keyOf(route: DeclaredRoute): string | undefined
  /** Calls `changed` after each change of the routes. Returns a function that stops these calls. */
  watch(changed: () => void): () => void
}

/** An application to which controllers can be mounted. Routes of a controller mounted earlier take precedence. */
export interface MountTarget {
  /**
   * Mounts a controller.
   * @param prefix the text before all paths: `/admin`, `/admin/` and `/admin/*` are the same; `''` for none
   */
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

/** The routes and filters of one controller object. */
export class RouteSet implements MountableController {
  readonly controllerClass: Ctor
  readonly registrations: Registrations
  description: ControllerDescription = {}
  readonly #listeners = new Set<() => void>()
  readonly #keys: ReadonlyMap<unknown, string>
  /** The route sets of the base classes, those of the most general class first. */
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

  /** Returns the step that calls the route's action. If the route is inherited, the step calls the method of this class. */
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

  /**
   * Returns the inherited routes, then the class's own routes. An own route replaces an inherited route with the same HTTP
   * method and name.
   */
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

  /**
   * Adds a route after all others. If mounting the changed routes fails, throws that error and keeps the previous routes.
   * @throws FwError `controller.route-invalid`
   */
  add(route: unknown): void {
    this.#change([...this.#routes, this.#checkDeclared('added', route)])
  }

  /** Removes a route. Returns false if the set does not contain it. */
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

  invalid(key: string, why: string): FwError {
    return new FwError(
      'controller.route-invalid',
      `The route '${key}' of ${this.controllerClass.name} is invalid: ${why}.`,
    )
  }
}

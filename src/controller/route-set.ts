/** The routes of a controller object; they may change while the application runs. */
import { Registrations, type Ctor } from '../action.ts'
import { FwError } from '../base.ts'
import type { Route } from '../routing.ts'
import { DeclaredRoute } from './declared-route.ts'
import type { MountableController } from './mount-target.ts'
import type { ControllerDescription } from './route-description.ts'

/** What a controller object mounts. */
export class RouteSet implements MountableController {
  readonly controllerClass: Ctor
  readonly own: Registrations
  description: ControllerDescription = {}
  readonly #listeners = new Set<() => void>()
  readonly #keys: ReadonlyMap<unknown, string>
  #routes: readonly DeclaredRoute[]

  /** @throws FwError `controller.route-invalid` */
  constructor(controllerClass: Ctor, table: Readonly<Record<string, unknown>>) {
    this.controllerClass = controllerClass
    this.own = new Registrations(controllerClass.name)
    this.#routes = Object.entries(table).map(([key, route]) => this.#declared(key, route))
    this.#checkNames(this.#routes)
    this.#keys = new Map(Object.entries(table).map(([key, route]) => [route, key]))
  }

  keyOf(route: DeclaredRoute): string | undefined {
    return this.#keys.get(route)
  }

  /** @throws FwError `controller.route-invalid` for the name of no route */
  describe(description: ControllerDescription): void {
    const names = new Set(this.#routes.map(({ routeName }) => routeName))
    const unknown = Object.keys(description.routes ?? {}).find((name) => !names.has(name))
    if (unknown !== undefined)
      throw this.invalid(unknown, 'it is described, and no route has the name')
    this.description = description
  }

  get routes(): readonly DeclaredRoute[] {
    return this.#routes
  }

  watch(changed: () => void): () => void {
    this.#listeners.add(changed)
    return () => this.#listeners.delete(changed)
  }

  /** The last one declared. @throws FwError `controller.route-invalid`, and what mounting it throws; then it is not added */
  add(route: unknown): void {
    this.#change([...this.#routes, this.#declared('added', route)])
  }

  /** False when it is not there. */
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

  #declared(key: string, route: unknown): DeclaredRoute {
    if (route instanceof DeclaredRoute) return route
    throw this.invalid(key, 'it never got an action: r.get(pattern, action)')
  }

  #checkNames(routes: readonly DeclaredRoute[]): void {
    const named = new Map<string, string>()
    for (const { routeName, pattern, method } of routes) {
      if (routeName === undefined) continue
      const known = named.get(`${method} ${routeName}`)
      if (known !== undefined && known !== pattern)
        throw this.invalid(
          routeName,
          `the name '${routeName}' has another pattern already, '${known}': give one of them its own .as(…)`,
        )
      named.set(`${method} ${routeName}`, pattern)
    }
  }

  /** What tells of a route that cannot stand. */
  invalid(key: string, why: string): FwError {
    return new FwError(
      'controller.route-invalid',
      `The route '${key}' of ${this.controllerClass.name} cannot stand: ${why}.`,
    )
  }
}

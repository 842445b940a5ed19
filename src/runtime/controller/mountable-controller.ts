/** `MountableController`: a controller class with its routes, which can change while the application runs. */
import { Registrations, type Ctor, type FwContext, type Step } from '../action.ts'
import { didYouMean, FwError } from '../base.ts'
import { Pattern, Route, type RouteOptions } from '../routing.ts'
import { AsyncFwController, baseClasses } from './fw-controller.ts'
import type { ControllerDescription } from './route-description.ts'

/** A further pattern of a route, which matches only if the condition holds and no other route of the controller matches. */
interface RouteAlias {
  readonly matcher: Pattern
  readonly when: (ctx: FwContext) => boolean
}

type DeclaredOptions = RouteOptions & Pick<DeclaredRoute, 'action' | 'actionName' | 'also'>

/** A route with its action. Applications see only the type `Route`, which has no action. */
export class DeclaredRoute extends Route {
  readonly action: Step
  /** The name of the controller's method; undefined for an inline action. */
  readonly actionName: string | undefined
  /** Further patterns or regular expressions, all of which must match. */
  readonly also: readonly (Pattern | RegExp)[]
  readonly alias: RouteAlias | undefined

  constructor(
    method: string,
    matcher: Route['matcher'] | string,
    options: DeclaredOptions & { readonly alias?: RouteAlias | undefined },
  ) {
    super(method, matcher, options)
    this.action = options.action
    this.actionName = options.actionName
    this.also = options.also
    this.alias = options.alias
  }

  /** Returns a copy that also matches `pattern` where the condition holds. URLs and lists of routes do not contain it. */
  withAlias(pattern: string, when: RouteAlias['when']): DeclaredRoute {
    const alias = { matcher: new Pattern(pattern), when }
    return new DeclaredRoute(this.method, this.matcher, { ...this, alias })
  }

  override as<const Name extends string>(name: Name): Route<string, Name> {
    const renamed: Route = new DeclaredRoute(this.method, this.matcher, {
      ...this,
      routeName: name,
    })
    return renamed as Route<string, Name>
  }
}

/** An application to which controllers can be mounted. Routes of a controller mounted earlier take precedence. */
export interface MountTarget {
  /** @param prefix the text before all paths: `/admin`, `/admin/` and `/admin/*` are the same; `''` for none */
  addController(controller: MountableController, prefix: string): void
}

function methodNames(prototype: object): string[] {
  const names: string[] = []
  for (let at = prototype; at !== Object.prototype; at = Object.getPrototypeOf(at)) {
    names.push(...Object.getOwnPropertyNames(at))
  }
  return names
}

/** The names of members that traits add to controllers; `AsyncFwController` itself lacks them. */
const traitMembers = ['bearer', 'fileParams', 'fwSession', 'transaction']

let frameworkMembers: ReadonlySet<string> | undefined

/** Returns the names that an action cannot have, because they are members of controllers. */
const reservedNames = (): ReadonlySet<string> =>
  (frameworkMembers ??= new Set([
    ...methodNames(AsyncFwController.prototype),
    ...traitMembers,
    'ctx',
  ]))

/** Creates the step of an action. @throws FwError `controller.unknown-action`, `controller.action-name-taken` */
export function actionStep(controllerClass: Ctor, action: string): Step {
  if (reservedNames().has(action))
    throw new FwError(
      'controller.action-name-taken',
      `${controllerClass.name} has an action named '${action}', which is a member of every controller: give the action another name.`,
    )
  const method: unknown = (controllerClass.prototype as Record<string, unknown>)[action]
  if (typeof method === 'function') {
    return function (_controller, ctx) {
      return (method as (ctx: FwContext) => unknown).call(this, ctx)
    }
  }
  const near = didYouMean(action, methodNames(controllerClass.prototype as object))
  throw new FwError(
    'controller.unknown-action',
    `${controllerClass.name} has no method '${action}' for its route.${near === undefined ? '' : ` Did you mean '${near}'?`}`,
  )
}

const nameOf = ({ method, routeName }: DeclaredRoute): string => `${method} ${routeName}`

const controllersByClass = new WeakMap<object, readonly MountableController[]>()

function controllersOfBases(controllerClass: Ctor): readonly MountableController[] {
  const found: MountableController[] = []
  let base: object | null = Object.getPrototypeOf(controllerClass)
  for (; base !== null && !baseClasses.has(base); base = Object.getPrototypeOf(base))
    found.unshift(...(controllersByClass.get(base) ?? []))
  return found
}

/** A controller class with its routes, and the filters that were added to the object of its routes. */
export class MountableController {
  readonly controllerClass: Ctor
  readonly registrations: Registrations
  /** The description that the last call of `describe` has set. */
  description: ControllerDescription = {}
  readonly #listeners = new Set<() => void>()
  readonly #keys: ReadonlyMap<unknown, string>
  /** The controllers of the base classes, those of the most general class first. */
  readonly #bases: readonly MountableController[]
  #routes: readonly DeclaredRoute[]

  /** @throws FwError `controller.route-invalid` */
  constructor(controllerClass: Ctor, table: Readonly<Record<string, unknown>>) {
    this.controllerClass = controllerClass
    this.#bases = controllersOfBases(controllerClass)
    this.registrations = new Registrations(controllerClass.name)
    this.#routes = Object.entries(table).map(([key, route]) => this.#checkDeclared(key, route))
    this.#checkNames(this.#routes)
    this.#keys = new Map(Object.entries(table).map(([key, route]) => [route, key]))
    controllersByClass.set(controllerClass, [
      ...(controllersByClass.get(controllerClass) ?? []),
      this,
    ])
  }

  /** Returns the key of the route in the routes object; undefined for a route that was added later. */
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

  /** The inherited routes, then the own ones. An own route replaces an inherited one of the same HTTP method and name. */
  get routes(): readonly DeclaredRoute[] {
    const own = new Set(this.#routes.map(nameOf))
    const inherited = this.#bases
      .flatMap((base) => base.#routes)
      .filter((route) => route.routeName === undefined || !own.has(nameOf(route)))
    return [...inherited, ...this.#routes]
  }

  /** Calls `changed` after each change of the routes. Returns a function that stops these calls. */
  watch(changed: () => void): () => void {
    const all = [this, ...this.#bases]
    for (const one of all) one.#listeners.add(changed)
    return () => {
      for (const one of all) one.#listeners.delete(changed)
    }
  }

  /** Adds a route after all others. If it is invalid or cannot be mounted, throws and keeps the previous routes. */
  add(route: unknown): void {
    this.#change([...this.#routes, this.#checkDeclared('added', route)])
  }

  /** Removes a route that this controller itself has added. Returns false if it has not added this route. */
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

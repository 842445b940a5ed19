/** The default routes of a resource, whose types include the resource's path. */
import type { Ctor, FwContext } from '../action.ts'
import { FwError } from '../base.ts'
import {
  routes,
  type ControllerObject,
  type DeclaredRoute,
  type FwApiController,
  type FwController,
  type RouteBuilder,
} from '../controller.ts'
import type { Route } from '../routing.ts'
import type { ReadOnlyApiResourceActions, ResourceController } from './resource-controller.ts'
import { traitOptions } from './resource-options.ts'

/** An instance of a class that `FwApiResource` created. */
type ApiResourceInstance = FwApiController &
  Omit<ReadOnlyApiResourceActions<object, never>, 'records'> & {
    readonly resourcesName: string
    readonly resourcesBasePathPrefix: string
  }

/** An instance of a class that `FwResource` created. */
type ResourceInstance = FwController & ApiResourceInstance

type BasePath<C extends ApiResourceInstance> =
  `${C['resourcesBasePathPrefix']}/${C['resourcesName']}`

/**
 * The default routes that end in `.json` or `.xml`, for API clients: each route's key in the controller object, its name,
 * method and action, and its path after the resource's path. Those of a class without pages also match without the suffix.
 * @spec Default FwResource routes
 */
const apiRoutes = [
  ['indexApiUrl', 'indexApi', 'get', 'showResources', '.:format'],
  ['createApiUrl', 'createApi', 'post', 'createResource', '.:format'],
  ['showApiUrl', 'showApi', 'get', 'showResource', '/:id.:format'],
  ['updatePostApiUrl', 'updateApi', 'post', 'updateResource', '/:id.:format'],
  ['updatePutApiUrl', 'updateApi', 'put', 'updateResource', '/:id.:format'],
  ['updatePatchApiUrl', 'updateApi', 'patch', 'updateResource', '/:id.:format'],
  ['destroyApiUrl', 'destroyApi', 'delete', 'destroyResource', '/:id.:format'],
] as const

/** @spec Default FwResource routes */
const pageRoutes = [
  ['indexUrl', 'index', 'get', 'showResources', '/?'],
  ['newUrl', 'new', 'get', 'newResource', '/new'],
  ['createUrl', 'create', 'post', 'createResource', '/?'],
  ['showUrl', 'show', 'get', 'showResource', '/:id'],
  ['editUrl', 'edit', 'get', 'editResource', '/:id/edit'],
  ['updatePostUrl', 'update', 'post', 'updateResource', '/:id'],
  ['updateUrl', 'update', 'put', 'updateResource', '/:id'],
  ['updatePatchUrl', 'update', 'patch', 'updateResource', '/:id'],
  ['destroyUrl', 'destroy', 'delete', 'destroyResource', '/:id'],
] as const

type ApiRow = (typeof apiRoutes)[number]
type PageRow = (typeof pageRoutes)[number]
type Method = 'get' | 'post' | 'put' | 'patch' | 'delete'
type RouteRow = readonly [key: string, name: string, method: Method, action: string, path: string]

/** The routes of some rows, by key, for a resource with the path `B`. */
type RoutesOf<Row extends RouteRow, B extends string> = {
  readonly [R in Row as R[0]]: Route<`${B}${R[4]}`, R[1], Uppercase<R[2]>, R[3]>
}
/** The default routes that end in `.json` or `.xml`, for API clients. @spec Default FwResource routes */
export type ApiResourceRoutes<B extends string> = RoutesOf<ApiRow, B>
/** All default routes of a resource. @spec Default FwResource routes */
export type ResourceRoutes<B extends string> = RoutesOf<ApiRow | PageRow, B>

type ApiRouteName = ApiRow[1]
type RouteName = (ApiRow | PageRow)[1]

/**
 * The names of the routes that a resource has. A resource without writes only reads; a resource without a primary key only
 * lists.
 */
type NameOf<C, Name extends RouteName> = C extends { createResource(): unknown }
  ? Name
  : C extends { findResource(id: infer Id): unknown }
    ? Extract<Name, 'index' | 'indexApi' | ([Id] extends [never] ? never : 'show' | 'showApi')>
    : never

/** Selects default routes by name; selects all by default. */
export interface ResourceRouteOptions<O extends string, E extends string> {
  readonly only?: readonly O[]
  readonly except?: readonly E[]
}

/** The routes of the interface `R` that `only` and `except` select. */
type ChosenRoutes<R, O extends string, E extends string> = {
  readonly [
    K in keyof R as R[K] extends Route<string, infer Name>
      ? Name extends Exclude<O, E>
        ? K
        : never
      : never
  ]: Extract<R[K], Route>
}

/** Whether the resource has the route: its class needs the action, and routes with an id need a model with a primary key. */
function hasAction(controller: ResourceController, [, , , action, path]: RouteRow): boolean {
  const { columns, primaryKey } = controller.model
  const isKeyless =
    columns !== undefined && primaryKey !== undefined && !Object.hasOwn(columns, primaryKey)
  return action in controller && !(isKeyless && path.includes(':id'))
}

function chooseRoutes(
  rows: readonly RouteRow[],
  { only, except = [] }: ResourceRouteOptions<string, string>,
): readonly RouteRow[] {
  const names = new Set(rows.map(([, name]) => name))
  const unknown = [...(only ?? []), ...except].find((name) => !names.has(name))
  if (unknown === undefined)
    return rows.filter(([, name]) => only?.includes(name) !== false && !except.includes(name))
  throw new FwError(
    'resource.option-invalid',
    `only or except names the route '${unknown}', which the resource does not have. Its routes: ${[...names].join(', ')}.`,
  )
}

/** Creates the routes that the class supports and the options select. The caller gives their type. */
function defaultRoutes<R>(
  r: unknown,
  controllerClass: Ctor<ApiResourceInstance>,
  options: ResourceRouteOptions<string, string>,
  rows: readonly RouteRow[],
): R {
  const controller = controllerClass.prototype as unknown as ResourceController
  const base = `${controller.resourcesBasePathPrefix}/${controller.resourcesName}`
  const { hasPages } = controller[traitOptions]
  type Create = (path: string, action: string) => DeclaredRoute
  const builder = r as Record<Method, Create>
  const chosen = chooseRoutes(
    rows.filter((row) => hasAction(controller, row)),
    options,
  )
  return Object.fromEntries(
    chosen.map(([key, name, method, action, path]) => {
      const route = builder[method](base + path, action).as(name) as DeclaredRoute
      return [key, hasPages ? route : route.withAlias(base + withoutSuffix(path), isForProgram)]
    }),
  ) as R
}

const withoutSuffix = (path: string): string => path.replace('.:format', '')

/** Leaves a request for HTML to a page with the same path. */
const isForProgram = (ctx: FwContext): boolean => ctx.errorFormat !== 'html'

/**
 * Creates the default routes of a resource, or those that `only` and `except` select, to combine with other routes:
 * `routes(MembersController, (r) => ({ ...FwResourceRoutes(r, MembersController), archiveUrl: r.post(…) }))`.
 * @throws FwError `resource.option-invalid`
 * @spec Base building blocks › FwResourceRoutes
 */
export function FwResourceRoutes<
  C extends ResourceInstance,
  const O extends NameOf<C, RouteName> = NameOf<C, RouteName>,
  const E extends NameOf<C, RouteName> = never,
>(
  r: RouteBuilder<C>,
  controllerClass: Ctor<C>,
  options: ResourceRouteOptions<O, E> = {},
): ChosenRoutes<ResourceRoutes<BasePath<C>>, O, E> {
  return defaultRoutes(r, controllerClass, options, [...pageRoutes, ...apiRoutes])
}

/**
 * Creates only the default routes that end in `.json` or `.xml`, to combine with other routes. The suffix is optional for a class
 * without pages: `Accept` then selects the format.
 * @spec Base building blocks › FwResourceRoutes
 */
export function FwApiResourceRoutes<
  C extends ApiResourceInstance,
  const O extends NameOf<C, ApiRouteName> = NameOf<C, ApiRouteName>,
  const E extends NameOf<C, ApiRouteName> = never,
>(
  r: RouteBuilder<C>,
  controllerClass: Ctor<C>,
  options: ResourceRouteOptions<O, E> = {},
): ChosenRoutes<ApiResourceRoutes<BasePath<C>>, O, E> {
  return defaultRoutes(r, controllerClass, options, apiRoutes)
}

/**
 * Creates the controller object of a resource, with all default routes, or those that `only` and `except` select.
 * @throws FwError `controller.route-invalid`, `resource.option-invalid`
 * @spec Default FwResource routes
 */
export function resource<
  C extends ResourceInstance,
  const O extends NameOf<C, RouteName> = NameOf<C, RouteName>,
  const E extends NameOf<C, RouteName> = never,
>(
  controllerClass: Ctor<C>,
  options: ResourceRouteOptions<O, E> = {},
): ControllerObject<C, ChosenRoutes<ResourceRoutes<BasePath<C>>, O, E>> {
  return routes(controllerClass, (r) => FwResourceRoutes(r, controllerClass, options))
}

/** Creates the controller object of a resource, with only the default routes that end in `.json` or `.xml`. */
export function apiResource<
  C extends ApiResourceInstance,
  const O extends NameOf<C, ApiRouteName> = NameOf<C, ApiRouteName>,
  const E extends NameOf<C, ApiRouteName> = never,
>(
  controllerClass: Ctor<C>,
  options: ResourceRouteOptions<O, E> = {},
): ControllerObject<C, ChosenRoutes<ApiResourceRoutes<BasePath<C>>, O, E>> {
  return routes(controllerClass, (r) => FwApiResourceRoutes(r, controllerClass, options))
}

/** The default routes of a resource; their types have its path. */
import type { Ctor } from '../action.ts'
import { FwError } from '../base.ts'
import {
  routes,
  type ControllerObject,
  type FwApiController,
  type FwController,
  type RouteBuilder,
} from '../controller.ts'
import type { Route } from '../routing.ts'
import type { ApiResourceActions, ResourceActions } from './resource-controller.ts'

/**
 * The default routes that end in `.json` or `.xml`, for API clients.
 * @spec Default FwResource routes
 */
export interface ApiResourceRoutes<B extends string> {
  readonly indexApiUrl: Route<`${B}.:format`, 'indexApi', 'GET', 'showResources'>
  readonly createApiUrl: Route<`${B}.:format`, 'createApi', 'POST', 'createResource'>
  readonly showApiUrl: Route<`${B}/:id.:format`, 'showApi', 'GET', 'showResource'>
  readonly updatePostApiUrl: Route<`${B}/:id.:format`, 'updateApi', 'POST', 'updateResource'>
  readonly updatePutApiUrl: Route<`${B}/:id.:format`, 'updateApi', 'PUT', 'updateResource'>
  readonly updatePatchApiUrl: Route<`${B}/:id.:format`, 'updateApi', 'PATCH', 'updateResource'>
  readonly destroyApiUrl: Route<`${B}/:id.:format`, 'destroyApi', 'DELETE', 'destroyResource'>
}

/**
 * All default routes.
 * @spec Default FwResource routes
 */
export interface ResourceRoutes<B extends string> extends ApiResourceRoutes<B> {
  readonly indexUrl: Route<`${B}/?`, 'index', 'GET', 'showResources'>
  readonly newUrl: Route<`${B}/new`, 'new', 'GET', 'newResource'>
  readonly createUrl: Route<`${B}/?`, 'create', 'POST', 'createResource'>
  readonly showUrl: Route<`${B}/:id`, 'show', 'GET', 'showResource'>
  readonly editUrl: Route<`${B}/:id/edit`, 'edit', 'GET', 'editResource'>
  readonly updatePostUrl: Route<`${B}/:id`, 'update', 'POST', 'updateResource'>
  readonly updateUrl: Route<`${B}/:id`, 'update', 'PUT', 'updateResource'>
  readonly updatePatchUrl: Route<`${B}/:id`, 'update', 'PATCH', 'updateResource'>
  readonly destroyUrl: Route<`${B}/:id`, 'destroy', 'DELETE', 'destroyResource'>
}

/** An instance of a class that `FwApiResource` has made. */
type ApiResourceInstance = FwApiController &
  ApiResourceActions<object, unknown> & {
    readonly resourcesName: string
    readonly resourcesBasePathPrefix: string
  }

/** An instance of a class that `FwResource` has made. */
type ResourceInstance = FwController & ApiResourceInstance & ResourceActions<object, unknown>

type BasePath<C extends ApiResourceInstance> =
  `${C['resourcesBasePathPrefix']}/${C['resourcesName']}`

type Builder = RouteBuilder<ResourceInstance>

function apiRoutes(r: Builder, base: string): Readonly<Record<string, Route>> {
  const list = `${base}.:format`
  const one = `${base}/:id.:format`
  return {
    indexApiUrl: r.get(list, 'showResources').as('indexApi'),
    createApiUrl: r.post(list, 'createResource').as('createApi'),
    showApiUrl: r.get(one, 'showResource').as('showApi'),
    updatePostApiUrl: r.post(one, 'updateResource').as('updateApi'),
    updatePutApiUrl: r.put(one, 'updateResource').as('updateApi'),
    updatePatchApiUrl: r.patch(one, 'updateResource').as('updateApi'),
    destroyApiUrl: r.delete(one, 'destroyResource').as('destroyApi'),
  }
}

function pageRoutes(r: Builder, base: string): Readonly<Record<string, Route>> {
  const list = `${base}/?`
  const one = `${base}/:id`
  return {
    indexUrl: r.get(list, 'showResources').as('index'),
    newUrl: r.get(`${base}/new`, 'newResource').as('new'),
    createUrl: r.post(list, 'createResource').as('create'),
    showUrl: r.get(one, 'showResource').as('show'),
    editUrl: r.get(`${one}/edit`, 'editResource').as('edit'),
    updatePostUrl: r.post(one, 'updateResource').as('update'),
    updateUrl: r.put(one, 'updateResource').as('update'),
    updatePatchUrl: r.patch(one, 'updateResource').as('update'),
    destroyUrl: r.delete(one, 'destroyResource').as('destroy'),
  }
}

/** The names of the default routes that end in `.json` or `.xml`. */
type ApiRouteName = 'indexApi' | 'createApi' | 'showApi' | 'updateApi' | 'destroyApi'
/** The names of all default routes. */
type RouteName = ApiRouteName | 'index' | 'new' | 'create' | 'show' | 'edit' | 'update' | 'destroy'

/** Selects default routes by name; default all. */
export interface ResourceRouteOptions<O extends string, E extends string> {
  readonly only?: readonly O[]
  readonly except?: readonly E[]
}

/** The routes of the table `R` that `only` and `except` leave. */
type ChosenRoutes<R, O extends string, E extends string> = {
  readonly [
    K in keyof R as string extends K
      ? never
      : R[K] extends Route<string, infer Name>
        ? Name extends Exclude<O, E>
          ? K
          : never
        : never
  ]: Extract<R[K], Route>
}

function chooseRoutes(
  table: Readonly<Record<string, Route>>,
  { only, except = [] }: ResourceRouteOptions<string, string>,
): Readonly<Record<string, Route>> {
  const nameOf = (route: Route): string => route.routeName ?? ''
  const names = new Set(Object.values(table).map(nameOf))
  const unknown = [...(only ?? []), ...except].find((name) => !names.has(name))
  if (unknown !== undefined) throw unknownRoute(unknown, names)
  const isChosen = (name: string) => only?.includes(name) !== false && !except.includes(name)
  return Object.fromEntries(Object.entries(table).filter(([, route]) => isChosen(nameOf(route))))
}

function unknownRoute(name: string, names: ReadonlySet<string>): FwError {
  return new FwError(
    'resource.option-invalid',
    `only or except names the route '${name}', which the resource does not have. Its routes: ${[...names].join(', ')}.`,
  )
}

/** The routes of the tables that the options leave; the caller has their type. */
function defaultRoutes<R>(
  r: unknown,
  controllerClass: Ctor<ApiResourceInstance>,
  options: ResourceRouteOptions<string, string>,
  tables: readonly (typeof apiRoutes)[],
): R {
  const { resourcesBasePathPrefix, resourcesName } =
    controllerClass.prototype as ApiResourceInstance
  const all = tables.map((table) =>
    table(r as Builder, `${resourcesBasePathPrefix}/${resourcesName}`),
  )
  return chooseRoutes(Object.assign({}, ...all) as (typeof all)[number], options) as R
}

/**
 * The default routes of a resource, or those that `only` and `except` leave, to combine with own routes:
 * `routes(MembersController, (r) => ({ ...FwResourceRoutes(r, MembersController), archiveUrl: r.post(…) }))`.
 * @throws FwError `resource.option-invalid`
 * @spec Base building blocks › FwResourceRoutes
 */
export function FwResourceRoutes<
  C extends ResourceInstance,
  const O extends RouteName = RouteName,
  const E extends RouteName = never,
>(
  r: RouteBuilder<C>,
  controllerClass: Ctor<C>,
  options: ResourceRouteOptions<O, E> = {},
): ChosenRoutes<ResourceRoutes<BasePath<C>>, O, E> {
  return defaultRoutes(r, controllerClass, options, [pageRoutes, apiRoutes])
}

/**
 * As `FwResourceRoutes`, with only the routes that end in `.json` or `.xml`. @spec Base building blocks ›
 * FwResourceRoutes
 */
export function FwApiResourceRoutes<
  C extends ApiResourceInstance,
  const O extends ApiRouteName = ApiRouteName,
  const E extends ApiRouteName = never,
>(
  r: RouteBuilder<C>,
  controllerClass: Ctor<C>,
  options: ResourceRouteOptions<O, E> = {},
): ChosenRoutes<ApiResourceRoutes<BasePath<C>>, O, E> {
  return defaultRoutes(r, controllerClass, options, [apiRoutes])
}

/**
 * The controller object of a resource, with all default routes, or those that `only` and `except` leave.
 * @throws FwError `controller.route-invalid`, `resource.option-invalid`
 * @spec Default FwResource routes
 */
export function resource<
  C extends ResourceInstance,
  const O extends RouteName = RouteName,
  const E extends RouteName = never,
>(
  controllerClass: Ctor<C>,
  options: ResourceRouteOptions<O, E> = {},
): ControllerObject<C, ChosenRoutes<ResourceRoutes<BasePath<C>>, O, E>> {
  return routes(controllerClass, (r) => FwResourceRoutes(r, controllerClass, options))
}

/** As `resource`, with only the routes that end in `.json` or `.xml`. */
export function apiResource<
  C extends ApiResourceInstance,
  const O extends ApiRouteName = ApiRouteName,
  const E extends ApiRouteName = never,
>(
  controllerClass: Ctor<C>,
  options: ResourceRouteOptions<O, E> = {},
): ControllerObject<C, ChosenRoutes<ApiResourceRoutes<BasePath<C>>, O, E>> {
  return routes(controllerClass, (r) => FwApiResourceRoutes(r, controllerClass, options))
}

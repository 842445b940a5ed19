/** The default routes of a resource, typed by its name. */
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
import type { ApiResourceActions, ResourceActions } from './resource-actions.ts'

/**
 * The rows with a suffix, which a program uses.
 * @spec Default FwResource routes
 */
export interface ApiResourceRoutes<B extends string> {
  readonly indexApiUrl: Route<`${B}.:format`, 'indexApi'>
  readonly createApiUrl: Route<`${B}.:format`, 'createApi'>
  readonly showApiUrl: Route<`${B}/:id.:format`, 'showApi'>
  readonly updatePostApiUrl: Route<`${B}/:id.:format`, 'updateApi'>
  readonly updatePutApiUrl: Route<`${B}/:id.:format`, 'updateApi'>
  readonly updatePatchApiUrl: Route<`${B}/:id.:format`, 'updateApi'>
  readonly destroyApiUrl: Route<`${B}/:id.:format`, 'destroyApi'>
}

/**
 * All default routes.
 * @spec Default FwResource routes
 */
export interface ResourceRoutes<B extends string> extends ApiResourceRoutes<B> {
  readonly indexUrl: Route<`${B}/?`, 'index'>
  readonly newUrl: Route<`${B}/new`, 'new'>
  readonly createUrl: Route<`${B}/?`, 'create'>
  readonly showUrl: Route<`${B}/:id`, 'show'>
  readonly editUrl: Route<`${B}/:id/edit`, 'edit'>
  readonly updatePostUrl: Route<`${B}/:id`, 'update'>
  readonly updateUrl: Route<`${B}/:id`, 'update'>
  readonly updatePatchUrl: Route<`${B}/:id`, 'update'>
  readonly destroyUrl: Route<`${B}/:id`, 'destroy'>
}

/** A controller that `FwResource` made. */
type ResourceController = FwController & ResourceActions<object, unknown> & Named<string, string>

interface Named<N extends string, P extends string> {
  readonly resourcesName: N
  readonly resourcesBasePathPrefix: P
}

type Builder = RouteBuilder<ResourceController>

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

function basePathOf(controllerClass: Ctor): string {
  const { resourcesBasePathPrefix, resourcesName } = controllerClass.prototype as Named<
    string,
    string
  >
  return `${resourcesBasePathPrefix}/${resourcesName}`
}

/** The names of the default routes with a suffix, and of all of them. */
type ApiRouteName = 'indexApi' | 'createApi' | 'showApi' | 'updateApi' | 'destroyApi'
type RouteName = ApiRouteName | 'index' | 'new' | 'create' | 'show' | 'edit' | 'update' | 'destroy'

/** Which of the default routes a resource has, by their names; all of them unless given. */
export interface ResourceRouteOptions<O extends string, E extends string> {
  readonly only?: readonly O[]
  readonly except?: readonly E[]
}

/** The routes whose names are left. */
type Chosen<R, N extends string> = {
  readonly [
    K in keyof R as string extends K
      ? never
      : R[K] extends Route<string, infer Own>
        ? Own extends N
          ? K
          : never
        : never
  ]: R[K] & Route
}

function chosen(
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
    `The resource has no route '${name}' that only or except could choose: ${[...names].join(', ')}.`,
  )
}

/** What the tables have, in their order, and the options leave; the caller knows its type. */
function defaultRoutes<R>(
  r: unknown,
  controllerClass: Ctor,
  options: ResourceRouteOptions<string, string>,
  tables: readonly (typeof apiRoutes)[],
): R {
  const base = basePathOf(controllerClass)
  const all = tables.map((table) => table(r as Builder, base))
  return chosen(Object.assign({}, ...all) as (typeof all)[number], options) as R
}

/** A class of which the routes can be told: its names, and the actions of its routes. */
type ResourceClass<C, N extends string, P extends string> = Ctor<C> & Ctor<Named<N, P>>

type TypedRoutes<N extends string, P extends string, K extends string> = Chosen<
  ResourceRoutes<`${P}/${N}`>,
  K
>

type TypedApiRoutes<N extends string, P extends string, K extends string> = Chosen<
  ApiResourceRoutes<`${P}/${N}`>,
  K
>

/**
 * The default routes of a resource, or those that `only` and `except` leave, to stand among routes of one's own:
 * `routes(MembersController, (r) => ({ ...FwResourceRoutes(r, MembersController), archiveUrl: r.post(…) }))`.
 * @throws FwError `resource.option-invalid`
 * @spec Base building blocks › FwResourceRoutes
 */
export function FwResourceRoutes<
  N extends string,
  P extends string,
  C extends FwController & ResourceActions<object, unknown>,
  const O extends RouteName = RouteName,
  const E extends RouteName = never,
>(
  r: RouteBuilder<C>,
  controllerClass: ResourceClass<C, N, P>,
  options: ResourceRouteOptions<O, E> = {},
): TypedRoutes<N, P, Exclude<O, E>> {
  return defaultRoutes(r, controllerClass, options, [pageRoutes, apiRoutes])
}

/** As `FwResourceRoutes`, those with a suffix only. @spec Base building blocks › FwResourceRoutes */
export function FwApiResourceRoutes<
  N extends string,
  P extends string,
  C extends FwApiController & ApiResourceActions<object, unknown>,
  const O extends ApiRouteName = ApiRouteName,
  const E extends ApiRouteName = never,
>(
  r: RouteBuilder<C>,
  controllerClass: ResourceClass<C, N, P>,
  options: ResourceRouteOptions<O, E> = {},
): TypedApiRoutes<N, P, Exclude<O, E>> {
  return defaultRoutes(r, controllerClass, options, [apiRoutes])
}

/**
 * The controller object of a resource, with all default routes, or those that `only` and `except` leave.
 * @throws FwError `controller.route-invalid`, `resource.option-invalid`
 * @spec Default FwResource routes
 */
export function resource<
  N extends string,
  P extends string,
  C extends FwController & ResourceActions<object, unknown>,
  const O extends RouteName = RouteName,
  const E extends RouteName = never,
>(
  controllerClass: ResourceClass<C, N, P>,
  options: ResourceRouteOptions<O, E> = {},
): ControllerObject<C, TypedRoutes<N, P, Exclude<O, E>>> {
  return routes(controllerClass, (r) => FwResourceRoutes(r, controllerClass, options))
}

/** As `resource`, with the suffixed routes only. */
export function apiResource<
  N extends string,
  P extends string,
  C extends FwApiController & ApiResourceActions<object, unknown>,
  const O extends ApiRouteName = ApiRouteName,
  const E extends ApiRouteName = never,
>(
  controllerClass: ResourceClass<C, N, P>,
  options: ResourceRouteOptions<O, E> = {},
): ControllerObject<C, TypedApiRoutes<N, P, Exclude<O, E>>> {
  return routes(controllerClass, (r) => FwApiResourceRoutes(r, controllerClass, options))
}

/** The default routes of a resource, typed by its name. */
import type { Ctor } from '../action.ts'
import {
  routes,
  type ControllerObject,
  type FwController,
  type RouteBuilder,
} from '../controller.ts'
import type { Route } from '../routing.ts'
import type { ResourceActions } from './resource-actions.ts'

/**
 * The rows with a suffix, which a program uses.
 * @spec Default FwResource routes
 */
export interface ApiResourceRoutes<N extends string> extends Readonly<Record<string, Route>> {
  readonly indexApiUrl: Route<`/${N}.:format`, 'indexApi'>
  readonly createApiUrl: Route<`/${N}.:format`, 'createApi'>
  readonly showApiUrl: Route<`/${N}/:id.:format`, 'showApi'>
  readonly updatePostApiUrl: Route<`/${N}/:id.:format`, 'updateApi'>
  readonly updatePutApiUrl: Route<`/${N}/:id.:format`, 'updateApi'>
  readonly updatePatchApiUrl: Route<`/${N}/:id.:format`, 'updateApi'>
  readonly destroyApiUrl: Route<`/${N}/:id.:format`, 'destroyApi'>
}

/**
 * All default routes.
 * @spec Default FwResource routes
 */
export interface ResourceRoutes<N extends string> extends ApiResourceRoutes<N> {
  readonly indexUrl: Route<`/${N}/?`, 'index'>
  readonly newUrl: Route<`/${N}/new`, 'new'>
  readonly createUrl: Route<`/${N}/?`, 'create'>
  readonly showUrl: Route<`/${N}/:id`, 'show'>
  readonly editUrl: Route<`/${N}/:id/edit`, 'edit'>
  readonly updatePostUrl: Route<`/${N}/:id`, 'update'>
  readonly updateUrl: Route<`/${N}/:id`, 'update'>
  readonly updatePatchUrl: Route<`/${N}/:id`, 'update'>
  readonly destroyUrl: Route<`/${N}/:id`, 'destroy'>
}

/** A controller that `FwResource` made. */
type ResourceController<N extends string> = FwController &
  ResourceActions<object, unknown> & { readonly resourcesName: N }

type Builder = RouteBuilder<ResourceController<string>>

function apiRoutes(r: Builder, name: string): Readonly<Record<string, Route>> {
  const list = `/${name}.:format`
  const one = `/${name}/:id.:format`
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

function pageRoutes(r: Builder, name: string): Readonly<Record<string, Route>> {
  const list = `/${name}/?`
  const one = `/${name}/:id`
  return {
    indexUrl: r.get(list, 'showResources').as('index'),
    newUrl: r.get(`/${name}/new`, 'newResource').as('new'),
    createUrl: r.post(list, 'createResource').as('create'),
    showUrl: r.get(one, 'showResource').as('show'),
    editUrl: r.get(`${one}/edit`, 'editResource').as('edit'),
    updatePostUrl: r.post(one, 'updateResource').as('update'),
    updateUrl: r.put(one, 'updateResource').as('update'),
    updatePatchUrl: r.patch(one, 'updateResource').as('update'),
    destroyUrl: r.delete(one, 'destroyResource').as('destroy'),
  }
}

const nameOf = (controllerClass: Ctor<ResourceController<string>>): string =>
  (controllerClass.prototype as ResourceController<string>).resourcesName

/**
 * The controller object of a resource, with all default routes.
 * @throws FwError `controller.route-invalid`
 * @spec Default FwResource routes
 */
export function resource<N extends string, C extends ResourceController<N>>(
  controllerClass: Ctor<C> & Ctor<{ readonly resourcesName: N }>,
): ControllerObject<C, ResourceRoutes<N>> {
  const anyClass = controllerClass as unknown as Ctor<ResourceController<string>>
  const name = nameOf(anyClass)
  return routes(anyClass, (r) => ({
    ...pageRoutes(r, name),
    ...apiRoutes(r, name),
  })) as unknown as ControllerObject<C, ResourceRoutes<N>>
}

/** As `resource`, with the suffixed routes only. */
export function apiResource<N extends string, C extends ResourceController<N>>(
  controllerClass: Ctor<C> & Ctor<{ readonly resourcesName: N }>,
): ControllerObject<C, ApiResourceRoutes<N>> {
  const anyClass = controllerClass as unknown as Ctor<ResourceController<string>>
  return routes(anyClass, (r) => apiRoutes(r, nameOf(anyClass))) as unknown as ControllerObject<
    C,
    ApiResourceRoutes<N>
  >
}

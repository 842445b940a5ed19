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
export interface ApiResourceRoutes<B extends string> extends Readonly<Record<string, Route>> {
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

function basePathOf(controllerClass: Ctor<ResourceController>): string {
  const { resourcesBasePathPrefix, resourcesName } = controllerClass.prototype as ResourceController
  return `${resourcesBasePathPrefix}/${resourcesName}`
}

/**
 * The controller object of a resource, with all default routes.
 * @throws FwError `controller.route-invalid`
 * @spec Default FwResource routes
 */
export function resource<
  N extends string,
  P extends string,
  C extends FwController & ResourceActions<object, unknown>,
>(controllerClass: Ctor<C> & Ctor<Named<N, P>>): ControllerObject<C, ResourceRoutes<`${P}/${N}`>> {
  const anyClass = controllerClass as unknown as Ctor<ResourceController>
  const base = basePathOf(anyClass)
  return routes(anyClass, (r) => ({
    ...pageRoutes(r, base),
    ...apiRoutes(r, base),
  })) as unknown as ControllerObject<C, ResourceRoutes<`${P}/${N}`>>
}

/** As `resource`, with the suffixed routes only. */
export function apiResource<
  N extends string,
  P extends string,
  C extends FwController & ResourceActions<object, unknown>,
>(
  controllerClass: Ctor<C> & Ctor<Named<N, P>>,
): ControllerObject<C, ApiResourceRoutes<`${P}/${N}`>> {
  const anyClass = controllerClass as unknown as Ctor<ResourceController>
  const base = basePathOf(anyClass)
  return routes(anyClass, (r) => apiRoutes(r, base)) as unknown as ControllerObject<
    C,
    ApiResourceRoutes<`${P}/${N}`>
  >
}

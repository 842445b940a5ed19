/** resource: default REST routes and actions of FwResource. */
export { FwResource } from './resource/fw-resource.ts'
export type { Resource } from './resource/fw-resource.ts'
export type { ResourceActions } from './resource/resource-actions.ts'
export type { ResourceOptions } from './resource/resource-options.ts'
export { apiResource, resource } from './resource/resource-routes.ts'
export type {
  ApiResourceRoutes,
  ResourceRouteOptions,
  ResourceRoutes,
} from './resource/resource-routes.ts'

/** resource: default REST routes and actions of FwResource. */
export { describeResource } from './resource/describe-resource.ts'
export type { DescribedResourceRoute } from './resource/describe-resource.ts'
export type { SentToResource } from './resource/resource-teller.ts'
export { FwApiResource, FwApiResourceServlet } from './resource/fw-api-resource.ts'
export type { ApiControllerClass, ApiResource } from './resource/fw-api-resource.ts'
export { FwResource, FwResourceActions, FwResourceServlet } from './resource/fw-resource.ts'
export type { Resource } from './resource/fw-resource.ts'
export type { ApiResourceActions, ResourceActions } from './resource/resource-actions.ts'
export type { ResourceOptions, ResourceParent } from './resource/resource-options.ts'
export {
  apiResource,
  FwApiResourceRoutes,
  FwResourceRoutes,
  resource,
} from './resource/resource-routes.ts'
export type {
  ApiResourceRoutes,
  ResourceRouteOptions,
  ResourceRoutes,
} from './resource/resource-routes.ts'

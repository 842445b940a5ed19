/** resource: FwResource, with the default routes and actions of a REST resource. */
export {
  FwApiResource,
  FwApiResourceServlet,
  FwResource,
  FwResourceActions,
  FwResourceServlet,
} from './resource/fw-resource.ts'
export type { EntityFormat } from './resource/entity-body.ts'
export { maxSearchLength, type ResourceList } from './resource/key-list.ts'
export type { ResourceController } from './resource/resource-controller.ts'
export { listParameters, traitOptions } from './resource/resource-options.ts'
export type {
  PageByKey,
  ResolvedParent,
  ResourceOptions,
  ResourceParent,
} from './resource/resource-options.ts'
export { programTypes } from './resource/resource-request.ts'
export {
  apiResource,
  FwApiResourceRoutes,
  FwResourceRoutes,
  resource,
} from './resource/resource-routes.ts'

/** controller: FwController and the other base classes of controllers, `routes`, `mix`, and the view helper `s`. */
export { Fw } from './controller/view-helper.ts'
export {
  AsyncFwApiController,
  AsyncFwApiServlet,
  AsyncFwController,
  AsyncFwServlet,
  FwApiController,
  FwApiServlet,
  FwController,
  FwMicroFilter,
  FwMicroServlet,
  FwServlet,
} from './controller/fw-controller.ts'
export type { ControllerClass } from './controller/fw-controller.ts'
export { FwFilter, FwRenderingFilter } from './controller/fw-filter.ts'
export { mix } from './feature.ts'
export type { RouteBuilder } from './controller/route-builder.ts'
export type {
  BodyShape,
  DescribedFields,
  DescribedModel,
  DescribedView,
  ResponseDescription,
  RouteDescription,
} from './controller/route-description.ts'
export type {
  DeclaredRoute,
  MountableController,
  MountTarget,
} from './controller/mountable-controller.ts'
export { microFilter, microServlet, routes } from './controller/routes.ts'
export type { ClientTypesKey, ControllerObject } from './controller/routes.ts'

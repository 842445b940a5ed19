/** controller: FwController and the other ready-made bases, `routes`, `mix`, and `s` of the views. */
export {
  AsyncFwApiController,
  AsyncFwApiServlet,
  AsyncFwController,
  AsyncFwServlet,
} from './controller/async-fw-controller.ts'
export { DeclaredRoute } from './controller/declared-route.ts'
export { Fw } from './controller/fw.ts'
export { FwApiController, FwApiServlet } from './controller/fw-api-controller.ts'
export { FwController, FwServlet } from './controller/fw-controller.ts'
export type { ControllerClass } from './controller/fw-controller.ts'
export {
  FwMicroFilter,
  FwMicroServlet,
  microFilter,
  microServlet,
} from './controller/fw-micro-filter.ts'
export { mix } from './controller/mix.ts'
export type { Trait } from './controller/mix.ts'
export type { MountableController, MountTarget } from './controller/mount-target.ts'
export type {
  ActionName,
  AddRoute,
  InlineAction,
  RouteBuilder,
  RouteConditions,
} from './controller/route-builder.ts'
export type {
  BodyShape,
  ControllerDescription,
  DescribedFields,
  DescribedModel,
  ResponseDescription,
  RouteDescription,
} from './controller/route-description.ts'
export { routes } from './controller/routes.ts'
export type { ControllerObject, RouteTable } from './controller/routes.ts'

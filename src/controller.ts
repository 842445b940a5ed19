/** controller: FwController, FwMicroFilter, `routes`, `mix`, and `s` of the views. */
export { DeclaredRoute } from './controller/declared-route.ts'
export { Fw } from './controller/fw.ts'
export { FwController } from './controller/fw-controller.ts'
export type { ControllerClass } from './controller/fw-controller.ts'
export { FwMicroFilter, microFilter } from './controller/fw-micro-filter.ts'
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
export { routes } from './controller/routes.ts'
export type { ControllerObject, RouteTable } from './controller/routes.ts'

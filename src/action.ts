/** action: one request through the filters around one action: the lifecycle, on one page. */
export { awaitFutures } from './action/await-futures.ts'
export type { Settled } from './action/await-futures.ts'
export type { ControllerClass } from './action/controller-base.ts'
export { FwControllerBase } from './action/controller-base.ts'
export type { Ctor, ErrorHandler, Filter } from './action/filter-statics.ts'
export { FwContext } from './action/context.ts'
export type { Target } from './action/context.ts'
export { runWithContext } from './action/current-context.ts'
export { answerProblem, answerStatus, problemOf } from './action/error-response.ts'
export type { Problem } from './action/error-response.ts'
export { contentTypeOf, formats } from './action/format.ts'
export type { Format } from './action/format.ts'
export { logFault, noteFault } from './action/fault.ts'
export type { FaultDesk, ShownFault } from './action/fault-desk.ts'
export { checkFilterNames, compilePlan } from './action/plan.ts'
export type { ControllerMaker, Plan, PlannedRoute } from './action/plan.ts'
export { routeFilters } from './action/route-filters.ts'
export type { RouteFilter } from './action/route-filters.ts'
export type { RedirectOptions } from './action/redirect.ts'
export { inheritedRegistrations, Registrations, registrationsOf } from './action/registrations.ts'
export type {
  Around,
  CrossOrigin,
  ErrorClass,
  FilterOptions,
  Stage,
  Step,
} from './action/registrations.ts'
export { renderPage, renderTyped, streamTyped } from './action/render.ts'
export { FwRequest, isSafeMethod } from './action/request.ts'
export type { BodyLimits } from './action/request.ts'
export { atRequestEnd, endRequest } from './action/request-end.ts'
export { applyResult } from './action/result.ts'
export { runPlan } from './action/run.ts'
export type { BuiltAsset, Services } from './action/services.ts'
export { Halt, type HaltOptions } from './action/signals.ts'
export { routeUrl } from './action/url.ts'

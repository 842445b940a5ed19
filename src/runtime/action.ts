/** action: runs the filters and the action of a route for one request. */
export { FwContext, runWithContext } from './action/context.ts'
export type { CrossOrigin, ErrorReporter, Services } from './action/context.ts'
export type { BuiltAsset, RenderedFault } from './action/service-types.ts'
export type { ControllerClass } from './action/controller-base.ts'
export { FwControllerBase } from './action/controller-base.ts'
export { respondWithProblem, respondWithStatus, toProblem } from './action/error-response.ts'
export { clearPage } from './action/clear-page.ts'
export { RecentWrites } from './action/recent-writes.ts'
export { logFault, recordFault } from './action/fault.ts'
export type { Ctor, ErrorHandler, Filter } from './action/filter-statics.ts'
export { contentTypeOf, formats } from './action/format.ts'
export { respondWithFragment, type FragmentOptions } from './action/fragment.ts'
export {
  checkFilterNames,
  namesRoutes,
  planCompiler,
  routeFilters,
  routeSettings,
} from './action/plan.ts'
export type { ControllerConstructor, Plan, RouteFilter, Target } from './action/plan.ts'
export { inheritedRegistrations, Registrations, registrationsOf } from './action/registrations.ts'
export type { FilterArgs, FilterOptions, Stage, Step } from './action/registrations.ts'
export { overridingMethods } from './action/request-params.ts'
export { openPages } from './action/page-source.ts'
export { redactPath, redactTarget } from './action/redact-target.ts'
export { FwRequest, isSafeMethod } from './action/request.ts'
export type { FormatDefaults } from './action/request-params.ts'
export {
  actionChannel,
  type ActionEvent,
  requestChannel,
  RequestEvent,
} from './action/request-event.ts'
export { FwResponse } from './action/response.ts'
export { applyResult } from './action/result.ts'
export { respond } from './action/respond.ts'
export { allowStyles, findAllowedStyles } from './action/allowed-styles.ts'
export { slot } from './action/slot.ts'
export type { UnitOfWork, UnitOfWorkFactory } from './action/unit-of-work.ts'
export { Halt } from './action/halt.ts'
export { recordRedirect, redirectLocation, redirectStatus } from './action/redirect.ts'
export {
  formFields,
  renderRepeatedForm,
  renderRepeatedFormAlone,
  repeatableTarget,
  renderSameSiteForm,
} from './action/repeated-form.ts'
export type { FormFields } from './action/repeated-form.ts'
export { isCrossSite, isFromOwnOrigin } from './action/request-origin.ts'
export { isPageRequest, isUnchanged } from './action/shown-page.ts'
export { FwView, hasView, renderTyped, viewOf } from './action/view.ts'

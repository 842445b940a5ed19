/** feature: what a controller may mix in, one file each. */
export { cors } from './feature/cors.ts'
export type { CorsOptions } from './feature/cors.ts'
export { AsyncActions } from './feature/async-actions.ts'
export type { HasAsyncActions } from './feature/async-actions.ts'
export { ConditionalGet } from './feature/conditional-get.ts'
export { Diagnostics } from './feature/diagnostics.ts'
export type { HasDiagnostics } from './feature/diagnostics.ts'
export { ErrorPageFilter } from './feature/error-page-filter.ts'
export type { HasErrorPage } from './feature/error-page-filter.ts'
export { FileMultiParams, FileParams, FileUploadFeature } from './feature/file-upload-feature.ts'
export type { HasFileUpload } from './feature/file-upload-feature.ts'
export { protectFromForgery } from './feature/forgery-protection.ts'
export { JsonParamsFeature } from './feature/json-params-feature.ts'
export type { HasJsonParams } from './feature/json-params-feature.ts'
export { MainThreadLocalEverywhere } from './feature/main-thread-local-everywhere.ts'
export { FwSessionFilter } from './feature/fw-session-filter.ts'
export type { HasFwSession } from './feature/fw-session-filter.ts'
export { rateLimit } from './feature/rate-limit.ts'
export type { RateLimiter, RateLimitOptions } from './feature/rate-limit.ts'
export { Rendering } from './feature/rendering.ts'
export type { HasRendering, Page } from './feature/rendering.ts'
export { Responding } from './feature/responding.ts'
export type {
  Freshness,
  HasResponding,
  JsonOptions,
  Representations,
  ServerSentEvents,
} from './feature/responding.ts'
export { ScopeAccess } from './feature/scope-access.ts'
export type { HasScopeAccess } from './feature/scope-access.ts'
export { SessionAccess } from './feature/session-access.ts'
export type { HasSession } from './feature/session-access.ts'
export { requestTransaction, TxPerRequestFilter } from './feature/tx-per-request-filter.ts'
export type { HasTransaction, RequestTransaction } from './feature/tx-per-request-filter.ts'
export { Validating } from './feature/validating.ts'
export type { HasValidation } from './feature/validating.ts'
export { XsrfCookie } from './feature/xsrf-cookie.ts'

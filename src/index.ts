/** index: the front door: what an application imports. */
export { formats, awaitFutures, FwContext, FwRequest } from './action.ts'
export type { Ctor, Filter, FilterOptions, HaltOptions, RedirectOptions } from './action.ts'
export {
  AssetsController,
  FwLifeCycle,
  FwSessionInitializer,
  MethodOverride,
  ServletContext,
} from './app.ts'
export type { SessionStoreMaker } from './app.ts'
export { FwError, HttpError, Temporal } from './base.ts'
export type { ErrorCode, Logger } from './base.ts'
export { FwConfig, FwEnv } from './config.ts'
export type { ConfigKeys } from './config.ts'
export {
  AsyncFwApiController,
  AsyncFwApiServlet,
  AsyncFwController,
  AsyncFwServlet,
  Fw,
  FwApiController,
  FwApiServlet,
  FwController,
  FwMicroFilter,
  FwMicroServlet,
  FwServlet,
  microFilter,
  microServlet,
  mix,
  routes,
} from './controller.ts'
export type {
  ControllerClass,
  ControllerDescription,
  ControllerObject,
  RouteDescription,
} from './controller.ts'
export {
  ConditionalGet,
  cors,
  ErrorPageFilter,
  FileUploadFeature,
  FwSessionFilter,
  JsonParamsFeature,
  MainThreadLocalEverywhere,
  rateLimit,
  requestTransaction,
  Responding,
  TxPerRequestFilter,
  XmlParamsFeature,
  XsrfCookie,
} from './feature.ts'
export type {
  CorsOptions,
  HasFwSession,
  HasSession,
  RateLimiter,
  RateLimitOptions,
  RequestTransaction,
} from './feature.ts'
export type { Freshness, JsonOptions, Representations, ServerSentEvents } from './feature.ts'
export {
  Accepted,
  ActionResult,
  attachment,
  BadRequest,
  Conflict,
  CookieJar,
  Created,
  Forbidden,
  Found,
  Gone,
  InternalServerError,
  httpDate,
  inline,
  MovedPermanently,
  NoContent,
  NotAcceptable,
  NotFound,
  NotImplemented,
  NotModified,
  Ok,
  PartialContent,
  PermanentRedirect,
  parseHttpDate,
  PreconditionFailed,
  SeeOther,
  ServiceUnavailable,
  TemporaryRedirect,
  TooManyRequests,
  Unauthorized,
  UnprocessableEntity,
  UnsupportedMediaType,
  UploadedFile,
} from './http.ts'
export type {
  ChunkWriter,
  Cookie,
  CookieOptions,
  FileOptions,
  MultipartLimits,
  ServerSentEvent,
} from './http.ts'
export { I18n } from './i18n.ts'
export type { MessageDate, MessageKeys, MessageNumber, MessageText, MessageValue } from './i18n.ts'
export { belongsTo, defaulted, hasMany, hasManyThrough, hasOne, json, model } from './model.ts'
export type { FwModel, ResourceModel, RowOf } from './model.ts'
export { MultiParams, Params, ParamType, permitValues } from './params.ts'
export type { BigDecimal, Permitted } from './params.ts'
export {
  apiResource,
  FwApiResource,
  FwApiResourceRoutes,
  FwApiResourceServlet,
  FwResource,
  FwResourceActions,
  FwResourceRoutes,
  FwResourceServlet,
  resource,
} from './resource.ts'
export type {
  ApiResourceRoutes,
  ResourceOptions,
  ResourceParent,
  ResourceRoutes,
} from './resource.ts'
export { Route } from './routing.ts'
export type { UrlParams } from './routing.ts'
export { App, createApp, FwServer } from './server.ts'
export { Flash, MemoryStore, RedisStore, SealedCookieStore, Session } from './session.ts'
export type { SessionStore } from './session.ts'
export * from './validation.ts'
export { SafeHtml, unescape } from './view.ts'
export type { Layouts, Printable, ViewName, Views } from './view.ts'

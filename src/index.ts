/** The public interface `fwjs`: the classes and functions that most applications import. */
export { formats, FwContext, FwRequest, FwView } from './runtime/action.ts'
export type { Ctor, Filter, FilterOptions, FwResponse } from './runtime/action.ts'
export {
  App,
  AssetsController,
  createApp,
  FwLifeCycle,
  FwServer,
  FwSessionInitializer,
  MethodOverride,
  ServletContext,
} from './runtime/app.ts'
export type { SessionStoreFactory } from './runtime/app.ts'
export { FwError, HttpError, Temporal } from './runtime/base.ts'
export type { ErrorCode, Logger } from './runtime/base.ts'
export { FwConfig, FwEnv } from './runtime/config.ts'
export type { ConfigKeys } from './runtime/config.ts'
export {
  AsyncFwApiController,
  AsyncFwApiServlet,
  AsyncFwController,
  AsyncFwServlet,
  Fw,
  FwApiController,
  FwApiServlet,
  FwController,
  FwFilter,
  FwMicroFilter,
  FwMicroServlet,
  FwRenderingFilter,
  FwServlet,
  microFilter,
  microServlet,
  mix,
  routes,
} from './runtime/controller.ts'
export type { ControllerClass, ControllerObject, RouteBuilder } from './runtime/controller.ts'
export {
  authenticateBearer,
  authorize,
  awaitFutures,
  clientKey,
  ConditionalGet,
  cors,
  errorPage,
  ErrorPageFilter,
  fileUpload,
  FileUploadFeature,
  LoginRedirects,
  forgeryProtection,
  FwSessionFilter,
  JsonParamsFeature,
  MainThreadLocalEverywhere,
  policy,
  rateLimit,
  requireScopes,
  rowLevelSecurity,
  transaction,
  TxPerRequestFilter,
  XmlParamsFeature,
  XsrfCookie,
} from './runtime/feature.ts'
export type { CorsOptions, RateLimiter } from './runtime/feature.ts'
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
} from './runtime/http.ts'
export type { ChunkWriter, Cookie, CookieOptions, ServerSentEvent } from './runtime/http.ts'
export { I18n } from './runtime/i18n.ts'
export type { MessageKeys } from './runtime/i18n.ts'
export {
  belongsTo,
  defaulted,
  FwModel,
  hasMany,
  hasManyThrough,
  hasOne,
  json,
  model,
} from './runtime/model.ts'
export type { ResourceModel, RowOf } from './runtime/model.ts'
export { MultiParams, Params, ParamType, permitValues } from './runtime/params.ts'
export type { BigDecimal, Permitted, PermittedValues } from './runtime/params.ts'
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
} from './runtime/resource.ts'
export type { ResourceList, ResourceOptions, ResourceParent } from './runtime/resource.ts'
export { Route } from './runtime/routing.ts'
export { Flash, MemoryStore, RedisStore, SealedCookieStore, Session } from './runtime/session.ts'
export type { SessionStore } from './runtime/session.ts'
export {
  checkAll,
  createForm,
  createSchemaForm,
  createValidation,
  dateFormat,
  dateTimeFormat,
  doubleMaxValue,
  doubleMinMaxValue,
  doubleMinValue,
  doubleValue,
  email,
  floatMaxValue,
  floatMinMaxValue,
  floatMinValue,
  floatValue,
  formSchema,
  future,
  i18nKey,
  intMaxValue,
  intMinMaxValue,
  intMinValue,
  intValue,
  length,
  longMaxValue,
  longMinMaxValue,
  longMinValue,
  longValue,
  maxLength,
  minLength,
  minMaxLength,
  notEmpty,
  notNull,
  numeric,
  oneOf,
  param,
  paramKey,
  past,
  references,
  required,
  rule,
  Rule,
  same,
  timeFormat,
  unique,
  url,
  uuid,
  Validation,
} from './runtime/validation.ts'
export type {
  Errors,
  Form,
  RuleLike,
  SchemaForm,
  StandardSchema,
  ValidationError,
  ValidForm,
} from './runtime/validation.ts'
export { SafeHtml, safeUrl, unescape } from './view.ts'
export type { Layouts, Printable, ViewName, Views } from './view.ts'

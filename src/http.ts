/** http: request and response as plain values; cookies, body, multipart, negotiation. */
export type { BodySource, HttpRequest } from './http/http-request.ts'
export type { Handler, ResponseBody } from './http/http-response.ts'
export { HttpResponse } from './http/http-response.ts'
export { ResponseHeaders } from './http/response-headers.ts'
export { parsePath, RequestPath } from './http/path.ts'
export type { FieldMap, QueryLimits } from './http/query.ts'
export { parseQuery } from './http/query.ts'
export { RequestBody, refuseEncoding } from './http/body.ts'
export { parseJson } from './http/json.ts'
export type { MultipartLimits } from './http/multipart-limits.ts'
export { defaultMultipartLimits } from './http/multipart-limits.ts'
export { isMultipart, MultipartForm, parseMultipart } from './http/multipart.ts'
export { UploadDirectory } from './http/upload-directory.ts'
export { UploadedFile } from './http/uploaded-file.ts'
export type { ContentType } from './http/content-type.ts'
export { charsetOf, parseContentType } from './http/content-type.ts'
export type { Cookie, CookieOptions } from './http/cookies.ts'
export { CookieJar } from './http/cookies.ts'
export { attachment, inline } from './http/content-disposition.ts'
export { checkedStatus, hasNoBody, reasonPhrase } from './http/status.ts'
export type { Preference } from './http/negotiation.ts'
export { bestEncoding, FormatTable, parsePreferences } from './http/negotiation.ts'
export type {
  ActionHeaders,
  ActionResultOptions,
  BodyResult,
  EmptyResult,
  LocationResult,
} from './http/action-result.ts'
export {
  ActionResult,
  Ok,
  Created,
  Accepted,
  NonAuthoritativeInformation,
  PartialContent,
  MultiStatus,
  AlreadyReported,
  IMUsed,
  MultipleChoices,
  BadRequest,
  Unauthorized,
  PaymentRequired,
  Forbidden,
  NotFound,
  MethodNotAllowed,
  NotAcceptable,
  ProxyAuthenticationRequired,
  RequestTimeout,
  Conflict,
  Gone,
  LengthRequired,
  PreconditionFailed,
  RequestEntityTooLarge,
  RequestURITooLong,
  UnsupportedMediaType,
  RequestedRangeNotSatisfiable,
  ExpectationFailed,
  UnprocessableEntity,
  Locked,
  FailedDependency,
  UpgradeRequired,
  PreconditionRequired,
  TooManyRequests,
  RequestHeaderFieldsTooLarge,
  InternalServerError,
  NotImplemented,
  BadGateway,
  ServiceUnavailable,
  GatewayTimeout,
  HTTPVersionNotSupported,
  VariantAlsoNegotiates,
  InsufficientStorage,
  LoopDetected,
  NotExtended,
  NetworkAuthenticationRequired,
  NoContent,
  ResetContent,
  NotModified,
  MovedPermanently,
  Found,
  SeeOther,
  UseProxy,
  TemporaryRedirect,
  PermanentRedirect,
} from './http/action-result.ts'

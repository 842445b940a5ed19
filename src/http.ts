/** http: request and response as plain values; cookies, body, multipart, negotiation. */
export type { BodySource, HttpRequest } from './http/http-request.ts'
export type { Handler, ResponseBody } from './http/http-response.ts'
export { HttpResponse } from './http/http-response.ts'
export { ResponseHeaders } from './http/response-headers.ts'
export { SharedHeaders } from './http/shared-headers.ts'
export { parsePath, RequestPath } from './http/path.ts'
export type { FieldMap } from './http/query.ts'
export { parseQuery } from './http/query.ts'
export { isJsonType, isXmlType, RequestBody, refuseEncoding } from './http/body.ts'
export { parseJson } from './http/json.ts'
export { parseXml } from './http/parse-xml.ts'
export { GatheredBytes } from './http/gathered-bytes.ts'
export type { MultipartLimits } from './http/multipart-limits.ts'
export { defaultMultipartLimits } from './http/multipart-limits.ts'
export { isMultipart, MultipartForm, parseMultipart } from './http/multipart.ts'
export { UploadDirectory } from './http/upload-directory.ts'
export { UploadedFile } from './http/uploaded-file.ts'
export type { ContentType } from './http/content-type.ts'
export { charsetOf, parseContentType } from './http/content-type.ts'
export type { Cookie, CookieOptions } from './http/cookies.ts'
export { CookieJar } from './http/cookies.ts'
export type { BodyReader, StreamedBody } from './http/body-reader.ts'
export { isStreamed, readerOf, releaseBody, WatchedBody } from './http/body-reader.ts'
export type { ByteRange } from './http/byte-range.ts'
export { parseRange } from './http/byte-range.ts'
export { encodeText } from './http/charset.ts'
export type { ChunkWriter } from './http/chunk-writer.ts'
export { writtenBody } from './http/chunk-writer.ts'
export type { CompressionOptions } from './http/compression.ts'
export { codings, compress, isCompressible } from './http/compression.ts'
export { bodyTag, entityTag, parseTags } from './http/entity-tag.ts'
export type { FileInside } from './http/file-inside.ts'
export { fileInside } from './http/file-inside.ts'
export type { FileOptions } from './http/file-response.ts'
export { fileResponse } from './http/file-response.ts'
export { httpDate, parseHttpDate } from './http/http-date.ts'
export { jsonFields, xmlFields } from './http/json-fields.ts'
export type { JsonStyle } from './http/json-text.ts'
export { jsonText } from './http/json-text.ts'
export { mediaTypeOf } from './http/media-types.ts'
export type { Validators, Verdict } from './http/preconditions.ts'
export { isConditional, judge } from './http/preconditions.ts'
export type { EventStreamOptions, ServerSentEvent } from './http/server-sent-events.ts'
export { eventStream, eventText } from './http/server-sent-events.ts'
export { addVary } from './http/vary.ts'
export type { XmlNames } from './http/xml.ts'
export { elementName, escapeXml, toXml } from './http/xml.ts'
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

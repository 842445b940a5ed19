/** http: requests and responses as plain values, cookies, bodies, multipart forms and content negotiation. */
export { ActionResult } from './http/action-result.ts'
export * from './http/status-results.ts'
export * as results from './http/status-results.ts'
export { BodyChunks } from './http/body-chunks.ts'
export type { CompressionOptions } from './http/compression.ts'
export { compress, isCompressible, supportedEncodings } from './http/compression.ts'
export { attachment, inline } from './http/content-disposition.ts'
export { encodeText } from './http/content-type.ts'
export type { Cookie, CookieOptions } from './http/cookies.ts'
export { CookieJar } from './http/cookies.ts'
export type { FileOptions } from './http/file-response.ts'
export { fileResponse, findContainedFile } from './http/file-response.ts'
export { currentHttpDate, httpDate, parseHttpDate } from './http/http-date.ts'
export type { BodySource, HttpRequest } from './http/http-request.ts'
export type { Handler, ResponseBody } from './http/http-response.ts'
export { HttpResponse } from './http/http-response.ts'
export {
  JsonNumber,
  numberText,
  parseExactJson,
  parseStoredJson,
  toUsableNumbers,
} from './http/json-number.ts'
export { fieldsFromJson, fieldsFromXml, parseJson, stringifyJson } from './http/json.ts'
export { mediaTypeOf } from './http/media-types.ts'
export type { MultipartLimits } from './http/multipart.ts'
export {
  defaultMultipartLimits,
  isMultipart,
  formatBytes,
  MultipartForm,
  type TooLarge,
  parseMultipart,
} from './http/multipart.ts'
export { bestEncoding, FormatTable } from './http/negotiation.ts'
export { noBody } from './http/no-body.ts'
export { parsePath, RequestPath } from './http/path.ts'
export {
  bodyEntityTag,
  entityTag,
  evaluatePreconditions,
  isConditional,
  parseEntityTags,
} from './http/preconditions.ts'
export type { FieldMap } from './http/query.ts'
export { parseQuery, parseQueryString } from './http/query.ts'
export { isJsonType, isXmlType, RequestBody } from './http/request-body.ts'
export { addVary, ResponseHeaders, SharedHeaders } from './http/response-headers.ts'
export type { EventStreamOptions, ServerSentEvent } from './http/server-sent-events.ts'
export { eventStream } from './http/server-sent-events.ts'
export { isStoredJson, markStoredJson } from './http/stored-json.ts'
export { checkStatus, hasNoBody, reasonPhrase } from './http/status.ts'
export type { BodyReader, ChunkWriter, StreamedBody } from './http/streamed-body.ts'
export {
  isStreamed,
  openBodyReader,
  releaseBody,
  DerivedBody,
  StartedBody,
  WatchedBody,
  writerBody,
} from './http/streamed-body.ts'
export { UploadDirectory, UploadedFile } from './http/uploads.ts'
export type { XmlNames } from './http/xml.ts'
export { elementName, escapeXml, parseXml, toXml } from './http/xml.ts'

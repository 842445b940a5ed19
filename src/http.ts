/** The public interface `fwjs/http`: results by status, cookies, uploads, and the values of HTTP headers. */
export {
  ActionResult,
  attachment,
  compress,
  CookieJar,
  httpDate,
  HttpResponse,
  inline,
  isConditional,
  parseHttpDate,
  results,
  UploadedFile,
} from './runtime/http.ts'
export type {
  ChunkWriter,
  Cookie,
  CookieOptions,
  HttpRequest,
  ServerSentEvent,
} from './runtime/http.ts'

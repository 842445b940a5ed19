/** The public interface `fwjs/http`: results with a given status, cookies, uploads, and values of HTTP headers. */
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

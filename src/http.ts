/** http: request and response as plain values; cookies, body, multipart, negotiation. */
export type { BodySource, HttpRequest } from './http/http-request.ts'
export type { Handler, ResponseBody } from './http/http-response.ts'
export { HttpResponse } from './http/http-response.ts'
export { ResponseHeaders } from './http/response-headers.ts'

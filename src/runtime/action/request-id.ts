/** Reads the id that a configured proxy gave the request. */
import type { HttpRequest } from '../http.ts'

const requestIdSyntax = /^[\w.:@/+=-]{1,128}$/

/** Returns the `X-Request-Id` that a configured proxy sent; undefined if it is absent or contains invalid characters. */
export function adoptedRequestId(http: HttpRequest): string | undefined {
  const id = http.isProxied === true ? http.header('x-request-id') : undefined
  return id !== undefined && requestIdSyntax.test(id) ? id : undefined
}

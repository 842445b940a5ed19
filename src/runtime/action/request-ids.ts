/** Returns the request id and the trace of a request: those that a configured proxy sent, else new ones. */
import { takeRandomBytes } from '../base.ts'
import type { HttpRequest } from '../http.ts'

/** A span as defined by W3C Trace Context. */
export interface TraceContext {
  /** The id of the trace: 32 hexadecimal digits. */
  readonly traceId: string
  /** The id of the span: 16 hexadecimal digits. */
  readonly spanId: string
  readonly isSampled: boolean
}

const idSyntax = /^[\w.:@/+=-]{1,128}$/
/** Returns the `X-Request-Id` that a configured proxy sent; undefined if it is absent or contains invalid characters. */
export function adoptedRequestId(http: HttpRequest): string | undefined {
  if (http.isProxied !== true) return undefined
  const id = http.header('x-request-id')
  return id !== undefined && idSyntax.test(id) ? id : undefined
}

/** Returns the request id that the proxy sent, else 16 random characters. */
export const requestIdOf = (http: HttpRequest): string =>
  adoptedRequestId(http) ?? takeRandomBytes(12).toString('base64url')

const traceparentSyntax =
  /^(?!ff)[\da-f]{2}-(?!0{32})([\da-f]{32})-(?!0{16})([\da-f]{16})-([\da-f]{2})(?:-.*)?$/

/** Parses the `traceparent` header that a configured proxy sent; returns undefined if it is absent or malformed. */
export function adoptedTrace(http: HttpRequest): TraceContext | undefined {
  const header = http.isProxied === true ? http.header('traceparent') : undefined
  const match = header === undefined ? null : traceparentSyntax.exec(header)
  if (match === null) return undefined
  const [, traceId = '', spanId = '', flags = ''] = match
  return { traceId, spanId, isSampled: (Number.parseInt(flags, 16) & 1) === 1 }
}

export const newTrace = (): TraceContext => ({
  traceId: takeRandomBytes(16).toString('hex'),
  spanId: takeRandomBytes(8).toString('hex'),
  isSampled: false,
})

export const formatTraceparent = ({ traceId, spanId, isSampled }: TraceContext): string =>
  `00-${traceId}-${spanId}-${isSampled ? '01' : '00'}`

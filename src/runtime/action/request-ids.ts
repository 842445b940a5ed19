/** The ids of a request and of its trace: a configured proxy's, else new ones. */
import { takeRandomBytes } from '../base.ts'
import type { HttpRequest } from '../http.ts'

/** A span in the terms of W3C Trace Context. */
export interface TraceContext {
  /** 32 hexadecimal digits. */
  readonly traceId: string
  /** 16 hexadecimal digits. */
  readonly spanId: string
  readonly isSampled: boolean
}

const idSyntax = /^[\w.:@/+=-]{1,128}$/
/** The `X-Request-Id` of a configured proxy; undefined when absent or unprintable. */
export function adoptedRequestId(http: HttpRequest): string | undefined {
  if (http.isProxied !== true) return undefined
  const id = http.header('x-request-id')
  return id !== undefined && idSyntax.test(id) ? id : undefined
}

/** The proxy's id, else 16 random characters. */
export const requestIdOf = (http: HttpRequest): string =>
  adoptedRequestId(http) ?? takeRandomBytes(12).toString('base64url')

const traceparentSyntax =
  /^(?!ff)[\da-f]{2}-(?!0{32})([\da-f]{32})-(?!0{16})([\da-f]{16})-([\da-f]{2})(?:-.*)?$/

/** The `traceparent` of a configured proxy; undefined when absent or malformed. */
export function adoptedTrace(http: HttpRequest): TraceContext | undefined {
  const header = http.isProxied === true ? http.header('traceparent') : undefined
  const match = header === undefined ? null : traceparentSyntax.exec(header)
  if (match === null) return undefined
  const [, traceId = '', spanId = '', flags = ''] = match
  return { traceId, spanId, isSampled: (Number.parseInt(flags, 16) & 1) === 1 }
}

/** The begin of a trace that no other process has begun. */
export const newTrace = (): TraceContext => ({
  traceId: takeRandomBytes(16).toString('hex'),
  spanId: takeRandomBytes(8).toString('hex'),
  isSampled: false,
})

/** The header's value. */
export const formatTraceparent = ({ traceId, spanId, isSampled }: TraceContext): string =>
  `00-${traceId}-${spanId}-${isSampled ? '01' : '00'}`

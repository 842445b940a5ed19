/** Creates the response to a request of Prometheus for metrics. */
import { timingSafeEqual } from 'node:crypto'
import { HttpResponse, ResponseHeaders } from '../http.ts'
import type { Metrics } from './metrics.ts'

/** The path of the metrics, and the access to them: any client on a separate port, or only clients with the token. */
export interface MetricsAccess {
  readonly path: string
  /** The token that clients must send; undefined if the metrics have a separate port. */
  readonly token: string | undefined
}

/** Returns the response to a request for metrics; undefined for any other request. */
export function metricsResponse(
  metrics: Metrics,
  { path, token }: MetricsAccess,
  request: {
    readonly method: string
    readonly target: string
    readonly authorization?: string | undefined
  },
): HttpResponse | Promise<HttpResponse> | undefined {
  const { method, target, authorization } = request
  if (target !== path || (method !== 'GET' && method !== 'HEAD')) return undefined
  if (token !== undefined && !isToken(authorization, token)) return refusal()
  const text = metrics.format()
  return typeof text === 'string' ? textResponse(text) : text.then(textResponse)
}

const textResponse = (text: string): HttpResponse =>
  new HttpResponse(200, text, plainHeaders('text/plain; version=0.0.4; charset=utf-8'))

function isToken(authorization: string | undefined, token: string): boolean {
  const given = Buffer.from(authorization ?? '')
  const expected = Buffer.from(`Bearer ${token}`)
  return given.length === expected.length && timingSafeEqual(given, expected)
}

function refusal(): HttpResponse {
  const headers = plainHeaders('text/plain; charset=utf-8')
  headers.append('WWW-Authenticate', 'Bearer')
  return new HttpResponse(401, 'Metrics need the token of the setting metrics.token.\n', headers)
}

const plainHeaders = (type: string): ResponseHeaders =>
  new ResponseHeaders(['Content-Type', type, 'Cache-Control', 'no-store'])

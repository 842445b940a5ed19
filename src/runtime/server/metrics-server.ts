/** Serves an application's metrics on a separate port, or on the application's port with a token. */
import type { Application } from '../app.ts'
import type { HttpResponse } from '../http.ts'
import { metricsResponse } from '../telemetry.ts'
import { plainResponse } from './error-response.ts'
import { HttpServer } from './http-server.ts'

/** The default port of OpenTelemetry's Prometheus exporters. */
const defaultPort = 9464

type Probe = (
  method: string,
  target: string,
  authorization: string | undefined,
) => HttpResponse | Promise<HttpResponse> | undefined

/** Returns the function that answers scrapes on the application's port; undefined unless the settings require it. */
export function metricsProbe({ metrics, settings }: Application): Probe | undefined {
  const { path, port, token } = settings.metrics
  if (metrics === undefined || token === undefined || port !== undefined) return undefined
  return (method, target, authorization) =>
    metricsResponse(metrics, { path, token }, { method, target, authorization })
}

/**
 * Listens on the separate port of the metrics, by default 9464. Returns undefined if the metrics are disabled or served on
 * the application's port. If a token is configured, scrapes of the separate port need it, too.
 * @throws FwError `server.listen-failed`
 */
export async function listenForMetrics({
  metrics,
  settings,
  logger,
}: Application): Promise<HttpServer | undefined> {
  const { path, port, host, token } = settings.metrics
  if (metrics === undefined || (token !== undefined && port === undefined)) return undefined
  const handler = (request: {
    readonly method: string
    readonly target: string
    header(name: string): string | undefined
  }): HttpResponse | Promise<HttpResponse> => {
    const authorization = request.header('authorization')
    const { method, target } = request
    const response = metricsResponse(metrics, { path, token }, { method, target, authorization })
    return response ?? plainResponse(404)
  }
  const server = new HttpServer(handler, { hosts: ['*'], maxConnections: 100, logger })
  const { url } = await server.listen(port ?? defaultPort, host)
  logger.info({ url: url + path }, `metrics at ${url}${path}`)
  return server
}

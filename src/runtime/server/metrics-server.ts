/** Serves the metrics of an application: on a port of their own, or with a token on the port of the application. */
import type { Application } from '../app.ts'
import type { HttpResponse } from '../http.ts'
import { metricsResponse } from '../telemetry.ts'
import { plainResponse } from './error-response.ts'
import { HttpServer } from './http-server.ts'

/** The port of Prometheus exporters in OpenTelemetry. */
const defaultPort = 9464

type Probe = (
  method: string,
  target: string,
  authorization: string | undefined,
) => HttpResponse | Promise<HttpResponse> | undefined

/** Answers scrapes on the port of the application; undefined unless the settings demand it. */
export function metricsProbe({ metrics, settings }: Application): Probe | undefined {
  const { path, port, token } = settings.metrics
  if (metrics === undefined || token === undefined || port !== undefined) return undefined
  return (method, target, authorization) =>
    metricsResponse(metrics, { path, token }, { method, target, authorization })
}

/**
 * Listens on the port of the metrics; undefined without one. A token that is set is needed here too.
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

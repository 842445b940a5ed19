/** `StartingServer`: a server that listens while its application is still starting. */
import type { Logger } from '../base.ts'
import { readSettings, type Configuration } from '../config.ts'
import type { Handler, HttpRequest, HttpResponse } from '../http.ts'
import {
  HttpServer,
  plainResponse,
  type Closable,
  type ListenAddress,
  type Probe,
} from '../server.ts'
import { App, applicationProbe } from './create-app.ts'
import { applicationServerSettings } from './application-server-settings.ts'
import { responseFinisher } from './finish-response.ts'
import { Health } from './health.ts'
import { SecurityHeaders } from './security-headers.ts'
import { applicationSettings } from './settings.ts'
import type { Application } from './start-application.ts'

/** Until `serve` is called, liveness probes get 200, and all other requests 503. */
export class StartingServer implements Closable {
  readonly #server: HttpServer
  readonly #starting = new AbortController()
  #handle: Handler
  #probe: Probe
  #refusal: ((request: HttpRequest) => HttpResponse | undefined) | undefined
  #app: App | undefined

  /** @param processes the number of processes that serve the application */
  constructor(configuration: Configuration, logger: Logger, processes = 1) {
    const settings = readSettings(configuration, applicationSettings)
    const { livePath, readyPath } = settings.health
    const health = new Health({ livePath, readyPath, timeout: 1, interval: 0 }, new Map(), logger)
    health.state = 'starting'
    this.#probe = health.probe
    const production = configuration.env.isProduction()
    const securityHeaders = new SecurityHeaders(settings.security, production, { seen: false })
    const finish = responseFinisher({ securityHeaders })
    this.#handle = () => finish(plainResponse(503))
    this.#server = new HttpServer((request) => this.#handle(request), {
      ...applicationServerSettings(settings, logger, configuration.env, processes),
      probe: (...probe) => this.#probe(...probe),
      finish,
      refusal: (request) => this.#refusal?.(request),
    })
  }

  /** A signal that aborts when `close` is called, so that a start in progress can stop. */
  get signal(): AbortSignal {
    return this.#starting.signal
  }

  /** @throws FwError `server.listen-failed` */
  listen(port: number | { readonly fd: number }, host: string): Promise<ListenAddress> {
    return this.#server.listen(port, host)
  }

  /** Passes all further requests to the application. @throws FwError `server.listen-failed` for the port of the metrics */
  async serve(application: Application): Promise<void> {
    this.#handle = application.handle
    this.#probe = applicationProbe(application)
    this.#refusal = application.refuse
    this.#app = new App(application, [this.#server])
    await this.#app.listenForMetrics()
  }

  async close(grace?: number, drainDelay?: number): Promise<void> {
    this.#starting.abort()
    await (this.#app ?? this.#server).close(grace, this.#app === undefined ? 0 : drainDelay)
  }

  destroy(): void {
    this.#server.destroy()
  }
}

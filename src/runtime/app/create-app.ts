/** `App` and `createApp`, a started application with its servers, and `FwServer`, for an application in one file. */
import type { Socket } from 'node:net'
import { isPromise } from '../base.ts'
import type { Handler } from '../http.ts'
import {
  fetchHandler,
  HttpServer,
  nodeHandler,
  plainResponse,
  type FetchHandler,
  type ListenAddress,
  type NodeHandler,
  type Probe,
  type ServerSettings,
} from '../server.ts'
import { metricsResponse } from '../telemetry.ts'
import { applicationServerSettings } from './application-server-settings.ts'
import { FwLifeCycle, type ServletContext } from './servlet-context.ts'
import { startApplication, type Application, type ApplicationOptions } from './start-application.ts'

/** The options of `createApp`; the default `root` is the current folder. */
export type AppOptions = Partial<ApplicationOptions>

/** A started application. */
export class App {
  readonly application: Application
  readonly #settings: ServerSettings
  readonly #servers: Set<HttpServer>
  #handler: NodeHandler | undefined
  #socketServer: HttpServer | undefined
  #metricsServer: Promise<HttpServer | undefined> | undefined

  /** @param servers servers that already listen, and whose handler is the application's */
  constructor(application: Application, servers: readonly HttpServer[] = []) {
    this.application = application
    const { settings, logger, configuration, processes } = application
    this.#servers = new Set(servers)
    const server = applicationServerSettings(settings, logger, configuration.env, processes)
    this.#settings = {
      ...server,
      probe: applicationProbe(application),
      finish: application.finish,
      refusal: application.refuse,
    }
  }

  /** The request listener `(req, res, next?)` for Node, Express and Fastify. It calls `next` when no route matches. */
  get handler(): NodeHandler {
    return (this.#handler ??= nodeHandler(this.application.handle, this.#settings))
  }

  /** The Fetch handler `(request: Request) => Promise<Response>`, for Bun, Deno and tests. */
  get fetch(): FetchHandler {
    return fetchHandler(this.application.handle, this.#settings)
  }

  /**
   * Listens on a port, or on the open socket with the file descriptor `fd`. The default `host` serves this machine only;
   * '0.0.0.0' or '::' serves the network. Call it again for further ports.
   * @throws FwError `server.listen-failed`, `server.setting-invalid`
   */
  async listen(
    port: number | { readonly fd: number } = 8080,
    host?: string,
  ): Promise<ListenAddress> {
    const server = new HttpServer(this.application.handle, this.#settings)
    const address = await server.listen(port, host)
    this.#servers.add(server)
    await this.listenForMetrics()
    return address
  }

  /**
   * Listens on the separate port of the metrics, if the settings have one. `listen` calls this method.
   * @throws FwError `server.listen-failed`
   */
  async listenForMetrics(): Promise<void> {
    this.#metricsServer ??= listenForMetrics(this.application)
    const server = await this.#metricsServer
    if (server !== undefined) this.#servers.add(server)
  }

  /** Serves one request of a connection that another process has accepted with `SocketListener`. */
  handleSocket(socket: Socket): void {
    if (this.#socketServer === undefined) {
      this.#socketServer = new HttpServer(this.application.handle, this.#settings)
      this.#servers.add(this.#socketServer)
    }
    this.#socketServer.handleSocket(socket)
  }

  /**
   * Responds to in-flight requests, then ends the application. Meanwhile readiness probes get 503. With a `drainDelay` of 0 they
   * do not, because another process serves on the same port or this process ends at once.
   */
  async close(grace?: number, drainDelay?: number): Promise<void> {
    if (drainDelay !== 0) this.application.health.state = 'draining'
    const servers = [...this.#servers].map((server) => server.close(grace, drainDelay))
    await Promise.all([...servers, this.application.jobs?.close()])
    await this.application.close()
  }

  /** Cuts every connection at once. */
  destroy(): void {
    for (const server of this.#servers) server.destroy()
  }
}

/** The default port of OpenTelemetry's Prometheus exporters. */
const defaultPort = 9464

/** Returns the function that responds to health probes and, if the settings require it, scrapes on the application's port. */
export function applicationProbe({ health, metrics, settings }: Application): Probe {
  const { path, port, token } = settings.metrics
  if (metrics === undefined || token === undefined || port !== undefined) return health.probe
  return (method, target, authorization, memory) =>
    health.probe(method, target, authorization, memory) ??
    metricsResponse(metrics, { path, token }, { method, target, authorization })
}

/**
 * Listens on the separate port of the metrics, by default 9464. Returns undefined if the metrics are disabled or served on
 * the application's port. If a token is configured, scrapes of the separate port need it, too.
 * @throws FwError `server.listen-failed`
 */
async function listenForMetrics({ metrics, settings, logger, finish }: Application) {
  const { path, port, host, token } = settings.metrics
  if (metrics === undefined || (token !== undefined && port === undefined)) return undefined
  const handler: Handler = (request) => {
    const authorization = request.header('authorization')
    const { method, target } = request
    const response = metricsResponse(metrics, { path, token }, { method, target, authorization })
    if (isPromise(response)) return response.then(finish)
    return finish(response ?? plainResponse(404))
  }
  // No limit of memory, because a scrape shows how much the process uses.
  const limits = { maxConnections: 100, maxMemory: 0 }
  const server = new HttpServer(handler, { hosts: ['*'], ...limits, logger, finish })
  const { url } = await server.listen(port ?? defaultPort, host)
  logger.info({ url: url + path }, `metrics at ${url}${path}`)
  return server
}

/**
 * Starts an application, and returns it with its handlers and servers.
 * @throws FwError as `startApplication`
 */
export async function createApp(
  lifeCycle: FwLifeCycle | (new () => FwLifeCycle),
  options: AppOptions = {},
): Promise<App> {
  const instance = typeof lifeCycle === 'function' ? new lifeCycle() : lifeCycle
  return new App(
    await startApplication(instance, { ...options, root: options.root ?? process.cwd() }),
  )
}

/** An object with routes: the result of `routes(…)`, `microFilter(…)` or `microServlet(…)`. */
export interface Mountable {
  mount(ctx: ServletContext, prefix?: string): void
}

/** A server for an application in one file: `await new FwServer().mount(hello).listen(8080)`. */
export class FwServer {
  readonly #options: AppOptions
  readonly #mounts: [controller: Mountable, prefix: string][] = []
  #app: Promise<App> | undefined

  constructor(options: AppOptions = {}) {
    this.#options = options
  }

  /** Mounts a controller. An earlier mount takes precedence. */
  mount(controller: Mountable, prefix = ''): this {
    this.#mounts.push([controller, prefix])
    return this
  }

  /** Starts the application once, and returns it. @throws FwError as `createApp` */
  start(): Promise<App> {
    const mounts = this.#mounts
    class MountAll extends FwLifeCycle {
      override initFwApp(ctx: ServletContext): void {
        for (const [controller, prefix] of mounts) controller.mount(ctx, prefix)
      }
    }
    return (this.#app ??= createApp(MountAll, this.#options))
  }

  /** @throws FwError as `createApp`; `server.listen-failed` */
  async listen(port?: number, host?: string): Promise<ListenAddress> {
    return (await this.start()).listen(port, host)
  }

  async close(grace?: number): Promise<void> {
    const app = await this.#app?.catch(() => undefined)
    await app?.close(grace)
  }
}

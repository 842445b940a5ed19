/** An application in its containers: Node's http, the Fetch handler, or another framework's. */
import type { Socket } from 'node:net'
import {
  startApplication,
  type Application,
  type ApplicationOptions,
  type FwLifeCycle,
} from '../app.ts'
import { fetchHandler, type FetchHandler } from './fetch-handler.ts'
import { HttpServer } from './http-server.ts'
import type { ListenAddress } from './listen-address.ts'
import { nodeHandler, type NodeHandler } from './node-handler.ts'
import type { ServerSettings } from './server-settings.ts'

// What a file or a variable says is text; no address is a number alone.
function proxiesOf(trusted: readonly string[] = []): readonly string[] | number {
  const [only = ''] = trusted
  return trusted.length === 1 && /^\d{1,2}$/.test(only) ? Number(only) : trusted
}

/** How `createApp` starts an application; the root defaults to the current folder. */
export type AppOptions = Partial<ApplicationOptions>

/** A started application. */
export class App {
  readonly application: Application
  readonly #settings: ServerSettings
  readonly #servers: HttpServer[] = []
  #handler: NodeHandler | undefined
  #taking: HttpServer | undefined

  constructor(application: Application) {
    this.application = application
    const { trustedProxies, ...others } = application.settings.server
    const given = Object.entries({ ...others, trustedProxies: proxiesOf(trustedProxies) }).filter(
      ([, value]) => value !== undefined,
    )
    this.#settings = { ...Object.fromEntries(given), logger: application.logger }
  }

  /** `(req, res, next?)` for Node's http, Express and Fastify; what no route answers goes on to `next`. */
  get handler(): NodeHandler {
    return (this.#handler ??= nodeHandler(this.application.handle, this.#settings))
  }

  /** `(request: Request) => Promise<Response>` for Bun, Deno and tests. */
  get fetch(): FetchHandler {
    return fetchHandler(this.application.handle, this.#settings)
  }

  /**
   * Serves on a port of this machine; `host` opens it to the network. Called again, it serves there too.
   * @throws FwError `server.listen-failed`, `server.setting-invalid`
   */
  async listen(port = 8080, host?: string): Promise<ListenAddress> {
    const server = new HttpServer(this.application.handle, this.#settings)
    const address = await server.listen(port, host)
    this.#servers.push(server)
    return address
  }

  /** Serves one request of a connection that another process accepted, as `SocketGate` hands it on. */
  take(socket: Socket): void {
    if (this.#taking === undefined) {
      this.#taking = new HttpServer(this.application.handle, this.#settings)
      this.#servers.push(this.#taking)
    }
    this.#taking.take(socket)
  }

  /** Answers what is in flight, then ends the application. */
  async close(grace?: number): Promise<void> {
    await Promise.all(this.#servers.map((server) => server.close(grace)))
    await this.application.close()
  }

  /** Cuts every connection now. */
  destroy(): void {
    for (const server of this.#servers) server.destroy()
  }
}

/**
 * Starts an application.
 * @throws FwError whatever makes the start senseless; see `startApplication`
 */
export async function createApp(
  lifeCycle: FwLifeCycle | (new () => FwLifeCycle),
  options: AppOptions = {},
): Promise<App> {
  const made = typeof lifeCycle === 'function' ? new lifeCycle() : lifeCycle
  return new App(await startApplication(made, { ...options, root: options.root ?? process.cwd() }))
}

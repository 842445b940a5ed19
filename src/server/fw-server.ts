/** The server of the micro layer: one file is an app. */
import { FwLifeCycle, type ServletContext } from '../app.ts'
import { createApp, type App, type AppOptions } from './app.ts'
import type { ListenAddress } from './listen-address.ts'

/** What `routes(…)`, `microFilter(…)` and `microServlet(…)` give. */
export interface Mountable {
  mount(ctx: ServletContext, prefix?: string): void
}

class MountAll extends FwLifeCycle {
  readonly #mounts: readonly (readonly [Mountable, string])[]

  constructor(mounts: readonly (readonly [Mountable, string])[]) {
    super()
    this.#mounts = mounts
  }

  override initFwApp(ctx: ServletContext): void {
    for (const [controller, prefix] of this.#mounts) controller.mount(ctx, prefix)
  }
}

/** `await new FwServer().mount(hello).listen(8080)` */
export class FwServer {
  readonly #options: AppOptions
  readonly #mounts: (readonly [Mountable, string])[] = []
  #app: Promise<App> | undefined

  constructor(options: AppOptions = {}) {
    this.#options = options
  }

  /** Mount order is precedence. */
  mount(controller: Mountable, prefix = ''): this {
    this.#mounts.push([controller, prefix])
    return this
  }

  /** The started application, for its handlers; started once. @throws FwError as `createApp` */
  start(): Promise<App> {
    return (this.#app ??= createApp(new MountAll(this.#mounts), this.#options))
  }

  /** @throws FwError `server.listen-failed` */
  async listen(port?: number, host?: string): Promise<ListenAddress> {
    return (await this.start()).listen(port, host)
  }

  async close(grace?: number): Promise<void> {
    const app = await this.#app?.catch(() => undefined)
    await app?.close(grace)
  }
}

/** The tables of a running application, compiled anew when a controller's routes change. */
import type { Logger } from '../base.ts'
import { compileMountTable, type MountTable } from './mount-table.ts'
import type { MountedController } from './servlet-context.ts'
import { SlowRoutes } from './slow-routes.ts'

/** A request reads `current` once, so that a change never reaches it half way. */
export class LiveRoutes {
  current: MountTable
  readonly #slow: SlowRoutes
  readonly #stops: readonly (() => void)[]

  /** @throws FwError whatever `compileMountTable` throws; later it reaches whoever changed the routes */
  constructor(controllers: readonly MountedController[], contextPath: string, logger: Logger) {
    this.#slow = new SlowRoutes(logger)
    const compile = (): MountTable => {
      const table = compileMountTable(controllers, contextPath)
      this.#slow.look(table.mountPaths.keys())
      return table
    }
    this.current = compile()
    this.#stops = [...new Set(controllers.map(({ controller }) => controller))].map((controller) =>
      controller.watch(() => {
        this.current = compile()
      }),
    )
  }

  /** Changes are looked at no more. */
  stop(): void {
    for (const stop of this.#stops) stop()
  }
}

/** What an application does when it starts and stops. */
import type { ServletContext } from './servlet-context.ts'

/**
 * `class Bootstrap extends FwLifeCycle` mounts the application's controllers.
 * @spec General rules › 1
 */
export abstract class FwLifeCycle {
  /** Called once, with the database open; a promise is awaited before the first request. */
  abstract initFwApp(ctx: ServletContext): void | Promise<void>

  /** Called once when the last request has ended, before the database is closed. */
  destroyFwApp(_ctx: ServletContext): void | Promise<void> {}
}

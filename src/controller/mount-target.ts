/** Where controllers are mounted, as they see it; the application's start has it. */
import type { Ctor, Registrations } from '../action.ts'
import type { DeclaredRoute } from './declared-route.ts'
import type { ControllerDescription } from './route-description.ts'

/** A controller class with its routes and the filters of its routes object. */
export interface MountableController {
  readonly controllerClass: Ctor
  /** As they are now. */
  readonly routes: readonly DeclaredRoute[]
  readonly own: Registrations
  /** What `describe` said last. */
  readonly description: ControllerDescription
  /** The member of the routes object that the route is; absent for one that was added later. */
  keyOf(route: DeclaredRoute): string | undefined
  /** Calls `changed` after each change of the routes, until what it returns is called. */
  watch(changed: () => void): () => void
}

/** Takes controllers in mount order. */
export interface MountTarget {
  /** @param prefix text before all paths: `/admin`, `/admin/` and `/admin/*` are the same; `''` for none */
  addController(controller: MountableController, prefix: string): void
}

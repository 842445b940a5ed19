/** `DispatchParts`: what an application uses to respond to a request. */
import type { FwContext, Services } from '../action.ts'
import type { LiveRoutes } from './mount-table.ts'
import type { StaticFiles } from './static-files.ts'

export interface DispatchParts {
  readonly live: LiveRoutes
  /** True if the query parameter `_method` of a POST replaces the method. */
  readonly overridesMethod: boolean
  readonly services: Services
  readonly files: StaticFiles
  /** Called for each request with a valid path and method, before its route is looked up. */
  readonly onRequest: ((ctx: FwContext) => void) | undefined
}

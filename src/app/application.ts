/** A started application: a function of requests, and its end. */
import type { Handler } from '../http.ts'
import type { Logger } from '../base.ts'
import type { Configuration } from '../config.ts'
import type { Database } from '../db.ts'
import type { MountedRoute } from './mount-table.ts'
import type { ApplicationSettings } from './settings.ts'

/** What `startApplication` gives. */
export interface Application {
  /** Answers a request; a container or a test calls it. */
  readonly handle: Handler
  readonly configuration: Configuration
  /** Every setting of Fw's, checked. */
  readonly settings: ApplicationSettings
  readonly logger: Logger
  /** Absent when the application uses none. */
  readonly database: Database | undefined
  /** Every route as it is now, controller by controller in the order of their precedence. */
  readonly routes: readonly MountedRoute[]
  /** Ends what the application began; the caller has stopped sending requests. Closing again does nothing. */
  close(): Promise<void>
}

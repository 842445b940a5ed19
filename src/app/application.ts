/** A started application: a function of requests, and its end. */
import type { FwContext } from '../action.ts'
import type { Handler, HttpRequest } from '../http.ts'
import type { Logger } from '../base.ts'
import type { Configuration } from '../config.ts'
import type { Database } from '../db.ts'
import type { MessageCatalog } from '../i18n.ts'
import type { AnyUrlParams, Route, UrlQuery } from '../routing.ts'
import type { SessionManager } from '../session.ts'
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
  readonly sessions: SessionManager
  /** The folder of its package.json. */
  readonly root: string
  /** The context that a request would have, its route's filters not run: for what looks at an application. */
  contextOf(request: HttpRequest): FwContext
  /** Every route as it is now, controller by controller in the order of their precedence. */
  readonly routes: readonly MountedRoute[]
  readonly messages: MessageCatalog
  /** The path of a route, for work outside a request; below the first of its mount paths. @throws FwError `routing.*` */
  readonly url: (route: Route, params?: AnyUrlParams, query?: UrlQuery) => string
  /** Ends what the application began; the caller has stopped sending requests. Closing again does nothing. */
  close(): Promise<void>
}

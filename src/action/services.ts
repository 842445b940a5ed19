/** What a request may use of the application it belongs to; the app room makes it once. */
import type { Logger } from '../base.ts'
import type { MessageCatalog } from '../i18n.ts'
import type { Route } from '../routing.ts'
import type { SessionManager } from '../session.ts'
import type { ViewEngine, ViewHelper } from '../view.ts'
import type { BodyLimits } from './request.ts'

/** The application as its requests see it: immutable after the start. */
export interface Services {
  readonly logger: Logger
  /** Shows sources, stacks and the request on error pages; on in development only. */
  readonly showErrors: boolean
  /** Adds `Secure` to cookies and refuses what production must not do. */
  readonly production: boolean
  /** `''` at the root, else `/prefix` without a slash at its end. */
  readonly contextPath: string
  readonly limits: BodyLimits
  readonly views: ViewEngine
  readonly messages: MessageCatalog
  readonly sessions: SessionManager
  /** Origins, beside the own, that may send unsafe requests. */
  readonly trustedOrigins: ReadonlySet<string>
  /** Hosts, beside the own, that `redirect` may lead to. */
  readonly redirectHosts: readonly string[]
  /** The path under which a route's controller is mounted; `''` when at the root or not mounted here. */
  mountPathOf(route: Route): string
  /** Makes `s`, the `fw.Fw` helper of a view, from the request's context. */
  viewHelper(ctx: never): ViewHelper
}

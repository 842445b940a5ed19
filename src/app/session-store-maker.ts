/** What makes the session store of an application, at its start. */
import type { Logger } from '../base.ts'
import type { SecretKeys, SessionLifetime, SessionStore } from '../session.ts'

/** What the maker of a session store may use of the application. */
export interface SessionSurroundings {
  /** `session.idleTimeout` and `session.absoluteTimeout` of the configuration. */
  readonly lifetime: SessionLifetime
  /** Keys made of `secretKeyBase`. */
  readonly keys: SecretKeys
  readonly logger: Logger
}

/** Makes the one store of an application. */
export type SessionStoreMaker = (
  around: SessionSurroundings,
) => SessionStore | Promise<SessionStore>

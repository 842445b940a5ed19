/** The visitor's session in one request: read before the first filter, kept after the last. */
import type { Flash, Session, SessionCookieChange, SessionManager } from '../session.ts'

/** Nothing is read, made or kept before it is asked for. */
export class SessionScope {
  readonly #sessions: SessionManager
  readonly #cookieHeader: string | undefined
  #session: Session | undefined
  #flash: Flash | undefined
  /** It could not be read: nothing of what stands in for it is kept. */
  #unread = false
  #cookie: SessionCookieChange | undefined

  constructor(sessions: SessionManager, cookieHeader: string | undefined) {
    this.#sessions = sessions
    this.#cookieHeader = cookieHeader
  }

  /** The session if this request brought or touched one. */
  get known(): Session | undefined {
    return this.#session
  }

  /** @throws FwError `session.not-loaded` */
  get session(): Session {
    return (this.#session ??= this.#sessions.open(this.#cookieHeader))
  }

  get flash(): Flash {
    return (this.#flash ??= this.#sessions.flashOf(this.session))
  }

  /** What the response has to do with the session's cookie, once all is kept. */
  get cookie(): SessionCookieChange | undefined {
    return this.#cookie
  }

  /** @throws HttpError 503 `session.store-unavailable` */
  load(): Promise<void> | undefined {
    if (this.#session !== undefined) return undefined
    return this.#sessions.load(this.#cookieHeader)?.then(
      (session) => {
        this.#session = session
      },
      (error: unknown) => {
        this.#session = this.#sessions.openUnread()
        this.#unread = true
        throw error
      },
    )
  }

  /** Sweeps the flash and writes what changed; nothing for a request without a session. */
  save(): Promise<void> | undefined {
    if (this.#session === undefined || this.#unread) return undefined
    this.flash.sweep()
    return this.#session.commit()?.then((change) => {
      this.#cookie = change
    })
  }
}

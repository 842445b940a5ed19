/** The visitor's session in one request: read before the first filter, written after the last one. */
import type { Flash, Session, SessionCookieChange, SessionManager } from '../session.ts'

/** Reads, creates and stores nothing before the first use. */
export class SessionScope {
  readonly #sessions: SessionManager
  readonly #cookieHeader: string | undefined
  #session: Session | undefined
  #flash: Flash | undefined
  /** Nothing is stored: the session could not be read, or the request was refused. */
  #ignored = false
  #detached = false
  #cookie: SessionCookieChange | undefined

  constructor(sessions: SessionManager, cookieHeader: string | undefined) {
    this.#sessions = sessions
    this.#cookieHeader = cookieHeader
  }

  /** The session if this request brought or touched one. */
  get loaded(): Session | undefined {
    return this.#session
  }

  /** @throws FwError `session.not-loaded` */
  get session(): Session {
    return (this.#session ??= this.#sessions.open(this.#cookieHeader))
  }

  get flash(): Flash {
    return (this.#flash ??= this.#sessions.createFlash(this.session))
  }

  /** The change of the session cookie, known once the session is stored. */
  get cookie(): SessionCookieChange | undefined {
    return this.#cookie
  }

  /** True if `ignore` left the session unread. */
  get detached(): boolean {
    return this.#detached
  }

  /** From now on nothing is read or stored; a session that was not read seems empty. */
  ignore(): void {
    this.#detached ||= this.#session === undefined
    this.#session ??= this.#sessions.openEmpty()
    this.#ignored = true
  }

  /** As `ignore`, unless the session was read, or the request brought none. */
  ignoreUnread(): void {
    if (this.#session === undefined && this.#sessions.isNamedIn(this.#cookieHeader)) this.ignore()
  }

  /** @throws HttpError 503 `session.store-unavailable` */
  load(): Promise<void> | undefined {
    if (this.#session !== undefined) return undefined
    const reading = this.#sessions.load(this.#cookieHeader)
    return reading === undefined ? undefined : this.#settle(reading)
  }

  async #settle(reading: Promise<Session>): Promise<void> {
    try {
      this.#session = await reading
    } catch (error) {
      this.ignore()
      throw error
    }
  }

  /** Sweeps the flash and writes the changed attributes; does nothing for a request without a session. */
  save(): Promise<void> | undefined {
    if (this.#session === undefined || this.#ignored) return undefined
    this.flash.sweep()
    return this.#session.commit()?.then((change) => {
      this.#cookie = change
    })
  }
}

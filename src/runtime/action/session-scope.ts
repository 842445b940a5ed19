/** `SessionScope`: loads and stores the session of one request. Without a cookie, only a changed session is stored. */
import type { Flash, Session, SessionCookieChange, SessionManager } from '../session.ts'
import type { RequestCookies } from './request-cookies.ts'
import { isShownPage, type ShownPage } from './shown-page.ts'

export class SessionScope {
  readonly #sessions: SessionManager
  readonly #cookieHeader: string | undefined
  #session: Session | undefined
  #flash: Flash | undefined
  /** True if changes are not stored: the session could not be read, or the request was refused. */
  #ignored = false
  #detached = false
  #cookie: SessionCookieChange | undefined

  constructor(sessions: SessionManager, cookieHeader: string | undefined) {
    this.#sessions = sessions
    this.#cookieHeader = cookieHeader
  }

  /** The session if it has been loaded or created in this request; otherwise undefined. */
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

  /** True after `save` if the response must set or delete the session cookie. */
  get changesCookie(): boolean {
    return this.#cookie !== undefined
  }

  discardCookie(): void {
    this.#cookie = undefined
  }

  writeCookie(cookies: RequestCookies): void {
    const { name, options } = this.#sessions.cookie
    const change = this.#cookie
    if (change === undefined) return
    if ('set' in change) cookies.set(name, change.set, options)
    else cookies.delete(name, options)
  }

  /** True after `ignore`. */
  get ignored(): boolean {
    return this.#ignored
  }

  /** True if `ignore` was called before the session was read. */
  get detached(): boolean {
    return this.#detached
  }

  /** From now on the session is neither read nor stored. If it has not been read yet, it is empty. */
  ignore(): void {
    this.#detached ||= this.#session === undefined
    this.#session ??= this.#sessions.openEmpty()
    this.#ignored = true
  }

  /** Calls `ignore`, unless the session was already read or the request has no session cookie. */
  ignoreUnread(): void {
    if (this.#session === undefined && this.#sessions.isNamedIn(this.#cookieHeader)) this.ignore()
  }

  /** Loads the session that the cookie names. @throws HttpError 503 `session.store-unavailable` */
  load(): Promise<void> | undefined {
    if (this.#session !== undefined) return undefined
    return this.#sessions.load(this.#cookieHeader)?.then(
      (session) => {
        this.#session = session
      },
      (error: unknown) => {
        this.ignore()
        throw error
      },
    )
  }

  /**
   * Removes the flash values that `ctx` has shown and stores changed session attributes. Does nothing for a request without a
   * session.
   */
  save(ctx: ShownPage): Promise<void> | undefined {
    if (this.#session === undefined || this.#ignored) return undefined
    if (this.flash.isWaiting) this.flash.sweep(isShownPage(ctx))
    return this.#session.commit()?.then((change) => {
      this.#cookie = change
    })
  }
}

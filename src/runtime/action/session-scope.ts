/** `SessionScope`: the session, flash and forgery token of one request. Without a cookie, only a changed session is stored. */
import {
  ForgeryToken,
  TokenCookie,
  type Flash,
  type Session,
  type SessionCookieChange,
  type SessionManager,
  type TokenStore,
} from '../session.ts'
import type { FwRequest } from './request.ts'
import type { RequestCookies } from './request-cookies.ts'
import { isCrossSite } from './request-origin.ts'
import { isShownPage, type ShownPage } from './shown-page.ts'

/** The members of `FwContext` that are used here: importing the class would be an import cycle. */
interface RequestOfSession extends ShownPage {
  readonly request: FwRequest
  readonly services: { readonly sessions: SessionManager }
  readonly plan: { readonly savesSession: boolean } | undefined
  readonly cookies: RequestCookies
  readonly isPrefetch: boolean
}

export class SessionScope {
  readonly #ctx: RequestOfSession
  readonly #cookieHeader: string | undefined
  #session: Session | undefined
  #flash: Flash | undefined
  /** True if changes are not stored: the session could not be read, or the request was refused. */
  #isIgnored = false
  /** True if the session was ignored before it was read. */
  #isDetached = false
  #isRefused = false
  /**
   * True if the request did not prove the device of its session. Only a login is stored then: anything else would replace the
   * cookie of the visitor's session.
   */
  #isUnproven = false
  /** True if the response may begin a forgery token; false on error pages and for refused requests. */
  #createsToken = true
  #cookie: SessionCookieChange | undefined
  /** The header that asks the browser to bind the session to its device. */
  #registration: string | undefined

  constructor(ctx: RequestOfSession) {
    this.#ctx = ctx
    this.#cookieHeader = ctx.request.http.header('cookie')
  }

  get #sessions(): SessionManager {
    return this.#ctx.services.sessions
  }

  /** The session if it has been loaded or created in this request; otherwise undefined. */
  get loaded(): Session | undefined {
    return this.#session
  }

  /** The visitor's session. A new session is stored only after a value is set. @throws FwError `session.not-loaded` */
  get session(): Session {
    const session = (this.#session ??= this.#sessions.open(this.#cookieHeader))
    const isUnsaved = this.#isRefused || this.#ctx.plan?.savesSession === false
    session.refuseChanges(isUnsaved ? 'unsaved' : this.#isForeign ? 'cross-site' : undefined)
    return session
  }

  get flash(): Flash {
    return (this.#flash ??= this.#sessions.createFlash(this.session))
  }

  /** True for a form of another site without the session cookie, which the visitor's browser may nevertheless have. */
  get #isForeign(): boolean {
    const { http, isSafe } = this.#ctx.request
    if (isSafe || this.#isIgnored || !isCrossSite(http)) return false
    return !this.#sessions.isNamedIn(this.#cookieHeader)
  }

  /** True after `refuse`. */
  get isRefused(): boolean {
    return this.#isRefused
  }

  /** Ignores the session cookie, even if an earlier route has read it. The session is then empty, and changing it throws. */
  refuse(): void {
    this.#isRefused = true
    this.#session = this.#flash = this.#cookie = undefined
    this.#isIgnored = this.#isDetached = false
    if (this.#cookieHeader !== undefined) this.ignore()
  }

  /**
   * From now on the session is neither read nor stored, and no forgery token begins; for a refused request. If the session has
   * not been read yet, it is empty.
   */
  ignore(): void {
    this.#createsToken = false
    this.#detach()
  }

  #detach(): void {
    this.#isDetached ||= this.#session === undefined
    this.#session ??= this.#sessions.openEmpty()
    this.#isIgnored = true
  }

  /** Prepares an error page: no forgery token begins, and a session that has not been read yet is not read. */
  leave(): void {
    this.#createsToken = false
    if (this.#session === undefined && this.#sessions.isNamedIn(this.#cookieHeader)) this.#detach()
  }

  /** Loads the session that the cookie names, so that `session` can return it. @throws HttpError 503 `session.store-unavailable` */
  load(): Promise<void> | undefined {
    if (this.#session !== undefined) return undefined
    return this.#sessions.load(this.#cookieHeader)?.then(
      (session) => {
        const isAccepted = this.#sessions.acceptsDevice(session, this.#cookieHeader)
        this.#isUnproven = !isAccepted
        this.#session = isAccepted ? session : this.#sessions.openEmpty()
        // The page of a visitor without the cookie of the device is not that of the session.
        if (!isAccepted) this.#session.markUsed()
      },
      (error: unknown) => {
        this.#detach()
        throw error
      },
    )
  }

  /**
   * Removes the flash values that the response has shown and stores changed session attributes, except for a prefetch. Does
   * nothing for a request without a session.
   */
  save(): Promise<void> | undefined {
    const session = this.#session
    if (session === undefined || this.#ctx.isPrefetch) return undefined
    if (session.isBeginning) this.#findTokenStore(session)
    if (this.#isIgnored || (this.#isUnproven && !session.isLoggingIn)) return undefined
    if (this.flash.isWaiting) this.flash.sweep(isShownPage(this.#ctx))
    this.#registration = session.isLoggingIn
      ? this.#sessions.deviceBinding?.startRegistration(session)
      : undefined
    return session.commit()?.then((change) => {
      this.#cookie = change
    })
  }

  /** True after `save` if the response must set or delete the session cookie. */
  get changesCookie(): boolean {
    return this.#cookie !== undefined
  }

  discardCookie(): void {
    this.#cookie = this.#registration = undefined
  }

  writeCookie(cookies: RequestCookies): void {
    const { name, options } = this.#sessions.cookie
    const change = this.#cookie
    if (change === undefined) return
    if ('set' in change) cookies.set(name, change.set, options)
    else {
      cookies.delete(name, options)
      const bound = this.#sessions.deviceBinding?.cookieName
      if (bound !== undefined) cookies.delete(bound, options)
    }
    const { headers } = this.#ctx.response
    if (this.#registration !== undefined)
      headers.set('Secure-Session-Registration', this.#registration)
  }

  /** The visitor's forgery token. It is stored in the session, or in a separate cookie until the visitor has a session. */
  get forgeryToken(): ForgeryToken {
    const { session } = this
    // A page with a token must not be cached by shared caches, even if the token comes from the cookie.
    session.markUsed()
    return new ForgeryToken(this.#findTokenStore(session))
  }

  /** Returns the forgery token, masked for this response; on an error page, `undefined` if the visitor has no token yet. */
  maskToken(): string | undefined {
    if (this.#isDetached) return undefined
    const token = this.forgeryToken
    return this.#createsToken && !this.#ctx.isPrefetch && !this.#isForeign
      ? token.mask()
      : token.maskExisting()
  }

  #findTokenStore(session: Session): TokenStore {
    if (!session.isNew) return session
    const cookie = new TokenCookie(this.#ctx.cookies.sealed, this.#sessions.cookie)
    if (!session.isBeginning) return cookie
    const token = cookie.get()
    if (token !== undefined) session.adoptToken(token)
    return session
  }
}

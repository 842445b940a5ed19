/** The sessions of an application: the store, the cookie, and the session of each request. */
import { FwError, silentLogger } from '../base.ts'
import type { Logger } from '../base.ts'
import type { CookieOptions } from '../http.ts'
import { Flash, type FlashOptions } from './flash.ts'
import { Session } from './request-session.ts'
import type { SessionStore } from './session-store.ts'

/** The name and the attributes of the session cookie. */
export interface SessionCookie {
  readonly name: string
  readonly options: CookieOptions
}

/** Sets apart the sessions of applications on one host. */
export interface SessionCookieOptions {
  /** Default `fw_session`; production adds a prefix. */
  readonly name?: string
  /** The path of the application; default `/`. */
  readonly path?: string
}

/**
 * `__Host-fw_session` with `Secure` in production, `fw_session` in development, which serves pages over http. Browsers accept
 * `__Host-` only with the path `/`: with another one the prefix is `__Secure-`. Without domain and age the cookie ends with the
 * browser, and the record by its own lifetime.
 */
export function sessionCookie(
  production: boolean,
  { name = 'fw_session', path = '/' }: SessionCookieOptions = {},
): SessionCookie {
  const prefix = path === '/' ? '__Host-' : '__Secure-'
  return {
    name: production ? `${prefix}${name}` : name,
    options: { path, httpOnly: true, sameSite: 'lax', secure: production },
  }
}

const sweepBatch = 1000

/** Created once per application, at the start. */
export class SessionManager {
  readonly store: SessionStore
  readonly cookie: SessionCookie
  readonly #logger: Logger
  readonly #flashOptions: FlashOptions
  #isStoreChosen = true

  constructor(
    store: SessionStore,
    cookie: SessionCookie,
    logger: Logger = silentLogger,
    flashOptions: FlashOptions = {},
  ) {
    this.store = store
    this.cookie = cookie
    this.#logger = logger
    this.#flashOptions = flashOptions
  }

  /** For the store of an application that has chosen none. */
  markDefaultStore(): this {
    this.#isStoreChosen = false
    return this
  }

  /** Logs once that `fwSession` is used with the default store. */
  reportDefaultStore(): void {
    if (this.#isStoreChosen) return
    this.#isStoreChosen = true
    this.#logger.warn(
      {},
      'fwSession is used, but no FwSessionInitializer is mounted: sessions stay in this process and end with it.',
    )
  }

  /**
   * Reads the session of the request's `Cookie` header. Returns `undefined` synchronously when the header has no session
   * cookie; `open` then returns a new session.
   * @throws HttpError 503 `session.store-unavailable`
   */
  load(cookieHeader: string | undefined): Promise<Session> | undefined {
    const id = readSessionCookie(cookieHeader, this.cookie.name)
    return id === undefined ? undefined : Session.load(this.store, id, this.#logger)
  }

  /** Whether the request's `Cookie` header has a session cookie, valid or not. */
  isNamedIn(cookieHeader: string | undefined): boolean {
    return readSessionCookie(cookieHeader, this.cookie.name) !== undefined
  }

  /**
   * A new session for a request without a session cookie.
   * @throws FwError `session.not-loaded` for a request with one: a new session would overwrite the visitor's
   */
  open(cookieHeader: string | undefined): Session {
    if (!this.isNamedIn(cookieHeader)) return this.openEmpty()
    throw new FwError(
      'session.not-loaded',
      'The session was used before it was read. Mix a session feature into the controller, or await load() first.',
    )
  }

  /** An empty session for a request whose session is not read; never commit it. */
  openEmpty(): Session {
    return new Session(this.store, this.#logger)
  }

  /** The flash of a session. Create it once per request, because it records which entries the request reads. */
  createFlash(session: Session): Flash {
    return new Flash(session, this.#flashOptions)
  }

  /** Logs an owner out everywhere except in the session `except`; returns how many sessions ended. */
  endSessionsOf(owner: string, except?: Session): Promise<number> {
    return this.store.endSessionsOf(owner, except?.stored)
  }

  async close(): Promise<void> {
    await this.store.close?.()
  }

  /** Removes expired records in batches; returns how many. */
  async sweep(): Promise<number> {
    let total = 0
    for (;;) {
      const removed = await this.store.sweep(sweepBatch)
      total += removed
      if (removed < sweepBatch) return total
    }
  }

  /** Sweeps every `seconds` until the returned function is called. A failed sweep is logged; the next one tries again. */
  startSweeping(seconds = 300): () => void {
    const timer = setInterval(() => {
      this.sweep().catch((error: unknown) => this.#logger.error({ error }, 'session sweep failed'))
    }, seconds * 1000)
    timer.unref()
    return () => clearInterval(timer)
  }
}

/** The undecoded value of the first cookie of this name in a `Cookie` header; `undefined` when absent or empty. */
export function readSessionCookie(header: string | undefined, name: string): string | undefined {
  if (header === undefined) return undefined
  for (let at = header.indexOf(name); at !== -1; at = header.indexOf(name, at + 1)) {
    if (!startsPair(header, at) || header[at + name.length] !== '=') continue
    const end = header.indexOf(';', at)
    const value = header.slice(at + name.length + 1, end === -1 ? undefined : end).trim()
    return value === '' ? undefined : value
  }
  return undefined
}

function startsPair(header: string, at: number): boolean {
  let before = at - 1
  while (before >= 0 && (header[before] === ' ' || header[before] === '\t')) before--
  return before < 0 || header[before] === ';'
}

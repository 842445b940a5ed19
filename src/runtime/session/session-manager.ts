/** Manages the sessions of an application: the store, the cookie, and the session of each request. */
import { FwError, silentLogger, type Logger } from '../base.ts'
import type { CookieOptions } from '../http.ts'
import { Flash, type FlashOptions } from './flash.ts'
import { Session } from './request-session.ts'
import type { SessionStore } from './session-store.ts'

/** The name and the attributes of the session cookie. */
export interface SessionCookie {
  readonly name: string
  readonly options: CookieOptions
}

/** Options that keep apart the session cookies of several applications on one host. */
export interface SessionCookieOptions {
  /** The name of the cookie; default `fw_session`. A secure cookie gets a prefix. */
  readonly name?: string
  /** The path of the application; default `/`. */
  readonly path?: string
}

/**
 * Returns the session cookie: `__Host-fw_session` with `Secure` for https, otherwise `fw_session`. Browsers accept `__Host-`
 * only with the path `/`; the prefix for another path is `__Secure-`.
 * The browser deletes the cookie when it closes, because the cookie has no maximum age. The record expires by the
 * lifetimes of the store.
 */
export function sessionCookie(
  secure: boolean,
  { name = 'fw_session', path = '/' }: SessionCookieOptions = {},
): SessionCookie {
  const prefix = path === '/' ? '__Host-' : '__Secure-'
  return {
    name: secure ? `${prefix}${name}` : name,
    options: { path, httpOnly: true, sameSite: 'lax', secure },
  }
}

const sweepBatch = 1000

/** The session manager. An application creates one when it starts. */
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

  /** Marks the store as the default of an application that has configured none. */
  markDefaultStore(): this {
    this.#isStoreChosen = false
    return this
  }

  /** Logs a warning, once, if `fwSession` is used with the default store. */
  reportDefaultStore(): void {
    if (this.#isStoreChosen) return
    this.#isStoreChosen = true
    this.#logger.warn(
      {},
      'fwSession is used, but no FwSessionInitializer is mounted: sessions stay in this process and end with it.',
    )
  }

  /**
   * Reads the session of the request's `Cookie` header. Returns `undefined` synchronously without a session cookie;
   * `open` then returns a new session.
   * @throws HttpError 503 `session.store-unavailable`
   */
  load(cookieHeader: string | undefined): Promise<Session> | undefined {
    const id = readSessionCookie(cookieHeader, this.cookie.name)
    return id === undefined ? undefined : Session.load(this.store, id, this.#logger)
  }

  /** Returns true if the request's `Cookie` header contains a session cookie, valid or not. */
  isNamedIn(cookieHeader: string | undefined): boolean {
    return readSessionCookie(cookieHeader, this.cookie.name) !== undefined
  }

  /**
   * Creates a new session for a request without a session cookie.
   * @throws FwError `session.not-loaded` for a request with a session cookie, because a new session would overwrite the
   * visitor's session
   */
  open(cookieHeader: string | undefined): Session {
    if (!this.isNamedIn(cookieHeader)) return this.openEmpty()
    throw new FwError(
      'session.not-loaded',
      'The session was used before it was read. Mix a session feature into the controller, or await load() first.',
    )
  }

  /** Creates an empty session for a request whose session is not read. Never commit it. */
  openEmpty(): Session {
    return new Session(this.store, this.#logger)
  }

  /** Creates the flash of a session. Call it once per request, because the flash records which entries the request reads. */
  createFlash(session: Session): Flash {
    return new Flash(session, this.#flashOptions)
  }

  async close(): Promise<void> {
    await this.store.close?.()
  }

  /** Removes expired records in batches, and returns their number. */
  async sweep(): Promise<number> {
    let total = 0
    for (;;) {
      const removed = await this.store.sweep(sweepBatch)
      total += removed
      if (removed < sweepBatch) return total
    }
  }

  /**
   * Removes expired records every `seconds`, until the returned function is called. Logs a failed sweep, and tries again later.
   */
  startSweeping(seconds = 300): () => void {
    const timer = setInterval(() => {
      this.sweep().catch((err: unknown) => this.#logger.error({ err }, 'session sweep failed'))
    }, seconds * 1000)
    timer.unref()
    return () => clearInterval(timer)
  }
}

/** Returns the undecoded value of the first cookie of this name; `undefined` for a missing or empty cookie. */
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

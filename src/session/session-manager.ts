/** What an application keeps about sessions: the store, the cookie, and how a request gets its session. */
import { FwError, silentLogger } from '../base.ts'
import type { Logger } from '../base.ts'
import { Flash, type FlashOptions } from './flash.ts'
import { Session } from './request-session.ts'
import { readSessionCookie } from './session-cookie.ts'
import type { SessionCookie } from './session-cookie.ts'
import type { SessionStore } from './store.ts'

const sweepBatch = 1000

/** One for the whole application; made at the start. */
export class SessionManager {
  readonly store: SessionStore
  readonly cookie: SessionCookie
  readonly #logger: Logger
  readonly #flashOptions: FlashOptions

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

  /**
   * Reads the session that the request's `Cookie` header names; `undefined`, without a promise, when it names none: then
   * `open` makes a new one at no cost.
   * @throws HttpError 503 `session.store-unavailable`
   */
  load(cookieHeader: string | undefined): Promise<Session> | undefined {
    const id = readSessionCookie(cookieHeader, this.cookie.name)
    return id === undefined ? undefined : Session.load(this.store, id, this.#logger)
  }

  /**
   * A new session for a request that brought none.
   * @throws FwError `session.not-loaded` when it did bring one: a new one would drive it out
   */
  open(cookieHeader: string | undefined): Session {
    if (readSessionCookie(cookieHeader, this.cookie.name) === undefined)
      return new Session(this.store, this.#logger)
    throw new FwError(
      'session.not-loaded',
      'The session was used before it was read. Mix a session feature into the controller, or await load() first.',
    )
  }

  /** A session that nothing is read into and nothing kept of: for the error page of a request whose own could not be read. */
  openUnread(): Session {
    return new Session(this.store, this.#logger)
  }

  /** The messages in a session. One for each request: it knows what the request read. */
  flashOf(session: Session): Flash {
    return new Flash(session, this.#flashOptions)
  }

  /** Logs an owner out everywhere, but for `except`; answers how many sessions ended. */
  destroyAllOf(owner: string, except?: Session): Promise<number> {
    return this.store.destroyAllOf(owner, except?.stored)
  }

  /** Ends what the store opened. */
  async close(): Promise<void> {
    await this.store.close?.()
  }

  /** Removes dead records in batches; answers how many. */
  async sweep(): Promise<number> {
    let total = 0
    for (;;) {
      const removed = await this.store.sweep(sweepBatch)
      total += removed
      if (removed < sweepBatch) return total
    }
  }

  /** Sweeps at intervals of `seconds` until the answered function is called. A sweep that fails is logged and tried again. */
  startSweeping(seconds = 300): () => void {
    const timer = setInterval(() => {
      this.sweep().catch((error: unknown) => this.#logger.error({ error }, 'session sweep failed'))
    }, seconds * 1000)
    timer.unref()
    return () => clearInterval(timer)
  }
}

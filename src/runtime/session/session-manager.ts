/** Manages the sessions of an application: the store, the cookie, and the session of each request. */
import { FwError, silentLogger, type Logger } from '../base.ts'
import type { DeviceBinding } from './device-binding.ts'
import { Flash, type FlashOptions } from './flash.ts'
import { Session } from './request-session.ts'
import { readSessionCookie, type SessionCookie } from './session-cookie.ts'
import type { SessionStore } from './session-store.ts'

const sweepBatch = 1000

/** The session manager. An application creates one when it starts. */
export class SessionManager {
  readonly store: SessionStore
  readonly cookie: SessionCookie
  readonly #logger: Logger
  readonly #flashOptions: FlashOptions
  #isStoreChosen = true
  #deviceBinding: DeviceBinding | undefined

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

  /** Binds sessions to devices; `undefined` unless `bindToDevices` was called. */
  get deviceBinding(): DeviceBinding | undefined {
    return this.#deviceBinding
  }

  /** @throws FwError `session.store-limited` with sessions in cookies, where a client can repeat an old challenge */
  bindToDevices(binding: DeviceBinding): void {
    if (this.store.storesInCookie === true)
      throw new FwError(
        'session.store-limited',
        'session.deviceBound needs sessions on the server: a client can send an old session cookie again, with its old challenge.',
      )
    this.#deviceBinding = binding
  }

  /**
   * Returns true if the request may use the session. Logs a session whose device the request does not prove: its cookie may
   * have been stolen, or the browser could not refresh the bound cookie.
   */
  acceptsDevice(session: Session, cookieHeader: string | undefined): boolean {
    if (this.#deviceBinding?.accepts(session, cookieHeader) !== false) return true
    this.#logger.warn({}, 'a session was sent without the valid cookie of its device, and ignored')
    return false
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

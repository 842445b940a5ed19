/** The session of one request: read once, changed in memory, written in the commit step. */
import { FwError, HttpError, silentLogger } from '../base.ts'
import type { Logger } from '../base.ts'
import { checkAttributeName, decodeValue, encodeValue } from './attributes.ts'
import type { SessionAttributes } from './attributes.ts'
import { csrfKey } from './forgery-token.ts'
import { sessionChannel, SessionEvent } from './session-event.ts'
import {
  mergeAttributes,
  type SessionChanges,
  type SessionStore,
  type StoredSession,
} from './session-store.ts'

/** How the response changes the session cookie. */
export type SessionCookieChange = { readonly set: string } | { readonly clear: true }

/** Converts text, as `ParamType` does; `undefined` when it does not convert. */
export interface TextType<T> {
  parse(text: string): T | undefined
}

const maxOwnerLength = 255

/**
 * A visitor's session. The record and the cookie are created when the first value is set. Objects that were read and then
 * changed in place are written too. Concurrent requests each write only the attributes they changed; on the same attribute
 * the later commit wins.
 * @spec Session filter and mounting
 */
export class Session implements SessionAttributes {
  readonly #store: SessionStore
  readonly #logger: Logger
  #stored: StoredSession | undefined
  /** The id in the request's cookie, valid or not. */
  #clientId: string | undefined
  /** The record that `endSession` removes at commit. */
  #ending: StoredSession | undefined
  #ended = false
  #renewing = false
  #used = false
  #refusesChanges = false
  #owner: string | undefined
  /** Decoded or set values; `undefined` means absent. */
  readonly #values = new Map<string, unknown>()
  /** Names that this request set or deleted. */
  readonly #written = new Set<string>()

  /** A session without a record; `Session.load` reads one. */
  constructor(store: SessionStore, logger: Logger = silentLogger) {
    this.#store = store
    this.#logger = logger
  }

  /**
   * Reads the record of the client's id. An unknown id is never adopted: the session is then new.
   * @throws HttpError 503 `session.store-unavailable`
   */
  static load(store: SessionStore, clientId: string, logger?: Logger): Promise<Session> {
    if (!sessionChannel.active) return this.#read(store, clientId, logger)
    const event = new SessionEvent('read', store)
    return sessionChannel.trace(event, () => this.#read(store, clientId, logger))
  }

  static async #read(store: SessionStore, clientId: string, logger?: Logger): Promise<Session> {
    const session = new Session(store, logger)
    session.#clientId = clientId
    try {
      session.#stored = await store.read(clientId)
    } catch (error) {
      throw toStoreError(error)
    }
    return session
  }

  /** Whether changes throw, because no step of the request would store them; the forgery token is exempt. */
  refuseChanges(refuses: boolean): void {
    this.#refusesChanges = refuses
  }

  /** @throws FwError `session.not-saved` */
  #checkChange(name?: string): void {
    if (!this.#refusesChanges || name === csrfKey) return
    throw new FwError(
      'session.not-saved',
      'This route does not save sessions, so the change would be lost: mix FwSessionFilter into its controller, as in ' +
        'mix(FwApiController, FwSessionFilter). A route with authenticateBearer has no session.',
    )
  }

  /** True while there is no record: no cookie, or an ended session. */
  get isNew(): boolean {
    return this.#stored === undefined
  }

  /** True if `commit` will create a record, or would have renewed one. */
  get isBeginning(): boolean {
    if (this.#stored !== undefined) return false
    if (this.#renewing || this.#owner !== undefined) return true
    return this.#values.values().some((value) => value !== undefined)
  }

  /** Gives a session that begins the token of the visitor's open forms. A renewed or ended session needs a new token. */
  adoptToken(token: string): void {
    if (this.isBeginning && !this.#renewing && !this.#ended && !this.has(csrfKey))
      this.set(csrfKey, token)
  }

  /** The record as this request read it; `undefined` while there is none. */
  get stored(): StoredSession | undefined {
    return this.#stored
  }

  /** True after any read or write of a value: the response is private and must not be cached. */
  get used(): boolean {
    return this.#used
  }

  /** Makes the response private, as a read or write does. */
  markUsed(): void {
    this.#used = true
  }

  /** The value; `undefined` when absent, or when the stored text is unreadable (which is logged). */
  get(name: string): unknown {
    this.#used = true
    const text = this.#values.has(name) ? undefined : this.#stored?.attributes.get(name)
    if (text === undefined) return this.#values.get(name)
    const value = this.#decode(name, text)
    this.#values.set(name, value)
    return value
  }

  /** The value converted from its text, as params are: `getAs('userId', ParamType.Long)`; objects and lists do not convert. */
  getAs<T>(name: string, type: TextType<T>): T | undefined {
    const value = this.get(name)
    if (value === undefined || value === null) return undefined
    if (value instanceof Date) return type.parse(value.toISOString())
    if (Array.isArray(value) || value.toString === Object.prototype.toString) return undefined
    return type.parse(String(value))
  }

  has(name: string): boolean {
    return this.get(name) !== undefined
  }

  /** All attribute names, including those of flash entries and the forgery token. */
  keys(): string[] {
    const names = new Set(this.#stored?.attributes.keys())
    for (const [name, value] of this.#values) {
      if (value === undefined) names.delete(name)
      else names.add(name)
    }
    return [...names]
  }

  /**
   * Stores plain objects, arrays, strings, numbers, booleans, null, bigint, Date, bytes, Map, Set and Temporal values;
   * `undefined` deletes.
   * @throws FwError `session.name-too-long` past 128 characters, `session.name-invalid` for an empty name or one with NUL,
   *   `session.value-invalid`, `session.value-too-large` past 64 KiB of JSON
   */
  set(name: string, value: unknown): void {
    checkAttributeName(name)
    this.#checkChange(name)
    if (value !== undefined) encodeValue(name, value)
    this.#used = true
    this.#values.set(name, value)
    this.#written.add(name)
  }

  delete(name: string): void {
    this.set(name, undefined)
  }

  /**
   * Sets the owner, by which `endSessionsOf(owner)` ends the session from other requests.
   * @throws FwError `session.owner-invalid` unless it has 1 to 255 characters
   */
  sessionBelongsTo(owner: string): void {
    this.#checkChange()
    if (owner.length === 0 || owner.length > maxOwnerLength) {
      throw new FwError(
        'session.owner-invalid',
        `A session's owner has 1 to ${maxOwnerLength} characters, not ${owner.length}.`,
      )
    }
    this.#used = true
    this.#owner = owner
  }

  /**
   * Logs an owner out everywhere; `exceptThis` keeps this session. Returns the number of ended sessions.
   * @throws HttpError 503 `session.store-unavailable`; FwError `session.store-limited` with sessions in cookies
   */
  endSessionsOf(owner: string, { exceptThis = false } = {}): Promise<number> {
    return this.#store.endSessionsOf(owner, exceptThis ? this.#stored : undefined)
  }

  /** Changes the id and the forgery token, and keeps the attributes: call it at each login and change of rights. */
  renewSession(): void {
    this.#checkChange()
    this.#used = true
    this.#renewing = true
    if (this.get(csrfKey) !== undefined) this.delete(csrfKey)
  }

  /** Ends the session on the server; a value set afterwards starts a new session. */
  endSession(): void {
    this.#checkChange()
    this.#used = true
    this.#ending ??= this.#stored
    this.#stored = undefined
    this.#ended = true
    this.#resetChanges()
  }

  /**
   * Writes the changes in one statement and returns the change of the cookie. Returns `undefined` synchronously when there
   * is nothing to write. A record that another request ended is not recreated.
   * @throws HttpError 503 `session.store-unavailable`
   */
  commit(): Promise<SessionCookieChange | undefined> | undefined {
    const attributes = this.#changedAttributes()
    const unchanged =
      attributes.size === 0 && this.#owner === undefined && !this.#renewing && !this.#ended
    if (unchanged && this.#stored?.touchDue !== true) return undefined
    const changes = { attributes, owner: this.#owner }
    if (!sessionChannel.active) return this.#commit(changes)
    const event = new SessionEvent('write', this.#store)
    return sessionChannel.trace(event, () => this.#commit(changes))
  }

  async #commit(changes: SessionChanges): Promise<SessionCookieChange | undefined> {
    let id: string | undefined
    try {
      if (this.#ending !== undefined) await this.#store.endSession(this.#ending)
      id = await this.#write(changes)
    } catch (error) {
      throw toStoreError(error)
    }
    const clear = this.#ended && this.#clientId !== undefined && id === undefined
    this.#afterWrite(id, changes)
    if (clear) {
      this.#clientId = undefined
      return { clear: true }
    }
    if (id === undefined || id === this.#clientId) return undefined
    this.#clientId = id
    return { set: id }
  }

  /** Returns the record's id; `undefined` when there is no record. */
  async #write(changes: SessionChanges): Promise<string | undefined> {
    if (this.#stored === undefined) return this.#create(changes)
    if (!this.#renewing) return this.#store.save(this.#stored, changes)
    this.#stored = await this.#store.renewSession(this.#stored)
    // Another request renewed or ended the session meanwhile: do not copy its attributes into a new one.
    if (this.#stored === undefined) return this.#create(changes)
    const unchanged = changes.attributes.size === 0 && changes.owner === undefined
    return unchanged ? this.#stored.id : this.#store.save(this.#stored, changes)
  }

  async #create(changes: SessionChanges): Promise<string | undefined> {
    const attributes = mergeAttributes(new Map(), changes.attributes)
    if (attributes.size === 0 && changes.owner === undefined) return undefined
    this.#stored = await this.#store.create({ attributes, owner: changes.owner })
    return this.#stored.id
  }

  /** Prepares for a further commit of the same request. */
  #afterWrite(id: string | undefined, changes: SessionChanges): void {
    if (this.#stored !== undefined && id !== undefined) {
      const attributes = mergeAttributes(this.#stored.attributes, changes.attributes)
      this.#stored = { id, key: this.#stored.key, attributes, touchDue: false }
    }
    this.#ending = undefined
    this.#ended = false
    this.#resetChanges()
  }

  #resetChanges(): void {
    this.#renewing = false
    this.#owner = undefined
    this.#values.clear()
    this.#written.clear()
  }

  #changedAttributes(): Map<string, string | undefined> {
    const changed = new Map<string, string | undefined>()
    for (const [name, value] of this.#values) {
      if (this.#written.has(name)) {
        changed.set(name, value === undefined ? undefined : encodeValue(name, value))
      } else if (typeof value === 'object' && value !== null) {
        const text = encodeValue(name, value)
        if (text !== this.#stored?.attributes.get(name)) changed.set(name, text)
      }
    }
    return changed
  }

  #decode(name: string, text: string): unknown {
    try {
      return decodeValue(text)
    } catch (error) {
      this.#logger.warn({ attribute: name, error }, 'session attribute unreadable, taken as absent')
      return undefined
    }
  }
}

/** `HttpError` and the errors of session stores stay as they are; any other error is a failure of the store. */
function toStoreError(cause: unknown): unknown {
  if (cause instanceof HttpError) return cause
  if (cause instanceof FwError && cause.code.startsWith('session.')) return cause
  const message = 'The session could not be read or written.'
  return new HttpError(503, 'session.store-unavailable', message, { cause })
}

/** `fwSession` in a controller: the specification's names for the attributes of the session. @spec Session filter and mounting */
export class FwSession {
  readonly #session: Session

  constructor(session: Session) {
    this.#session = session
  }

  /** The value; `undefined` when absent. */
  getAttribute(name: string): unknown {
    return this.#session.get(name)
  }

  /** As `Session.getAs`. */
  getAs<T>(name: string, type: TextType<T>): T | undefined {
    return this.#session.getAs(name, type)
  }

  /** The value; when absent, stores and returns the result of `make`. */
  getAttributeOrElseUpdate(name: string, make: () => unknown): unknown {
    const value = this.#session.get(name)
    if (value !== undefined) return value
    this.#session.set(name, make())
    return this.#session.get(name)
  }

  /** @throws FwError as `Session.set` does */
  setAttribute(name: string, value: unknown): void {
    this.#session.set(name, value)
  }

  removeAttribute(name: string): void {
    this.#session.delete(name)
  }

  endSession(): void {
    this.#session.endSession()
  }
}

/** The session of one request. It is read once, changed in memory, and written when the request commits it. */
import { FwError, HttpError, silentLogger, WorkChannel, WorkEvent, type Logger } from '../base.ts'
import {
  checkAttributeName,
  decodeValue,
  encodeValue,
  type SessionAttributes,
} from './attributes.ts'
import { csrfKey } from './forgery-token.ts'
import { mergeAttributes, type SessionChanges } from './session-changes.ts'
import type { SessionStore, StoredSession } from './session-store.ts'

/** The event of a request that reads or writes its session. */
export class SessionEvent extends WorkEvent {
  readonly operation: 'read' | 'write'
  /** The class name of the store, such as `DatabaseStore`. */
  readonly store: string

  constructor(operation: 'read' | 'write', store: SessionStore) {
    super()
    this.operation = operation
    this.store = store.constructor.name
  }
}

/** The channels `fw:session:start` and `fw:session:end`. */
export const sessionChannel: WorkChannel<SessionEvent> = new WorkChannel('fw:session')

/** The reason why a request cannot change its session: the route stores none, or a form of another site sent the request. */
type ChangeRefusal = 'unsaved' | 'cross-site'

/** The change of the session cookie that a response makes. */
export type SessionCookieChange = { readonly set: string } | { readonly clear: true }

/** Converts text to a value, as `ParamType` does; `undefined` for text that does not convert. */
export interface TextType<T> {
  parse(text: string): T | undefined
}

const maxOwnerLength = 255

/**
 * A visitor's session. The first value creates the record and the cookie. Changes inside an object that `get` has
 * returned are written too. Concurrent requests write only the attributes that they changed. If two requests change the
 * same attribute, the later commit overwrites the earlier one.
 * @spec Session filter and mounting
 */
export class Session implements SessionAttributes {
  readonly #store: SessionStore
  readonly #logger: Logger
  #stored: StoredSession | undefined
  /** The id in the request's cookie, valid or not. */
  #clientId: string | undefined
  /** The record that `endSession` ends at the commit. */
  #ending: StoredSession | undefined
  #ended = false
  #renewing = false
  #keepsAge = false
  #used = false
  #refusal: ChangeRefusal | undefined
  #owner: string | undefined
  /** The values that this request has decoded or set; `undefined` for an absent attribute. */
  readonly #values = new Map<string, unknown>()
  /** The names of the attributes that this request has set or deleted. */
  readonly #written = new Set<string>()

  /** Creates a session without a record. `Session.load` reads an existing record. */
  constructor(store: SessionStore, logger: Logger = silentLogger) {
    this.#store = store
    this.#logger = logger
  }

  /**
   * Reads the record of the id in the client's cookie. For an unknown id the session is new and gets a different id.
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

  /** With a reason, changes throw, except of the forgery token: the request never stores the session. */
  refuseChanges(refusal: ChangeRefusal | undefined): void {
    this.#refusal = refusal
  }

  /** @throws FwError `session.not-saved`, `session.cross-site` */
  #checkChange(name?: string): void {
    if (this.#refusal === undefined || name === csrfKey) return
    if (this.#refusal === 'cross-site')
      throw new FwError(
        'session.cross-site',
        'A form of another site comes without the session cookie: a session that begins in its response would replace the ' +
          "visitor's session. Respond with returnSameSite(path) of LoginRedirects, and change the session in that action.",
      )
    throw new FwError(
      'session.not-saved',
      'This route does not save sessions, so the change would be lost: mix FwSessionFilter into its controller, as in ' +
        'mix(FwApiController, FwSessionFilter). A route with authenticateBearer has no session.',
    )
  }

  /** True while the session has no record: without a session cookie, or after the end of the session. */
  get isNew(): boolean {
    return this.#stored === undefined
  }

  /** True if `commit` will create a record, or would have renewed a record that did not exist. */
  get isBeginning(): boolean {
    if (this.#stored !== undefined) return false
    if (this.#renewing || this.#owner !== undefined) return true
    return this.#values.values().some((value) => value !== undefined)
  }

  /** True after `renewSession` without `keepAge`, until the commit: the visitor logs in. */
  get isLoggingIn(): boolean {
    return this.#renewing && !this.#keepsAge
  }

  /** Adopts the token of the visitor's open forms for a new session. A renewed or ended session needs a new token. */
  adoptToken(token: string): void {
    if (this.isBeginning && !this.#renewing && !this.#ended && !this.has(csrfKey))
      this.set(csrfKey, token)
  }

  /** The record as this request read it; `undefined` without a record. */
  get stored(): StoredSession | undefined {
    return this.#stored
  }

  /** True after any read or write of a value. The response is then private and must not be cached. */
  get used(): boolean {
    return this.#used
  }

  /** Makes the response private, as a read or a write does. */
  markUsed(): void {
    this.#used = true
  }

  /** Returns the value of an attribute; `undefined` if it is absent, or unreadable (which is logged). */
  get(name: string): unknown {
    this.#used = true
    const text = this.#values.has(name) ? undefined : this.#stored?.attributes.get(name)
    if (text === undefined) return this.#values.get(name)
    const value = this.#decode(name, text)
    this.#values.set(name, value)
    return value
  }

  /** Converts a value's text like a parameter: `getAs('userId', ParamType.Long)`. Objects and lists do not convert. */
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

  /** Returns all attribute names, including those of flash entries and the forgery token. */
  keys(): string[] {
    const names = new Set(this.#stored?.attributes.keys())
    for (const [name, value] of this.#values) {
      if (value === undefined) names.delete(name)
      else names.add(name)
    }
    return [...names]
  }

  /**
   * Stores a value: a plain object, array, string, number, boolean, null, bigint, Date, bytes, Map, Set or Temporal
   * value. `undefined` deletes the attribute.
   * @throws FwError `session.name-too-long` above 128 characters, `session.name-invalid` for an empty name or one with
   * NUL, `session.value-invalid`, `session.value-too-large` above 64 KiB of JSON
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
   * Sets the owner of the session. Another request can then end the session with `endSessionsOf(owner)`.
   * @throws FwError `session.owner-invalid` unless the owner has 1 to 255 characters
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
   * Ends all sessions of an owner, except the current session with `exceptThis`. Returns the number of ended sessions.
   * @throws HttpError 503 `session.store-unavailable`; FwError `session.store-limited` with sessions in cookies
   */
  endSessionsOf(owner: string, { exceptThis = false } = {}): Promise<number> {
    return this.#store.endSessionsOf(owner, exceptThis ? this.#stored : undefined)
  }

  /**
   * Changes the id and the forgery token, and keeps the attributes. Call it at each login and change of rights. The session
   * is then as old as a new one; `keepAge` is for a change of rights that must not prolong the session.
   */
  renewSession({ keepAge = false } = {}): void {
    this.#checkChange()
    this.#used = true
    this.#keepsAge = keepAge && (this.#keepsAge || !this.#renewing)
    this.#renewing = true
    if (this.get(csrfKey) !== undefined) this.delete(csrfKey)
  }

  /** Ends the session on the server. A value set after this call starts a new session. */
  endSession(): void {
    this.#checkChange()
    this.#used = true
    this.#ending ??= this.#stored
    this.#stored = undefined
    this.#ended = true
    this.#resetChanges()
  }

  /**
   * Writes the changes, and returns the change of the session cookie. Returns `undefined` synchronously when there are
   * no changes. Does not create a record again that another request has ended.
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

  /** Writes the changes, and returns the id of the record; `undefined` without a record. */
  async #write(changes: SessionChanges): Promise<string | undefined> {
    if (this.#stored === undefined) return this.#create(changes)
    if (!this.#renewing) return this.#store.save(this.#stored, changes)
    this.#stored = await this.#store.renewSession(this.#stored, this.#keepsAge)
    // Another request has renewed or ended the session meanwhile: do not copy the old attributes into a new session.
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

  /** Resets the state, so that the same request can commit again. */
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
      const isWritten = this.#written.has(name)
      if (!isWritten && (typeof value !== 'object' || value === null)) continue
      const text = value === undefined ? undefined : encodeValue(name, value)
      if (isWritten || text !== this.#stored?.attributes.get(name)) changed.set(name, text)
    }
    return changed
  }

  #decode(name: string, text: string): unknown {
    try {
      return decodeValue(text)
    } catch (error) {
      this.#logger.warn(
        { attribute: name, err: error },
        'session attribute unreadable, taken as absent',
      )
      return undefined
    }
  }
}

/** Returns an `HttpError` or an error of a session store unchanged, and wraps any other error as a failure of the store. */
function toStoreError(cause: unknown): unknown {
  if (cause instanceof HttpError) return cause
  if (cause instanceof FwError && /^session\.|^db\.commit-/.test(cause.code)) return cause
  const message = 'The session could not be read or written.'
  return new HttpError(503, 'session.store-unavailable', message, { cause })
}

/** The `fwSession` of a controller. Its methods have the names of the specification. @spec Session filter and mounting */
export class FwSession {
  readonly #session: Session

  constructor(session: Session) {
    this.#session = session
  }

  /** Returns the value of an attribute; `undefined` for an absent attribute. */
  getAttribute(name: string): unknown {
    return this.#session.get(name)
  }

  /** Converts the text of a value to a type, as `Session.getAs` does. */
  getAs<T>(name: string, type: TextType<T>): T | undefined {
    return this.#session.getAs(name, type)
  }

  /** Returns the value of an attribute. For an absent attribute, stores and returns the result of `make`. */
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

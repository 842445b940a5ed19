/** The request's synchronous view over one session record: read once, changed in memory, written in the commit step. */
import { FwError, HttpError, silentLogger } from '../base.ts'
import type { Logger } from '../base.ts'
import { checkAttributeName, convertValue } from './attributes.ts'
import type { SessionAttributes, TextType } from './attributes.ts'
import { csrfKey } from './forgery-token.ts'
import { mergeAttributes } from './store.ts'
import type { SessionChanges, SessionStore, StoredSession } from './store.ts'
import { decodeValue, encodeValue } from './value-codec.ts'

/** What the response has to do with the session cookie. */
export type SessionCookieChange = { readonly set: string } | { readonly clear: true }

const maxOwnerLength = 255

/**
 * A visitor's session. A record, and with it a cookie, exists only once something was set. Objects that were read and
 * then changed in place are written too. Of two requests at once each writes only the attributes it changed;
 * on the same attribute the later commit wins.
 * @spec Session filter and mounting
 */
export class Session implements SessionAttributes {
  readonly #store: SessionStore
  readonly #logger: Logger
  #stored: StoredSession | undefined
  /** The id that the client sent, live or not. */
  #clientId: string | undefined
  /** The record that `invalidate` ended. */
  #doomed: StoredSession | undefined
  #invalidated = false
  #renewing = false
  #used = false
  #owner: string | undefined
  /** Decoded or set values; `undefined` stands for absent. */
  readonly #values = new Map<string, unknown>()
  /** Names that this request set or deleted. */
  readonly #written = new Set<string>()

  /** A session with no record yet; `Session.load` makes one that has. */
  constructor(store: SessionStore, logger: Logger = silentLogger) {
    this.#store = store
    this.#logger = logger
  }

  /**
   * Reads the record of the id that a client sent. An id that the store does not know is never adopted: the session is new.
   * @throws HttpError 503 `session.store-unavailable`
   */
  static async load(store: SessionStore, clientId: string, logger?: Logger): Promise<Session> {
    const session = new Session(store, logger)
    session.#clientId = clientId
    session.#stored = await reaching(store.read(clientId))
    return session
  }

  /** True while there is no record: no cookie, or one that has ended. */
  get isNew(): boolean {
    return this.#stored === undefined
  }

  /** The record as this request read it, for calls on the store; `undefined` while there is none. */
  get stored(): StoredSession | undefined {
    return this.#stored
  }

  /** True once a value was read or written: the response is the visitor's own and must not be cached. */
  get used(): boolean {
    return this.#used
  }

  /** The value; `undefined` when absent, or when the stored text cannot be read (which is logged). */
  get(name: string): unknown {
    this.#used = true
    const text = this.#values.has(name) ? undefined : this.#stored?.attributes.get(name)
    if (text === undefined) return this.#values.get(name)
    const value = this.#decode(name, text)
    this.#values.set(name, value)
    return value
  }

  /** The value converted by way of its text, as params are: `getAs('userId', ParamType.Long)`. */
  getAs<T>(name: string, type: TextType<T>): T | undefined {
    return convertValue(this.get(name), type)
  }

  has(name: string): boolean {
    return this.get(name) !== undefined
  }

  /** Names of all attributes, those of flash and forgery token among them. */
  keys(): string[] {
    const names = new Set(this.#stored?.attributes.keys())
    for (const [name, value] of this.#values) {
      if (value === undefined) names.delete(name)
      else names.add(name)
    }
    return [...names]
  }

  /**
   * Keeps plain objects, arrays, strings, numbers, booleans, null, bigint, Date, bytes, Map, Set and Temporal values;
   * `undefined` deletes.
   * @throws FwError `session.name-too-long` past 128 characters, `session.name-invalid` for an empty name or one with NUL,
   *   `session.value-invalid`, `session.value-too-large` past 64 KiB of JSON
   */
  set(name: string, value: unknown): void {
    checkAttributeName(name)
    if (value !== undefined) encodeValue(name, value)
    this.#used = true
    this.#values.set(name, value)
    this.#written.add(name)
  }

  delete(name: string): void {
    this.set(name, undefined)
  }

  /** Says whose session this is, so that `SessionManager.destroyAllOf(owner)` can end it from elsewhere. */
  ownedBy(owner: string): void {
    if (owner.length === 0 || owner.length > maxOwnerLength) {
      throw new FwError(
        'session.owner-invalid',
        `A session's owner has 1 to ${maxOwnerLength} characters, not ${owner.length}.`,
      )
    }
    this.#used = true
    this.#owner = owner
  }

  /** Gives the session a new id and forgery token and keeps its attributes: call it at each login and change of rights. */
  renew(): void {
    this.#used = true
    this.#renewing = true
    if (this.get(csrfKey) !== undefined) this.delete(csrfKey)
  }

  /** Ends the session on the server; what is set afterwards starts a new one. */
  invalidate(): void {
    this.#used = true
    this.#doomed ??= this.#stored
    this.#stored = undefined
    this.#invalidated = true
    this.#renewing = false
    this.#owner = undefined
    this.#values.clear()
    this.#written.clear()
  }

  /**
   * Writes what changed, in one statement, and answers what the response has to do with the cookie. Returns `undefined`
   * at once, without a promise, when there is nothing to write. A record that another request destroyed stays gone.
   * @throws HttpError 503 `session.store-unavailable`
   */
  commit(): Promise<SessionCookieChange | undefined> | undefined {
    const attributes = this.#changed()
    const idle =
      attributes.size === 0 && this.#owner === undefined && !this.#renewing && !this.#invalidated
    if (idle && this.#stored?.touchDue !== true) return undefined
    return this.#commit({ attributes, owner: this.#owner })
  }

  async #commit(changes: SessionChanges): Promise<SessionCookieChange | undefined> {
    if (this.#doomed !== undefined) await reaching(this.#store.destroy(this.#doomed))
    const id = await reaching(this.#write(changes))
    const cleared = this.#invalidated && this.#clientId !== undefined && id === undefined
    this.#settle(id, changes)
    if (cleared) {
      this.#clientId = undefined
      return { clear: true }
    }
    if (id === undefined || id === this.#clientId) return undefined
    this.#clientId = id
    return { set: id }
  }

  /** The id under which the record lives now; `undefined` when there is none. */
  async #write(changes: SessionChanges): Promise<string | undefined> {
    if (this.#stored === undefined) return this.#create(changes)
    if (!this.#renewing) return this.#store.save(this.#stored, changes)
    this.#stored = await this.#store.renew(this.#stored)
    // Another request renewed or ended it meanwhile: its attributes are not ours to carry over.
    if (this.#stored === undefined) return this.#create(changes)
    const empty = changes.attributes.size === 0 && changes.owner === undefined
    return empty ? this.#stored.id : this.#store.save(this.#stored, changes)
  }

  async #create(changes: SessionChanges): Promise<string | undefined> {
    const attributes = mergeAttributes(new Map(), changes.attributes)
    if (attributes.size === 0 && changes.owner === undefined) return undefined
    this.#stored = await this.#store.create({ attributes, owner: changes.owner })
    return this.#stored.id
  }

  /** Makes what was written the ground of a later commit. */
  #settle(id: string | undefined, changes: SessionChanges): void {
    if (this.#stored !== undefined && id !== undefined) {
      const attributes = mergeAttributes(this.#stored.attributes, changes.attributes)
      this.#stored = { id, key: this.#stored.key, attributes, touchDue: false }
    }
    this.#doomed = undefined
    this.#invalidated = false
    this.#renewing = false
    this.#owner = undefined
    this.#values.clear()
    this.#written.clear()
  }

  #changed(): Map<string, string | undefined> {
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

/** What a store throws of itself passes; anything else means that it failed. */
async function reaching<T>(work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (cause) {
    if (cause instanceof HttpError) throw cause
    if (cause instanceof FwError && cause.code.startsWith('session.')) throw cause
    const message = 'The session could not be read or written.'
    throw new HttpError(503, 'session.store-unavailable', message, { cause })
  }
}

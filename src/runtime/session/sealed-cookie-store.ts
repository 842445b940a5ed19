/** A session store in encrypted cookies. The server stores nothing, so that it cannot end a copied session. */
import { FwError } from '../base.ts'
import type { SecretKeys } from './secret-keys.ts'
import { mergeAttributes, type SessionChanges } from './session-changes.ts'
import {
  computeExpiry,
  resolveLifetime,
  touchSeconds,
  type SessionLifetime,
  type SessionStore,
  type StoredSession,
} from './session-store.ts'

/** The lifetimes of sessions in sealed cookies. */
export interface SealedCookieStoreOptions extends Partial<SessionLifetime> {
  /** Returns the current time in milliseconds; default `Date.now`. */
  readonly now?: () => number
}

interface Content {
  readonly createdAt: number
  readonly expireAt: number
  readonly attributes: readonly (readonly [name: string, text: string])[]
}

const purpose = 'session'
/** The maximum length of the sealed text. Browsers accept 4096 bytes for the name, value and attributes of a cookie. */
const maxLength = 3900

/**
 * A session store for small sessions. It has three limits. A copy of a renewed or ended cookie stays valid until it
 * expires. Of two concurrent requests, the later response overwrites all attributes. Sessions have no owners.
 */
export class SealedCookieStore implements SessionStore {
  readonly transactional = false
  readonly storesInCookie = true
  readonly #keys: SecretKeys
  readonly #lifetime: SessionLifetime
  readonly #now: () => number

  /** @throws FwError `session.lifetime-invalid` */
  constructor(keys: SecretKeys, options: SealedCookieStoreOptions = {}) {
    this.#keys = keys
    this.#lifetime = resolveLifetime(options)
    this.#now = options.now ?? Date.now
  }

  async read(id: string): Promise<StoredSession | undefined> {
    const content = this.#open(id)
    if (content === undefined) return undefined
    const touchDue = content.expireAt < this.#expiry(content.createdAt) - touchSeconds * 1000
    return { id, key: 0, attributes: new Map(content.attributes), touchDue }
  }

  /** @throws FwError `session.cookie-too-large`, `session.store-limited` for changes with an owner */
  async create(changes: SessionChanges): Promise<StoredSession> {
    const attributes = merge(new Map(), changes)
    return { id: this.#seal(this.#now(), attributes), key: 0, attributes, touchDue: false }
  }

  /** @throws FwError `session.cookie-too-large`, `session.store-limited` for changes with an owner */
  async save(session: StoredSession, changes: SessionChanges): Promise<string | undefined> {
    const content = this.#open(session.id)
    return content && this.#seal(content.createdAt, merge(session.attributes, changes))
  }

  async renewSession(session: StoredSession, keepAge: boolean): Promise<StoredSession | undefined> {
    const content = this.#open(session.id)
    if (content === undefined) return undefined
    const id = this.#seal(keepAge ? content.createdAt : this.#now(), session.attributes)
    return { ...session, id, touchDue: false }
  }

  async endSession(_session: StoredSession): Promise<void> {}

  /** @throws FwError `session.store-limited` */
  async endSessionsOf(_owner: string): Promise<number> {
    throw noOwnersError()
  }

  async sweep(_limit: number): Promise<number> {
    return 0
  }

  #expiry(createdAt: number): number {
    return computeExpiry(this.#lifetime, createdAt, this.#now())
  }

  #open(id: string): Content | undefined {
    const text = id.length > maxLength ? undefined : this.#keys.unsealCookie(purpose, id)
    if (text === undefined) return undefined
    const content = JSON.parse(text) as Content
    return content.expireAt > this.#now() ? content : undefined
  }

  #seal(createdAt: number, attributes: ReadonlyMap<string, string>): string {
    const expireAt = this.#expiry(createdAt)
    const content: Content = { createdAt, expireAt, attributes: [...attributes] }
    const id = this.#keys.seal(purpose, JSON.stringify(content))
    if (id.length <= maxLength) return id
    throw new FwError(
      'session.cookie-too-large',
      `The session takes ${id.length} characters as a cookie; the most is ${maxLength}. Keep less in it, or use DatabaseStore.`,
    )
  }
}

function merge(
  attributes: ReadonlyMap<string, string>,
  changes: SessionChanges,
): ReadonlyMap<string, string> {
  if (changes.owner !== undefined) throw noOwnersError()
  return mergeAttributes(attributes, changes.attributes)
}

function noOwnersError(): FwError {
  return new FwError(
    'session.store-limited',
    'Sessions in cookies cannot be ended by their owner from elsewhere; use DatabaseStore.',
  )
}

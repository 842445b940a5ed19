/** A session store in the memory of one process. Its sessions end with the process. */
import { FwError } from '../base.ts'
import { mergeAttributes, type SessionChanges } from './session-changes.ts'
import {
  computeExpiry,
  hashSessionId,
  isSessionId,
  newSessionId,
  resolveLifetime,
  touchSeconds,
  type SessionLifetime,
  type SessionStore,
  type StoredSession,
} from './session-store.ts'

/** The lifetimes and the capacity of the in-memory store. */
export interface MemoryStoreOptions extends Partial<SessionLifetime> {
  /** The maximum number of records; default 100 000. Above it, the store removes the record that has been idle longest. */
  readonly maxSessions?: number
  /** Returns the current time in milliseconds; default `Date.now`. */
  readonly now?: () => number
}

/** A record of the in-memory store. It can be serialized for a transfer to another process. */
export interface MemoryRecord {
  readonly key: number
  createdAt: number
  hash: string
  expireAt: number
  /** The encoded values by name. A change replaces the map, because a request may still read the old one. */
  attributes: ReadonlyMap<string, string>
  owner: string | undefined
}

/** The in-memory session store. */
export class MemoryStore implements SessionStore {
  readonly transactional = false
  readonly #lifetime: SessionLifetime
  readonly #maxSessions: number
  readonly #now: () => number
  /** The records, longest idle first: a record whose idle time is extended moves to the end. */
  readonly #byKey = new Map<number, MemoryRecord>()
  readonly #byHash = new Map<string, MemoryRecord>()
  #lastKey = 0

  /** @throws FwError `session.lifetime-invalid`, `session.limit-invalid` */
  constructor(options: MemoryStoreOptions = {}) {
    this.#lifetime = resolveLifetime(options)
    const { maxSessions = 100_000, now = Date.now } = options
    if (!Number.isSafeInteger(maxSessions) || maxSessions <= 0) {
      throw new FwError(
        'session.limit-invalid',
        `maxSessions ${String(maxSessions)}: give a whole number above 0.`,
      )
    }
    this.#maxSessions = maxSessions
    this.#now = now
  }

  /** The number of records, including expired ones that the next sweep removes. */
  get size(): number {
    return this.#byKey.size
  }

  /** Returns all records, longest idle first. */
  records(): readonly MemoryRecord[] {
    return [...this.#byKey.values()]
  }

  /** Adds the records of another process's store to this empty store. */
  restore(records: readonly MemoryRecord[]): void {
    for (const record of records.slice(-this.#maxSessions)) {
      this.#add(record)
      this.#lastKey = Math.max(this.#lastKey, record.key)
    }
  }

  async read(id: string): Promise<StoredSession | undefined> {
    const record = isSessionId(id) ? this.#byHash.get(hashSessionId(id)) : undefined
    const now = this.#now()
    if (record === undefined || record.expireAt <= now) return undefined
    const touchDue =
      record.expireAt < computeExpiry(this.#lifetime, record.createdAt, now) - touchSeconds * 1000
    return { id, key: record.key, attributes: record.attributes, touchDue }
  }

  async create(changes: SessionChanges): Promise<StoredSession> {
    const id = newSessionId()
    const now = this.#now()
    const key = ++this.#lastKey
    const attributes = mergeAttributes(new Map(), changes.attributes)
    if (this.#byKey.size >= this.#maxSessions) this.#remove(this.#byKey.values().next().value)
    this.#add({
      key,
      createdAt: now,
      hash: hashSessionId(id),
      expireAt: computeExpiry(this.#lifetime, now, now),
      attributes,
      owner: changes.owner,
    })
    return { id, key, attributes, touchDue: false }
  }

  async save(session: StoredSession, changes: SessionChanges): Promise<string | undefined> {
    const record = this.#live(session)
    if (record === undefined) return undefined
    record.attributes = mergeAttributes(record.attributes, changes.attributes)
    if (changes.owner !== undefined) record.owner = changes.owner
    if (session.touchDue) this.#touch(record)
    return session.id
  }

  async renewSession(session: StoredSession, keepAge: boolean): Promise<StoredSession | undefined> {
    const record = this.#live(session)
    if (record === undefined || record.hash !== hashSessionId(session.id)) return undefined
    const id = newSessionId()
    this.#byHash.delete(record.hash)
    record.hash = hashSessionId(id)
    this.#byHash.set(record.hash, record)
    if (keepAge) return { ...session, id }
    record.createdAt = this.#now()
    this.#touch(record)
    return { ...session, id, touchDue: false }
  }

  async endSession(session: StoredSession): Promise<void> {
    this.#remove(this.#byKey.get(session.key))
  }

  async endSessionsOf(owner: string, except?: StoredSession): Promise<number> {
    const now = this.#now()
    const isChosen = (record: MemoryRecord): boolean =>
      record.owner === owner && record.key !== except?.key && record.expireAt > now
    return this.#removeWhere(isChosen, Infinity)
  }

  async sweep(limit: number): Promise<number> {
    const now = this.#now()
    return this.#removeWhere((record) => record.expireAt <= now, limit)
  }

  #live(session: StoredSession): MemoryRecord | undefined {
    const record = this.#byKey.get(session.key)
    return record === undefined || record.expireAt <= this.#now() ? undefined : record
  }

  #touch(record: MemoryRecord): void {
    record.expireAt = computeExpiry(this.#lifetime, record.createdAt, this.#now())
    this.#byKey.delete(record.key)
    this.#byKey.set(record.key, record)
  }

  #add(record: MemoryRecord): void {
    this.#byKey.set(record.key, record)
    this.#byHash.set(record.hash, record)
  }

  #remove(record: MemoryRecord | undefined): void {
    if (record === undefined) return
    this.#byKey.delete(record.key)
    this.#byHash.delete(record.hash)
  }

  #removeWhere(isChosen: (record: MemoryRecord) => boolean, limit: number): number {
    let removed = 0
    for (const record of this.#byKey.values()) {
      if (removed === limit) break
      if (!isChosen(record)) continue
      this.#remove(record)
      removed++
    }
    return removed
  }
}

/** Sessions in this process: for one node, gone with it. */
import { FwError } from '../base.ts'
import { lifetime, touchSeconds } from './lifetime.ts'
import type { SessionLifetime } from './lifetime.ts'
import { hashSessionId, isSessionId, newSessionId } from './session-id.ts'
import { mergeAttributes } from './store.ts'
import type { SessionChanges, SessionStore, StoredSession } from './store.ts'

/** Lifetime, bound and clock of a `MemoryStore`; every one has a default. */
export interface MemoryStoreOptions extends Partial<SessionLifetime> {
  /** Past this many records the one that was idle longest goes; 100 000 unless set. */
  readonly maxSessions?: number
  /** The clock, in milliseconds; `Date.now` unless set. */
  readonly now?: () => number
}

/** A session as it is held: plain values, which another process can hold instead. */
export interface MemoryRecord {
  readonly key: number
  readonly createdAt: number
  hash: string
  expireAt: number
  /** Replaced, never changed: a request that read it keeps what it read. */
  attributes: ReadonlyMap<string, string>
  owner: string | undefined
}

/** The in-process maker of `SessionStore`. */
export class MemoryStore implements SessionStore {
  readonly transactional = false
  readonly #idle: number
  readonly #absolute: number
  readonly #maxSessions: number
  readonly #now: () => number
  /** Longest idle first: a record moves to the end when its time is prolonged. */
  readonly #byKey = new Map<number, MemoryRecord>()
  readonly #byHash = new Map<string, MemoryRecord>()
  #lastKey = 0

  /** @throws FwError `session.lifetime-invalid`, `session.limit-invalid` */
  constructor(options: MemoryStoreOptions = {}) {
    const { idleSeconds, absoluteSeconds } = lifetime(options)
    this.#idle = idleSeconds * 1000
    this.#absolute = absoluteSeconds * 1000
    this.#maxSessions = positive(options.maxSessions ?? 100_000)
    this.#now = options.now ?? Date.now
  }

  /** Records held, live or not yet swept. */
  get size(): number {
    return this.#byKey.size
  }

  /** All that is held, longest idle first. */
  records(): readonly MemoryRecord[] {
    return [...this.#byKey.values()]
  }

  /** Holds what another store held, such as that of the process before this one; for a store that is empty. */
  restore(records: readonly MemoryRecord[]): void {
    for (const record of records.slice(-this.#maxSessions)) {
      this.#byKey.set(record.key, record)
      this.#byHash.set(record.hash, record)
      this.#lastKey = Math.max(this.#lastKey, record.key)
    }
  }

  async read(id: string): Promise<StoredSession | undefined> {
    const record = isSessionId(id) ? this.#byHash.get(hashSessionId(id)) : undefined
    const now = this.#now()
    if (record === undefined || record.expireAt <= now) return undefined
    const touchDue = record.expireAt < this.#expiry(record.createdAt, now) - touchSeconds * 1000
    return { id, key: record.key, attributes: record.attributes, touchDue }
  }

  async create(changes: SessionChanges): Promise<StoredSession> {
    const id = newSessionId()
    const now = this.#now()
    const record: MemoryRecord = {
      key: ++this.#lastKey,
      createdAt: now,
      hash: hashSessionId(id),
      expireAt: this.#expiry(now, now),
      attributes: mergeAttributes(new Map(), changes.attributes),
      owner: changes.owner,
    }
    this.#makeRoom()
    this.#byKey.set(record.key, record)
    this.#byHash.set(record.hash, record)
    return { id, key: record.key, attributes: record.attributes, touchDue: false }
  }

  async save(session: StoredSession, changes: SessionChanges): Promise<string | undefined> {
    const record = this.#live(session)
    if (record === undefined) return undefined
    record.attributes = mergeAttributes(record.attributes, changes.attributes)
    if (changes.owner !== undefined) record.owner = changes.owner
    if (session.touchDue) this.#touch(record)
    return session.id
  }

  async renew(session: StoredSession): Promise<StoredSession | undefined> {
    const record = this.#live(session)
    if (record === undefined || record.hash !== hashSessionId(session.id)) return undefined
    const id = newSessionId()
    this.#byHash.delete(record.hash)
    record.hash = hashSessionId(id)
    this.#byHash.set(record.hash, record)
    return { ...session, id }
  }

  async destroy(session: StoredSession): Promise<void> {
    this.#remove(this.#byKey.get(session.key))
  }

  async destroyAllOf(owner: string, except?: StoredSession): Promise<number> {
    const now = this.#now()
    let ended = 0
    for (const record of this.#byKey.values()) {
      if (record.owner !== owner || record.key === except?.key || record.expireAt <= now) continue
      this.#remove(record)
      ended++
    }
    return ended
  }

  async sweep(limit: number): Promise<number> {
    const now = this.#now()
    let removed = 0
    for (const record of this.#byKey.values()) {
      if (removed === limit) break
      if (record.expireAt > now) continue
      this.#remove(record)
      removed++
    }
    return removed
  }

  #expiry(createdAt: number, now: number): number {
    return Math.min(now + this.#idle, createdAt + this.#absolute)
  }

  #live(session: StoredSession): MemoryRecord | undefined {
    const record = this.#byKey.get(session.key)
    return record === undefined || record.expireAt <= this.#now() ? undefined : record
  }

  #touch(record: MemoryRecord): void {
    record.expireAt = this.#expiry(record.createdAt, this.#now())
    this.#byKey.delete(record.key)
    this.#byKey.set(record.key, record)
  }

  #makeRoom(): void {
    if (this.#byKey.size < this.#maxSessions) return
    this.#remove(this.#byKey.values().next().value)
  }

  #remove(record: MemoryRecord | undefined): void {
    if (record === undefined) return
    this.#byKey.delete(record.key)
    this.#byHash.delete(record.hash)
  }
}

function positive(maxSessions: number): number {
  if (Number.isSafeInteger(maxSessions) && maxSessions > 0) return maxSessions
  throw new FwError(
    'session.limit-invalid',
    `maxSessions ${String(maxSessions)}: give a whole number above 0.`,
  )
}

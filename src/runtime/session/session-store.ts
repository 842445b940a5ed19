/** The contract of a session store, with the ids and lifetimes that every store uses. */
import { hash } from 'node:crypto'
import { FwError, takeRandomBytes } from '../base.ts'

/** A live record, as the request read it. */
export interface StoredSession {
  /** The secret in the client's cookie. Never log it; stores keep only its hash. */
  readonly id: string
  /** The record's key, which stays the same when the id changes. */
  readonly key: number
  /** Attribute name to JSON text, as `encodeValue` writes it. */
  readonly attributes: ReadonlyMap<string, string>
  /** True once a minute: the next `save` prolongs the idle time, even without changes. */
  readonly touchDue: boolean
}

/** The changes of one request. Concurrent requests keep each other's writes, because each saves only its changes. */
export interface SessionChanges {
  /** Attribute name to JSON text; `undefined` removes the attribute. */
  readonly attributes: ReadonlyMap<string, string | undefined>
  /** The new owner; `undefined` keeps the present one. */
  readonly owner: string | undefined
}

/**
 * Implemented by `MemoryStore`, `DatabaseStore`, `RedisStore` and `SealedCookieStore`; one suite tests them all. Every store
 * generates the ids (192 random bits), stores only their hash, expires records by its own clock after the idle and the
 * absolute time, and ignores a `save` after `endSession`.
 * @spec Session store records
 */
export interface SessionStore {
  /**
   * True when writes join the request's database transaction: the session is then saved before COMMIT, otherwise after it.
   * Either way a request whose COMMIT fails saves nothing.
   */
  readonly transactional: boolean
  /** The live record; `undefined` for an id that is malformed, unknown, replaced or expired. */
  read(id: string): Promise<StoredSession | undefined>
  /** Creates a record under a new id; `touchDue` of the result is false. */
  create(changes: SessionChanges): Promise<StoredSession>
  /**
   * Writes the changes, even if another request has changed the id. Returns the id for the client's cookie: the same one,
   * except in stores that keep the record in the id. `undefined`: the record has ended and nothing was written.
   */
  save(session: StoredSession, changes: SessionChanges): Promise<string | undefined>
  /** Replaces the record's id; the old one is invalid at once. `undefined`: the old one was invalid already. */
  renewSession(session: StoredSession): Promise<StoredSession | undefined>
  /** Ends the record, even if another request has changed its id. */
  endSession(session: StoredSession): Promise<void>
  /** Ends every live record of an owner except `except`; returns how many. */
  endSessionsOf(owner: string, except?: StoredSession): Promise<number>
  /** Removes up to `limit` expired records; returns how many, so fewer than `limit` means that none remain. */
  sweep(limit: number): Promise<number>
  /** Runs at application start. @throws FwError when the store cannot work, with the remedy */
  check?(): Promise<void>
  /** Closes the connections that the store opened. */
  close?(): Promise<void>
}

/** The attributes of a record after the changes, as a new map. */
export function mergeAttributes(
  attributes: ReadonlyMap<string, string>,
  changes: ReadonlyMap<string, string | undefined>,
): ReadonlyMap<string, string> {
  const merged = new Map(attributes)
  for (const [name, text] of changes) {
    if (text === undefined) merged.delete(name)
    else merged.set(name, text)
  }
  return merged
}

/** The attributes that the changes write, and the names that they remove. */
export function splitChanges({ attributes }: SessionChanges): {
  readonly written: ReadonlyMap<string, string>
  readonly removed: readonly string[]
} {
  const written = new Map<string, string>()
  const removed: string[] = []
  for (const [name, text] of attributes) {
    if (text === undefined) removed.push(name)
    else written.set(name, text)
  }
  return { written, removed }
}

/** 192 random bits as 32 base64url characters. */
export function newSessionId(): string {
  return takeRandomBytes(24).toString('base64url')
}

const idShape = /^[A-Za-z0-9_-]{32}$/

export function isSessionId(text: string): boolean {
  return idShape.test(text)
}

/** What stores keep in place of an id: 32 base64url characters. */
export function hashSessionId(id: string): string {
  return hash('sha256', id, 'base64url').slice(0, 32)
}

/** Idle and absolute lifetime in seconds. */
export interface SessionLifetime {
  /** A session without requests for this long has ended; default 30 minutes. */
  readonly idleSeconds: number
  /** A session of this age has ended; default 12 hours. */
  readonly absoluteSeconds: number
}

/** The idle time is prolonged at most this often. */
export const touchSeconds = 60

const maxSeconds = 366 * 24 * 60 * 60

/**
 * Adds the defaults.
 * @throws FwError `session.lifetime-invalid` unless 60 <= idle <= absolute <= 366 days.
 */
export function resolveLifetime(options: Partial<SessionLifetime>): SessionLifetime {
  const { idleSeconds = 30 * 60, absoluteSeconds = 12 * 60 * 60 } = options
  const valid =
    idleSeconds >= touchSeconds && idleSeconds <= absoluteSeconds && absoluteSeconds <= maxSeconds
  if (valid) return { idleSeconds, absoluteSeconds }
  throw new FwError(
    'session.lifetime-invalid',
    `Session lifetime idle ${String(idleSeconds)} s, absolute ${String(absoluteSeconds)} s: ` +
      `both are numbers of seconds, ${touchSeconds} <= idle <= absolute <= ${maxSeconds}.`,
  )
}

/** The interface of a session store, and the ids and lifetimes that every store uses. */
import { hash } from 'node:crypto'
import { FwError, takeRandomBytes } from '../base.ts'
import type { SessionChanges } from './session-changes.ts'

/** A live session record, as the request read it. */
export interface StoredSession {
  /** The session id, the secret in the client's cookie. Never log it. Stores save only its hash. */
  readonly id: string
  /** The key of the record, which stays the same when the id changes. */
  readonly key: number
  /** The attributes as JSON texts of `encodeValue`, by name. */
  readonly attributes: ReadonlyMap<string, string>
  /** True when the idle time must be extended, at most once a minute. The next `save` then extends it, even without changes. */
  readonly touchDue: boolean
}

/**
 * The interface of a session store. `MemoryStore`, `DatabaseStore`, `RedisStore` and `SealedCookieStore` implement it,
 * and one test suite tests them all. Every store generates session ids (192 random bits), and stores only their hash.
 * It expires records by its own clock after the idle and the absolute lifetime. It ignores a `save` after `endSession`.
 * @spec Session store records
 */
export interface SessionStore {
  /**
   * True when writes are part of the request's database transaction. The session is then saved before COMMIT, otherwise
   * after it. In both cases, a request whose COMMIT fails saves nothing.
   */
  readonly transactional: boolean
  /** True if the record is in the cookie, so that all attributes together have less than 4 KB; absent for other stores. */
  readonly storesInCookie?: boolean
  /** Reads a live record; `undefined` for an id that is malformed, unknown, replaced or expired. */
  read(id: string): Promise<StoredSession | undefined>
  /** Creates a record with a new id. `touchDue` of the result is false. */
  create(changes: SessionChanges): Promise<StoredSession>
  /**
   * Writes the changes, even if another request has changed the id. Returns the id for the client's cookie, which
   * differs only in stores that keep the record in the id. Returns `undefined`, and writes nothing, if the record has
   * ended.
   */
  save(session: StoredSession, changes: SessionChanges): Promise<string | undefined>
  /**
   * Replaces the id; the old id becomes invalid at once. The record is then as old as a new one, unless `keepAge` is true.
   * Returns `undefined` if the old id was already invalid.
   */
  renewSession(session: StoredSession, keepAge: boolean): Promise<StoredSession | undefined>
  /** Ends the record, even if another request has changed its id. */
  endSession(session: StoredSession): Promise<void>
  /** Ends all live records of an owner except `except`, and returns their number. */
  endSessionsOf(owner: string, except?: StoredSession): Promise<number>
  /** Removes up to `limit` expired records, and returns their number. A number below `limit` means that none remain. */
  sweep(limit: number): Promise<number>
  /** Checks the store at the start of the application. @throws FwError, with the remedy, when the store cannot work */
  check?(): Promise<void>
  /** Closes the connections that the store opened. */
  close?(): Promise<void>
}

/** Returns a new session id: 192 random bits as 32 base64url characters. */
export function newSessionId(): string {
  return takeRandomBytes(24).toString('base64url')
}

const idShape = /^[A-Za-z0-9_-]{32}$/

export function isSessionId(text: string): boolean {
  return idShape.test(text)
}

/** Returns the hash that stores save in place of a session id: 32 base64url characters. */
export function hashSessionId(id: string): string {
  return hash('sha256', id, 'base64url').slice(0, 32)
}

/** The idle and the absolute lifetime in seconds. */
export interface SessionLifetime {
  /** The time without requests after which a session ends; default 30 minutes. */
  readonly idleSeconds: number
  /** The age at which a session ends; default 12 hours. */
  readonly absoluteSeconds: number
}

/** The minimum number of seconds between two extensions of the idle time. */
export const touchSeconds = 60

const maxSeconds = 366 * 24 * 60 * 60

/** Adds defaults. @throws FwError `session.lifetime-invalid` unless 60 <= idle <= absolute <= 366 days */
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

/** Returns the expiry, in milliseconds, of a record that was created at `createdAt` and is used at `now`. */
export function computeExpiry(lifetime: SessionLifetime, createdAt: number, now: number): number {
  const { idleSeconds, absoluteSeconds } = lifetime
  return Math.min(now + idleSeconds * 1000, createdAt + absoluteSeconds * 1000)
}

/** The contract of a session store: where the records of sessions live between requests. */

/** One live record as it was when the request read it. */
export interface StoredSession {
  /** What the client carries in its cookie: a secret, never logged, never stored as it is. */
  readonly id: string
  /** The record's own key, which a change of id keeps. */
  readonly key: number
  /** Attribute name to JSON text, as `encodeValue` writes it. */
  readonly attributes: ReadonlyMap<string, string>
  /** True once a minute: the next `save` prolongs the idle time, even with no changes. */
  readonly touchDue: boolean
}

/** What one request changed, and nothing else: two requests at once keep each other's writes. */
export interface SessionChanges {
  /** Attribute name to JSON text; `undefined` removes the attribute. */
  readonly attributes: ReadonlyMap<string, string | undefined>
  /** The account the session belongs to from now on; `undefined` leaves it as it is. */
  readonly owner: string | undefined
}

/**
 * Makers: `MemoryStore`, `DatabaseStore`, `RedisStore`, `SealedCookieStore`. One shared suite holds them to this page. Every store makes its ids itself
 * (192 random bits), keeps only their hash, ends a record after its idle and its absolute time by its own clock,
 * and lets `destroy` win over any later `save`.
 * @spec Session store records
 */
export interface SessionStore {
  /**
   * True when what it writes belongs to the request's database transaction: a session is then saved before COMMIT,
   * else after it, so that a request whose COMMIT fails keeps nothing of either.
   */
  readonly transactional: boolean
  /** The live record of a client's id; `undefined` for any id that is malformed, unknown, replaced or expired. */
  read(id: string): Promise<StoredSession | undefined>
  /** Makes a record under a new id; `touchDue` of the result is false. */
  create(changes: SessionChanges): Promise<StoredSession>
  /**
   * Writes the changes, whatever id the record has by now. Answers the id the client carries from now on, which is the
   * same in stores that keep records themselves; `undefined`: the record is gone and nothing was written.
   */
  save(session: StoredSession, changes: SessionChanges): Promise<string | undefined>
  /** Gives the record a new id; the old one is dead at once. `undefined`: the old one was dead already. */
  renew(session: StoredSession): Promise<StoredSession | undefined>
  /** Ends the record under whatever id it has by now. */
  destroy(session: StoredSession): Promise<void>
  /** Ends every live record of an owner, but for `except`; answers how many. */
  destroyAllOf(owner: string, except?: StoredSession): Promise<number>
  /** Removes up to `limit` dead records; answers how many, so fewer than `limit` means done. */
  sweep(limit: number): Promise<number>
  /** For the start of an application: throws when the store cannot work, saying how to mend it. */
  check?(): Promise<void>
  /** Ends what the store opened itself. */
  close?(): Promise<void>
}

/** The attributes of a record after the changes; neither argument changes. */
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

/** Flash messages, which one request sets for the next. */
import type { SessionAttributes } from './attributes.ts'

const prefix = 'flash:'

/** The options of the flash. */
export interface FlashOptions {
  /** False to keep an entry until the end of the request that reads it; default true. */
  readonly sweepUnused?: boolean
}

/** The entries that only the current request can read. @spec Other request facilities › flash.now */
export interface FlashNow {
  get(name: string): unknown
  has(name: string): boolean
  set(name: string, value: unknown): void
}

/**
 * The flash of a session. The request that sets an entry and the next request can read it; `sweep` then removes the
 * entry, even if it was not read. Each entry is a separate session attribute, so that concurrent requests do not
 * overwrite each other's entries. An empty flash creates no session. `sweep` must run once, before the session is
 * committed.
 * @spec Other request facilities › flash
 */
export class Flash {
  readonly #session: SessionAttributes
  readonly #sweepUnused: boolean
  /** The names of the stored entries that `sweep` removes at the end of this request. */
  readonly #stale: Set<string>
  readonly #now = new Map<string, unknown>()
  readonly now: FlashNow

  constructor(session: SessionAttributes, options: FlashOptions = {}) {
    this.#session = session
    this.#sweepUnused = options.sweepUnused ?? true
    this.#stale = new Set(this.#sweepUnused ? storedNames(session) : [])
    this.now = {
      get: (name) => this.#now.get(name),
      has: (name) => this.#now.has(name),
      set: (name, value) => {
        this.#now.set(name, value)
        this.#stale.add(name)
      },
    }
  }

  /** Returns the value of an entry; `undefined` for an unknown name. */
  get(name: string): unknown {
    const value = this.#now.has(name) ? this.#now.get(name) : this.#stored(name)
    if (!this.#sweepUnused && value !== undefined) this.#stale.add(name)
    return value
  }

  has(name: string): boolean {
    return this.get(name) !== undefined
  }

  /** Sets an entry for this request and the next. @throws FwError as `Session.set` does */
  set(name: string, value: unknown): void {
    this.#session.set(prefix + name, value)
    this.#stale.delete(name)
    this.#now.delete(name)
  }

  /** Removes an entry immediately. */
  delete(name: string): void {
    this.#now.delete(name)
    this.#stale.delete(name)
    this.#session.delete(prefix + name)
  }

  /** Keeps one entry, or all entries, for the next request too. */
  keep(name?: string): void {
    for (const each of name === undefined ? this.names() : [name]) {
      if (this.#now.has(each)) this.set(each, this.#now.get(each))
      else this.#stale.delete(each)
    }
  }

  /** Removes one entry, or all entries, at the end of this request. */
  discard(name?: string): void {
    for (const each of name === undefined ? this.names() : [name]) this.#stale.add(each)
  }

  /** Returns the names of all readable entries. */
  names(): string[] {
    return [...new Set([...storedNames(this.#session), ...this.#now.keys()])]
  }

  entries(): [name: string, value: unknown][] {
    return this.names().map((name) => [name, this.get(name)])
  }

  /** Removes the stale entries from the session, at the end of the request. */
  sweep(): void {
    for (const name of storedNames(this.#session))
      if (this.#stale.has(name)) this.#session.delete(prefix + name)
    this.#stale.clear()
    this.#now.clear()
  }

  /** Does not read an empty session: a read makes the response private, and layouts show the flash on every page. */
  #stored(name: string): unknown {
    return this.#session.keys().length === 0 ? undefined : this.#session.get(prefix + name)
  }
}

function storedNames(session: SessionAttributes): string[] {
  return session
    .keys()
    .filter((name) => name.startsWith(prefix))
    .map((name) => name.slice(prefix.length))
}

/** Messages from one request to the next. */
import type { SessionAttributes } from './attributes.ts'

const prefix = 'flash:'

/** Options of the flash. */
export interface FlashOptions {
  /** False: an entry stays until the end of the request that reads it. Default true. */
  readonly sweepUnused?: boolean
}

/** Entries for this request only. @spec Other request facilities › flash.now */
export interface FlashNow {
  get(name: string): unknown
  has(name: string): boolean
  set(name: string, value: unknown): void
}

/**
 * An entry is visible in the request that sets it and in the next one; `sweep` then removes it, read or not.
 * Each entry is a separate session attribute, so that concurrent requests keep each other's entries. An empty flash creates
 * no session. `sweep` runs once, before the session commits.
 * @spec Other request facilities › flash
 */
export class Flash {
  readonly #session: SessionAttributes
  readonly #sweepUnused: boolean
  /** Entries of the session that end with this request. */
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
      set: (name, value) => this.#setNow(name, value),
    }
  }

  /** The value; `undefined` when there is none. */
  get(name: string): unknown {
    const value = this.#now.has(name) ? this.#now.get(name) : this.#stored(name)
    if (!this.#sweepUnused && value !== undefined) this.#stale.add(name)
    return value
  }

  has(name: string): boolean {
    return this.get(name) !== undefined
  }

  /** For this request and the next. @throws FwError as `Session.set` does */
  set(name: string, value: unknown): void {
    this.#session.set(prefix + name, value)
    this.#stale.delete(name)
    this.#now.delete(name)
  }

  /** Removes the entry immediately. */
  delete(name: string): void {
    this.#now.delete(name)
    this.#stale.delete(name)
    this.#session.delete(prefix + name)
  }

  /** Makes one entry, or all, visible in the next request too. */
  keep(name?: string): void {
    for (const each of name === undefined ? this.names() : [name]) {
      if (this.#now.has(each)) this.set(each, this.#now.get(each))
      else this.#stale.delete(each)
    }
  }

  /** Removes one entry, or all, at the end of this request. */
  discard(name?: string): void {
    for (const each of name === undefined ? this.names() : [name]) this.#stale.add(each)
  }

  /** Names of all readable entries. */
  names(): string[] {
    return [...new Set([...storedNames(this.#session), ...this.#now.keys()])]
  }

  entries(): [name: string, value: unknown][] {
    return this.names().map((name) => [name, this.get(name)])
  }

  /** Removes the stale entries from the session at the end of the request. */
  sweep(): void {
    for (const name of storedNames(this.#session))
      if (this.#stale.has(name)) this.#session.delete(prefix + name)
    this.#stale.clear()
    this.#now.clear()
  }

  /** A read makes the response private; a layout that shows the flash does not where the session is empty. */
  #stored(name: string): unknown {
    return this.#session.keys().length === 0 ? undefined : this.#session.get(prefix + name)
  }

  #setNow(name: string, value: unknown): void {
    this.#now.set(name, value)
    this.#stale.add(name)
  }
}

function storedNames(session: SessionAttributes): string[] {
  return session
    .keys()
    .filter((name) => name.startsWith(prefix))
    .map((name) => name.slice(prefix.length))
}

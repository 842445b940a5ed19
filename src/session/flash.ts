/** Messages from one request to the next. */
import type { SessionAttributes } from './attributes.ts'

const prefix = 'flash:'

/** How long an entry lasts. */
export interface FlashOptions {
  /** False: an entry stays until the end of the request that read it, as in the original. True unless set. */
  readonly sweepUnused?: boolean
}

/** Entries for this request only. @spec Other request facilities › flash.now */
export interface FlashNow {
  set(name: string, value: unknown): void
}

/**
 * An entry is visible in the request that set it and in the next one, and is swept at its end, read or not.
 * Each entry is a session attribute of its own, so that requests at once do not lose each other's; no session is made
 * while nothing is set. `sweep` runs once, before the session commits.
 * @spec Other request facilities › flash
 */
export class Flash {
  readonly #session: SessionAttributes
  readonly #sweepUnused: boolean
  /** Kept entries that end with this request. */
  readonly #stale: Set<string>
  readonly #now = new Map<string, unknown>()
  readonly now: FlashNow

  constructor(session: SessionAttributes, options: FlashOptions = {}) {
    this.#session = session
    this.#sweepUnused = options.sweepUnused ?? true
    this.#stale = new Set(this.#sweepUnused ? keptNames(session) : [])
    this.now = { set: (name, value) => this.#setNow(name, value) }
  }

  /** The value; `undefined` when there is none. */
  get(name: string): unknown {
    const value = this.#now.has(name) ? this.#now.get(name) : this.#session.get(prefix + name)
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

  /** Removes the entry at once. */
  delete(name: string): void {
    this.#now.delete(name)
    this.#stale.delete(name)
    this.#session.delete(prefix + name)
  }

  /** Lets one entry, or all, live through the next request too. */
  keep(name?: string): void {
    for (const each of name === undefined ? this.names() : [name]) {
      if (this.#now.has(each)) this.set(each, this.#now.get(each))
      else this.#stale.delete(each)
    }
  }

  /** Ends one entry, or all, with this request; until then it can be read. */
  discard(name?: string): void {
    for (const each of name === undefined ? this.names() : [name]) this.#stale.add(each)
  }

  /** Names of all entries that can be read now. */
  names(): string[] {
    return [...new Set([...keptNames(this.#session), ...this.#now.keys()])]
  }

  /** All entries that can be read now. */
  entries(): [name: string, value: unknown][] {
    return this.names().map((name) => [name, this.get(name)])
  }

  /** Ends the request: what is stale leaves the session. */
  sweep(): void {
    const kept = new Set(keptNames(this.#session))
    for (const name of this.#stale) if (kept.has(name)) this.#session.delete(prefix + name)
    this.#stale.clear()
    this.#now.clear()
  }

  #setNow(name: string, value: unknown): void {
    this.#now.set(name, value)
    this.#stale.add(name)
  }
}

function keptNames(session: SessionAttributes): string[] {
  return session
    .keys()
    .filter((name) => name.startsWith(prefix))
    .map((name) => name.slice(prefix.length))
}

/** Flash messages, which one request sets for the next. */
import type { SessionAttributes } from './attributes.ts'

const prefix = 'flash:'
/** The prefix of an attribute that marks an entry which a page has left unread. It is as long as `prefix`: names have a limit. */
const unreadPrefix = 'flash!'

/** The options of the flash. */
export interface FlashOptions {
  /** False to keep an entry until a page reads it; true (the default) also removes one that two pages did not read. */
  readonly sweepUnused?: boolean
}

/** The entries that only the current request can read. @spec Other request facilities › flash.now */
export interface FlashNow {
  get(name: string): unknown
  has(name: string): boolean
  set(name: string, value: unknown): void
}

/**
 * The flash of a session. The request that sets an entry and later requests can read it, until a page has shown it: `sweep`
 * then removes the entry. Each entry is a separate session attribute, so that concurrent requests do not overwrite each
 * other's entries. An empty flash creates no session. `sweep` must run once, before the session is committed.
 * @spec Other request facilities › flash
 */
export class Flash {
  readonly #session: SessionAttributes
  readonly #sweepUnused: boolean
  /** The names of the entries that this request has read, and shows if its response is a page. */
  readonly #read = new Set<string>()
  /** The names of the entries that this request has set or kept for a later page. */
  readonly #kept = new Set<string>()
  /** The names of the entries that are removed at the end of this request, with any response. */
  readonly #discarded = new Set<string>()
  readonly #now = new Map<string, unknown>()
  readonly now: FlashNow

  constructor(session: SessionAttributes, options: FlashOptions = {}) {
    this.#session = session
    this.#sweepUnused = options.sweepUnused ?? true
    this.now = {
      get: (name) => this.#now.get(name),
      has: (name) => this.#now.has(name),
      set: (name, value) => {
        this.#now.set(name, value)
        this.#read.add(name)
        this.#kept.delete(name)
      },
    }
  }

  /** Returns the value of an entry; `undefined` for an unknown name. */
  get(name: string): unknown {
    const value = this.#now.has(name) ? this.#now.get(name) : this.#stored(name)
    if (value !== undefined) this.#read.add(name)
    return value
  }

  has(name: string): boolean {
    return this.get(name) !== undefined
  }

  /** Sets an entry for this request and the next page. @throws FwError as `Session.set` does */
  set(name: string, value: unknown): void {
    this.#session.set(prefix + name, value)
    this.#keep(name)
    this.#now.delete(name)
  }

  /** Removes an entry immediately. */
  delete(name: string): void {
    this.#now.delete(name)
    this.#remove(name)
  }

  /** Keeps one entry, or all entries, for the next page too. */
  keep(name?: string): void {
    for (const each of name === undefined ? this.names() : [name]) {
      if (this.#now.has(each)) this.set(each, this.#now.get(each))
      else this.#keep(each)
    }
  }

  /** Removes one entry, or all entries, at the end of this request. */
  discard(name?: string): void {
    for (const each of name === undefined ? this.names() : [name]) this.#discarded.add(each)
  }

  /** Returns the names of all readable entries. */
  names(): string[] {
    return [...new Set([...storedNames(this.#session), ...this.#now.keys()])]
  }

  entries(): [name: string, value: unknown][] {
    return this.names().map((name) => [name, this.get(name)])
  }

  /** Returns true if the session has an entry that `sweep` may remove. */
  get isWaiting(): boolean {
    return this.#session.keys().some((name) => name.startsWith(prefix))
  }

  /**
   * Removes the entries that the response has shown, at the end of the request. `isPage` is true if the response is a whole
   * page; any other response removes only discarded entries.
   */
  sweep(isPage: boolean): void {
    for (const name of storedNames(this.#session))
      if (this.#discarded.has(name) || (isPage && this.#isOver(name))) this.#remove(name)
    this.#now.clear()
  }

  /** Returns true if this page ends the entry. Marks an unread entry, so that the next page ends it. */
  #isOver(name: string): boolean {
    if (this.#kept.has(name)) return false
    if (this.#read.has(name)) return true
    if (!this.#sweepUnused) return false
    if (this.#session.get(unreadPrefix + name) !== undefined) return true
    this.#session.set(unreadPrefix + name, true)
    return false
  }

  #keep(name: string): void {
    this.#kept.add(name)
    this.#discarded.delete(name)
    this.#removeMark(name)
  }

  #remove(name: string): void {
    this.#session.delete(prefix + name)
    this.#removeMark(name)
  }

  #removeMark(name: string): void {
    if (this.#session.keys().includes(unreadPrefix + name))
      this.#session.delete(unreadPrefix + name)
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

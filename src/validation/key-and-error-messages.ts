/** KeyAndErrorMessages: every validated key with its messages, for the fields of a form and for error bodies. */

const none: readonly string[] = Object.freeze([])

/** Messages by key, in the order of the rules; a key without messages passed. */
export class KeyAndErrorMessages implements Iterable<readonly [string, readonly string[]]> {
  readonly #messages: ReadonlyMap<string, readonly string[]>

  constructor(messages: ReadonlyMap<string, readonly string[]> = new Map()) {
    this.#messages = messages
  }

  /** The messages of `key`; empty when it passed or was not validated. */
  get(key: string): readonly string[] {
    return this.#messages.get(key) ?? none
  }

  /** As `get`: the name that views use. */
  getErrors(key: string): readonly string[] {
    return this.get(key)
  }

  hasErrors(key: string): boolean {
    return this.get(key).length > 0
  }

  /** How many keys were validated. */
  get size(): number {
    return this.#messages.size
  }

  [Symbol.iterator](): IterableIterator<readonly [string, readonly string[]]> {
    return this.#messages.entries()
  }

  /** Every validated key with its list, an empty one where it passed: `{"name":[],"url":["url is required"]}`. */
  toJSON(): Record<string, readonly string[]> {
    const json = Object.create(null) as Record<string, readonly string[]>
    for (const [key, messages] of this.#messages) json[key] = messages
    return json
  }
}

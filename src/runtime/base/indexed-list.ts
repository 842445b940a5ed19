/** `IndexedList`: items that come and go with requests or jobs. */

/** An item of an `IndexedList`. */
export interface Listed {
  /** The item's index in its list; -1 if it is in none. */
  listIndex: number
}

/**
 * A list whose items store their own index, because a `Map` or `Set` would cost each item 50 ns, and keep memory for what entered
 * and left until a major garbage collection.
 */
export class IndexedList<T extends Listed> {
  readonly #items: T[] = []

  get size(): number {
    return this.#items.length
  }

  add(item: T): void {
    item.listIndex = this.#items.push(item) - 1
  }

  /** Removes an item. Does nothing for an item that is not in the list. */
  remove(item: T): void {
    const index = item.listIndex
    if (index === -1) return
    const last = this.#items.pop()!
    if (last !== item) this.#items[index] = last
    last.listIndex = index
    item.listIndex = -1
  }

  /** Remove no item in the loop. */
  [Symbol.iterator](): Iterator<T> {
    return this.#items.values()
  }

  /** A copy, from whose loop items can be removed. */
  all(): readonly T[] {
    return this.#items.slice()
  }
}

/** A set of what is under way: entering and leaving cost no hashing, for they happen at every request. */

/** Something that can be under way in one place at a time. */
export interface Placed {
  /** Kept by `UnderWay`; -1 while it is not under way. */
  place: number
}

export class UnderWay<T extends Placed> implements Iterable<T> {
  readonly #all: T[] = []

  get size(): number {
    return this.#all.length
  }

  add(one: T): void {
    one.place = this.#all.push(one) - 1
  }

  /** Nothing happens when it is not under way. */
  delete(one: T): void {
    if (one.place === -1) return
    const last = this.#all.pop()!
    if (last !== one) this.#all[one.place] = last
    last.place = one.place
    one.place = -1
  }

  /** As it is now: what iterates may delete. */
  [Symbol.iterator](): IterableIterator<T> {
    return this.#all.slice().values()
  }
}

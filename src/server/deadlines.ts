/** A time limit on many things at once: one clock looks at all of them, for a timer each costs as much as a request. */

import { UnderWay, type Placed } from './under-way.ts'

const looks = 16

/** Something that has to end in time. */
export interface Limited extends Placed {
  /** Kept by `Deadlines`. */
  since: number
}

/** Calls `expire` for what has been under way longer than `millis`, up to a sixteenth of it late. */
export class Deadlines<T extends Limited> {
  readonly #expire: (late: T) => void
  readonly #period: number
  readonly #begun = new UnderWay<T>()
  #look = 0
  #clock: ReturnType<typeof setInterval> | undefined

  constructor(millis: number, expire: (late: T) => void) {
    this.#expire = expire
    this.#period = Math.ceil(millis / looks)
  }

  begin(one: T): void {
    one.since = this.#look
    this.#begun.add(one)
    this.#clock ??= setInterval(() => this.#pass(), this.#period).unref()
  }

  end(one: T): void {
    this.#begun.delete(one)
  }

  #pass(): void {
    this.#look += 1
    for (const one of this.#begun) {
      if (this.#look - one.since <= looks) continue
      this.#begun.delete(one)
      this.#expire(one)
    }
    if (this.#begun.size > 0) return
    clearInterval(this.#clock)
    this.#clock = undefined
  }
}

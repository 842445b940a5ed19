/** A time limit on many things at once: one clock looks at all of them, for a timer each costs as much as a request. */

const looks = 16

/** Calls `expire` for what has been under way longer than `millis`, up to a sixteenth of it late. */
export class Deadlines<T> {
  readonly #expire: (late: T) => void
  readonly #period: number
  /** What is under way, oldest first, and at which look it began. */
  readonly #begun = new Map<T, number>()
  #look = 0
  #clock: ReturnType<typeof setInterval> | undefined

  constructor(millis: number, expire: (late: T) => void) {
    this.#expire = expire
    this.#period = Math.ceil(millis / looks)
  }

  begin(one: T): void {
    this.#begun.set(one, this.#look)
    this.#clock ??= setInterval(() => this.#pass(), this.#period).unref()
  }

  end(one: T): void {
    this.#begun.delete(one)
  }

  #pass(): void {
    this.#look += 1
    for (const [one, since] of this.#begun) {
      if (this.#look - since <= looks) return
      this.#begun.delete(one)
      this.#expire(one)
    }
    if (this.#begun.size > 0) return
    clearInterval(this.#clock)
    this.#clock = undefined
  }
}

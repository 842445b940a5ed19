/** `OverloadDetector`: distinguishes a queue that overload fills from a burst. */

/** The interval of CoDel (RFC 8289), in milliseconds. */
const interval = 100
/** The number of intervals in succession in which more arrives than is served. A second burst makes one. */
const growingIntervals = 2
/** A queue whose wait has been above the target for so many milliseconds is overload, even if it becomes shorter. */
const longestBurst = 650

/**
 * There is overload once the longest wait has been above the target for 200 ms in which more arrived than was served, or for
 * 650 ms. A burst is shorter: nothing follows it. Overload lasts until the caller ends it.
 */
export class OverloadDetector {
  readonly #target: number
  #lateSince: number | undefined
  #intervalEnd = 0
  #arrived = 0
  #served = 0
  #growing = 0
  #isOverloaded = false

  /** `target`: the longest wait without overload, in milliseconds. */
  constructor(target: number) {
    this.#target = target
  }

  /** Counts an arrival at the queue. */
  arrive(): void {
    this.#arrived++
  }

  /** Counts an entry that leaves the queue and is not refused. */
  serve(): void {
    this.#served++
  }

  /** Ends overload. */
  end(): void {
    this.#lateSince = undefined
    this.#isOverloaded = false
  }

  /** `longestWait`: that of the present entries, in milliseconds. */
  detect(now: number, longestWait: number): boolean {
    if (longestWait <= this.#target) this.#lateSince = undefined
    else if (this.#lateSince === undefined) {
      this.#lateSince = now
      this.#growing = 0
      this.#startInterval(now)
    } else if (now >= this.#intervalEnd) {
      this.#growing = this.#arrived > this.#served ? this.#growing + 1 : 0
      this.#isOverloaded ||=
        this.#growing >= growingIntervals || now - this.#lateSince >= longestBurst
      this.#startInterval(now)
    }
    return this.#isOverloaded
  }

  #startInterval(now: number): void {
    this.#intervalEnd = now + interval
    this.#arrived = 0
    this.#served = 0
  }
}

/** `OverloadDetector`: distinguishes lasting overload from a short burst by how long the entries of a queue wait. */

/** The interval of CoDel (RFC 8289), in milliseconds. */
const interval = 100
/** Overload begins after this number of intervals in a row with more arrivals than served entries. A burst fills one. */
const growingIntervals = 2
/** Overload also begins after this many milliseconds of waits above the target, even if the queue shrinks. */
const longestBurst = 650
/** Overload ends after this number of milliseconds without a refusal. Until then, a new burst is refused without detection. */
const calm = 1000

/**
 * Detects overload of a queue: the longest wait has been above the target for 200 ms in which more entries arrived than were
 * served, or for 650 ms. A burst is shorter, because no further entries follow it. The state lasts until no entry waits
 * longer than the target and none has been refused for a second, or until `end` is called.
 */
export class OverloadDetector {
  readonly #target: number
  #lateSince: number | undefined
  #intervalEnd = 0
  #arrived = 0
  #served = 0
  #growing = 0
  #refusedAt = 0
  #isOverloaded = false

  /** `target`: the longest wait in milliseconds that is not overload. */
  constructor(target: number) {
    this.#target = target
  }

  /** Counts an entry that enters the queue. */
  arrive(): void {
    this.#arrived++
  }

  /** Counts an entry that leaves the queue to be processed. Do not call it for a refused entry. */
  serve(): void {
    this.#served++
  }

  /** Notes that an entry was refused at the time `now`. */
  refuse(now: number): void {
    this.#refusedAt = now
  }

  /** Forgets since when entries wait too long. Does not end overload. */
  endBurst(): void {
    this.#lateSince = undefined
  }

  /** Resets the overload state. */
  end(): void {
    this.endBurst()
    this.#isOverloaded = false
  }

  /** Returns whether the queue is overloaded. `longestWait` is the age of its oldest entry in milliseconds. */
  detect(now: number, longestWait: number): boolean {
    if (longestWait <= this.#target) {
      if (this.#isOverloaded && now - this.#refusedAt >= calm) this.end()
      this.endBurst()
    } else if (this.#lateSince === undefined) {
      this.#lateSince = now
      this.#growing = 0
      this.#startInterval(now)
    } else if (now >= this.#intervalEnd) {
      this.#growing = this.#arrived > this.#served ? this.#growing + 1 : 0
      const isLasting = this.#growing >= growingIntervals || now - this.#lateSince >= longestBurst
      if (isLasting && !this.#isOverloaded) {
        this.#isOverloaded = true
        this.#refusedAt = now
      }
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

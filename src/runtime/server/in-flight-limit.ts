/** `InFlightLimit`: an adaptive limit of in-flight requests, for actions that use CPU time after an `await`. */

/** Milliseconds. A longer turn of the event loop delays every in-flight request, so the limit decreases. */
const longTurn = 25
/** In addition to the requests that wait for something else. */
const smallestLimit = 10
/** The decrease of the limit for each request that ends in a long turn. */
const decrease = 0.5
/** The increase of the limit for each request that ends in a short turn. */
const increase = 0.1
/** The factor by which the limit grows in a turn in which the event loop was idle. */
const idleIncrease = 1.25
/**
 * Milliseconds of turns in which no request begins or ends. Then the requests in flight wait for something else. A turn counts
 * for `longTurn` at most, because one long turn, such as a garbage collection, does not mean that requests wait.
 */
const longBlock = 100

/**
 * Adapts the limit by additive increase and multiplicative decrease (AIMD), depending on how long a turn of the event loop
 * takes. Without a limit, the process would begin every request that arrives, and each would wait for the computations of
 * all others. Requests that wait for something else, such as long polls, do not count. The limit is removed
 * when the application has begun all queued requests.
 */
export class InFlightLimit {
  #limit = Infinity
  #inFlight = 0
  #begun = 0
  /** The sum of the turns in milliseconds, each at most `longTurn`, since a request last began or ended. */
  #blocked = 0
  /** The requests that were in flight when none began or ended for `longBlock`; at most, as many of them still wait. */
  #waiting = 0

  /** Counts a request that begins. */
  begin(): void {
    this.#begun++
  }

  isReached(inFlight: number): boolean {
    return inFlight >= this.#limit
  }

  /** Removes the limit. Call it when the queue of requests is empty. */
  clear(): void {
    this.#limit = Infinity
  }

  /** Adapts the limit. Call it once in each turn that begins requests; `turn` is the turn's length in milliseconds. */
  update(turn: number, inFlight: number, wasIdle: boolean): void {
    const ended = Math.max(0, this.#inFlight + this.#begun - inFlight)
    this.#blocked = ended === 0 && this.#begun === 0 ? this.#blocked + Math.min(turn, longTurn) : 0
    this.#inFlight = inFlight
    this.#begun = 0
    this.#waiting = this.#blocked >= longBlock ? inFlight : Math.min(this.#waiting, inFlight)
    if (turn > longTurn) this.#limit = Math.min(this.#limit, inFlight + ended) - ended * decrease
    else if (wasIdle) this.#limit *= idleIncrease
    else this.#limit += ended * increase
    this.#limit = Math.max(this.#limit, this.#waiting + smallestLimit)
  }
}

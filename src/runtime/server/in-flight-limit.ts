/** `InFlightLimit`: an adaptive limit of the requests in flight, for actions that compute after an `await`. */

/** A turn of the event loop that takes more milliseconds delays every request in flight. */
const longTurn = 30
const smallestLimit = 10
/** Of the requests that end in a long turn, this part is not replaced. */
const decrease = 0.5
/** For each request that ends in a short turn. */
const increase = 0.1
/** Factor for a turn in which the event loop was idle. */
const idleIncrease = 1.25

/**
 * Additive increase, multiplicative decrease, with the length of a turn as the signal. Without a limit the process would begin
 * every request that arrives, and each would wait for the computations of all others. There is no limit while no request
 * waits.
 */
export class InFlightLimit {
  #limit = Infinity
  #inFlight = 0
  #begun = 0

  /** Counts a request that begins. */
  begin(): void {
    this.#begun++
  }

  isReached(inFlight: number): boolean {
    return inFlight >= this.#limit
  }

  /** Call it when no request waits. */
  clear(): void {
    this.#limit = Infinity
  }

  /** Call it once in each turn that begins requests, with the milliseconds of the turn. */
  update(turn: number, inFlight: number, wasIdle: boolean): void {
    const ended = Math.max(0, this.#inFlight + this.#begun - inFlight)
    this.#inFlight = inFlight
    this.#begun = 0
    if (turn > longTurn) {
      const before = Math.min(this.#limit, inFlight + ended)
      this.#limit = Math.max(smallestLimit, before - ended * decrease)
    } else if (wasIdle) this.#limit *= idleIncrease
    else this.#limit += ended * increase
  }
}

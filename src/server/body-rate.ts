/** Refuses bodies that trickle: whoever sends a byte now and then would hold memory and a connection for ever. */

import { UnderWay, type Placed } from './under-way.ts'

const grace = 5_000
const interval = 1_000

/** A body on its way. */
export interface Arriving extends Placed {
  /** Milliseconds of `performance.now()`. */
  readonly since: number
  readonly received: number
  tooSlow(): void
}

/** One clock for all bodies of a container. */
export class BodyRate {
  readonly #least: number
  readonly #arriving = new UnderWay<Arriving>()
  #clock: ReturnType<typeof setInterval> | undefined

  /** @param least bytes a second, over the whole time since the body's begin; looked at after five seconds */
  constructor(least: number) {
    this.#least = least
  }

  begin(body: Arriving): void {
    if (this.#least === 0) return
    this.#arriving.add(body)
    this.#clock ??= setInterval(() => this.#pass(), interval).unref()
  }

  end(body: Arriving): void {
    this.#arriving.delete(body)
  }

  #pass(): void {
    const now = performance.now()
    for (const body of this.#arriving) {
      const millis = now - body.since
      if (millis >= grace && body.received < (this.#least * millis) / 1000) body.tooSlow()
    }
    if (this.#arriving.size > 0) return
    clearInterval(this.#clock)
    this.#clock = undefined
  }
}

/** The pauses between attempts to connect, with jitter, so that the nodes do not all connect at the same moment. */
export class ConnectBackoff {
  readonly #onEnd: () => void
  #timer: NodeJS.Timeout | undefined
  #failures = 0

  constructor(onEnd: () => void) {
    this.#onEnd = onEnd
  }

  get isRunning(): boolean {
    return this.#timer !== undefined
  }

  /**
   * Starts a pause, unless one is running. The longest pause doubles with each one since the last reset, up to 2 s, or up to 200 ms if `isShort`
   * is true.
   */
  start(isShort: boolean): void {
    if (this.#timer) return
    const pause = Math.min(50 * 2 ** this.#failures++, isShort ? 200 : 2000)
    this.#timer = setTimeout(
      () => {
        this.#timer = undefined
        this.#onEnd()
      },
      pause * (0.5 + Math.random() / 2),
    ).unref()
  }

  reset(): void {
    this.#failures = 0
    this.end()
  }

  end(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
  }
}

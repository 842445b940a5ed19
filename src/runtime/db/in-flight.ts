/** `InFlight`: counts the operations that have begun and not ended, and waits for their end. */
export class InFlight {
  count = 0
  #end: PromiseWithResolvers<void> | undefined

  /** A promise that resolves when the count drops to zero; `undefined` if no operation is running. */
  get ended(): Promise<void> | undefined {
    return this.count === 0 ? undefined : (this.#end ??= Promise.withResolvers()).promise
  }

  /** Increments the count, and returns a function that decrements it once. */
  begin(): () => void {
    this.count++
    let isOpen = true
    return () => {
      if (!isOpen) return
      isOpen = false
      if (--this.count > 0) return
      this.#end?.resolve()
      this.#end = undefined
    }
  }
}

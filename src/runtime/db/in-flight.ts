/** `InFlight`: counts running operations. */
export class InFlight {
  count = 0
  #end: PromiseWithResolvers<void> | undefined

  /** Resolves when the count is zero; undefined if it is. */
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

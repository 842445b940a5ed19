/** `InFlight`: counts work that has begun, and tells when all of it has ended. */
export class InFlight {
  count = 0
  #end: PromiseWithResolvers<void> | undefined

  /** Resolves when no work is in flight; undefined if none is. */
  get ended(): Promise<void> | undefined {
    return this.count === 0 ? undefined : (this.#end ??= Promise.withResolvers()).promise
  }

  /** Counts work, and returns a function that counts it no longer. A second call of that function does nothing. */
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

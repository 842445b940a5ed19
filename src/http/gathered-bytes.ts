/** Bytes that come piece by piece, copied into one block. */

const empty = Buffer.alloc(0)

/** The block doubles: neither many small pieces nor one large one cost more than their bytes a few times over. */
export class GatheredBytes {
  #block: Buffer = empty
  #length = 0

  get length(): number {
    return this.#length
  }

  append(bytes: Uint8Array): void {
    const length = this.#length + bytes.length
    if (length > this.#block.length) {
      const larger = Buffer.allocUnsafe(Math.max(length, 2 * this.#block.length))
      larger.set(this.view())
      this.#block = larger
    }
    this.#block.set(bytes, this.#length)
    this.#length = length
  }

  /** What came until now; `append` and `clear` may reuse its memory. */
  view(): Buffer {
    return this.#block.subarray(0, this.#length)
  }

  clear(): void {
    this.#block = empty
    this.#length = 0
  }
}

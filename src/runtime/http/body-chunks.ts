/** Collects the chunks of a body: many small ones into one growing block, large ones without a copy. */

const empty = Buffer.alloc(0)
// A kept chunk costs about 500 bytes of overhead: smaller ones are copied.
const smallestKept = 1024

/** Bytes appended into one block, which doubles when it is full. */
export class GrowableBuffer {
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

  /** The bytes so far, not copied: `append` and `clear` may reuse their memory. */
  view(): Buffer {
    return this.#block.subarray(0, this.#length)
  }

  clear(): void {
    this.#block = empty
    this.#length = 0
  }
}

/** The chunks of a body. Its memory grows with the bytes, not with the number of chunks. */
export class BodyChunks {
  #first: Uint8Array | undefined
  #others: Uint8Array[] | undefined
  #small: GrowableBuffer | undefined

  add(chunk: Uint8Array): void {
    if (this.#first === undefined) this.#first = chunk
    else if (chunk.length < smallestKept) (this.#small ??= new GrowableBuffer()).append(chunk)
    else {
      this.#closeSmall()
      ;(this.#others ??= []).push(chunk)
    }
  }

  /** All bytes; a single chunk is returned without a copy. */
  concat(): Uint8Array {
    this.#closeSmall()
    if (this.#others === undefined) return this.#first ?? empty
    return Buffer.concat([this.#first!, ...this.#others])
  }

  #closeSmall(): void {
    if (this.#small === undefined) return
    ;(this.#others ??= []).push(this.#small.view())
    this.#small = undefined
  }
}

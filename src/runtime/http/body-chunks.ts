/** Collects the chunks of a body. Copies small chunks into one growing block, and keeps large chunks without a copy. */

const empty = Buffer.alloc(0)
// Each chunk object costs about 500 bytes of overhead, so smaller chunks are copied into a shared block.
const smallestKept = 1024

/** Appends bytes to one block of memory, which doubles its size when it is full. */
export class GrowableBuffer {
  #block: Buffer<ArrayBuffer> = empty
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

  /** Returns the bytes appended so far, without a copy: later calls of `append` and `clear` may reuse their memory. */
  view(): Buffer<ArrayBuffer> {
    return this.#block.subarray(0, this.#length)
  }

  clear(): void {
    this.#block = empty
    this.#length = 0
  }
}

/** The chunks of a body. The memory grows with the number of bytes, not with the number of chunks. */
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

  /** Returns all bytes. A single chunk is returned without a copy. */
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

/** The pieces of a body until it is whole. */
import { GatheredBytes } from '../http.ts'

/** Each piece that is kept costs some 500 bytes beside its own: what is smaller is copied. */
const smallest = 1024
const empty = new Uint8Array(0)

/** Takes memory for the bytes that came, not for their number; a piece that is alone is handed on as it is. */
export class BodyPieces {
  #first: Uint8Array | undefined
  #others: Uint8Array[] | undefined
  #small: GatheredBytes | undefined

  add(piece: Uint8Array): void {
    if (this.#first === undefined) this.#first = piece
    else if (piece.length < smallest) (this.#small ??= new GatheredBytes()).append(piece)
    else {
      this.#closeSmall()
      ;(this.#others ??= []).push(piece)
    }
  }

  whole(): Uint8Array {
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

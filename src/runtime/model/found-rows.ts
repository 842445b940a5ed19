/** The rows that a statement found, as arrays of the driver until they are read as objects. */
import type { FormatMember, RowShape } from './row.ts'

type AnyRow = Record<string, unknown>

/** Creates the objects of the rows when they are first read, because JSON is written without them. */
export class FoundRows {
  readonly #results: readonly unknown[][]
  /** `undefined` if the results are objects already. */
  readonly #shape: RowShape | undefined
  #rows: AnyRow[] | undefined

  constructor(results: readonly unknown[][], shape: RowShape)
  constructor(rows: readonly AnyRow[])
  constructor(results: readonly unknown[][] | readonly AnyRow[], shape?: RowShape) {
    this.#results = results as readonly unknown[][]
    this.#shape = shape
    if (shape === undefined) this.#rows = results as AnyRow[]
  }

  get length(): number {
    return this.#results.length
  }

  /** The same objects at each read, so that changes of a row are kept. */
  get rows(): AnyRow[] {
    return (this.#rows ??= this.#results.map((values) => this.#shape!.create(values)))
  }

  set rows(rows: AnyRow[]) {
    this.#rows = rows
  }

  /** Returns the row at a position for one read: a copy, unless the rows are objects already. */
  at(position: number): AnyRow {
    return this.#rows?.[position] ?? this.#shape!.create([...this.#results[position]!])
  }

  /** Returns these rows and those of `others`. */
  concat(others: FoundRows): FoundRows {
    return this.#derive([...this.#results, ...others.#results])
  }

  /** Returns the first rows, in reverse order if `isBackward`. */
  first(count: number, isBackward: boolean): FoundRows {
    const results = this.#results.slice(0, count)
    return this.#derive(isBackward ? results.reverse() : results)
  }

  #derive(results: readonly unknown[][]): FoundRows {
    return this.#shape === undefined
      ? new FoundRows(results as unknown as AnyRow[])
      : new FoundRows(results, this.#shape)
  }

  /**
   * Returns objects with the visible members of the rows, without creating the rows; `undefined` if the rows were read, because
   * they may have changed since. See `RowShape.members`.
   */
  members(nameOf: (field: string) => string, format: FormatMember): object[] | undefined {
    if (this.#rows !== undefined) return undefined
    const shape = this.#shape!
    const names = shape.names(nameOf)
    return this.#results.map((values) => shape.members(values, names, format))
  }
}

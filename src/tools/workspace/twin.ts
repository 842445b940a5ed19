/** The TypeScript module of a template in an editor, and the positions that both have in common. */
import type { Range } from 'vscode-languageserver'
import { type Segment, templateOffset } from '../../templates/emit.ts'
import type { TextLines } from './text-lines.ts'

/**
 * How a twin was made from the text in the editor: `compiled` as `fw check` does; `unplanned` without escaping, because the HTML
 * is incomplete; `repaired` from a text whose syntax was completed; `outdated` from the last text that could be compiled.
 */
export type TwinState = 'compiled' | 'unplanned' | 'repaired' | 'outdated'

export interface TwinOptions {
  /** The path of the template below `WEB-INF/`. */
  readonly file: string
  /** The text in the editor. */
  readonly template: TextLines
  readonly code: TextLines
  readonly segments: readonly Segment[]
  readonly state: TwinState
  /** The text that was compiled. */
  readonly source: string
  /**
   * For each character of `source` its offset in the text of the editor; for an inserted character the offset of the next one.
   * Absent if both texts are equal.
   */
  readonly origins?: readonly number[] | undefined
}

/** Returns the index of the first element for which `isAfter` holds; `isAfter` holds for all elements behind it. */
function firstIndex<T>(list: readonly T[], isAfter: (element: T) => boolean): number {
  let low = 0
  let high = list.length
  while (low < high) {
    const middle = (low + high) >> 1
    if (isAfter(list[middle]!)) high = middle
    else low = middle + 1
  }
  return low
}

/** A template's module, which maps offsets in both directions. */
export class Twin {
  readonly file: string
  readonly template: TextLines
  readonly code: TextLines
  readonly state: TwinState
  readonly #source: string
  readonly #segments: readonly Segment[]
  #copiedSegments: readonly Segment[] | undefined
  readonly #origins: readonly number[] | undefined

  constructor({ file, template, code, segments, state, source, origins }: TwinOptions) {
    this.file = file
    this.template = template
    this.code = code
    this.state = state
    this.#source = source
    this.#segments = segments
    this.#origins = origins
  }

  /** The copied segments, in the order of the template. */
  get #copied(): readonly Segment[] {
    this.#copiedSegments ??= this.#segments
      .filter(({ copied }) => copied)
      .sort((a, b) => a.source - b.source)
    return this.#copiedSegments
  }

  /** Returns the same code for another text in the editor, in which only the part between a common start and end differs. */
  outdated(template: TextLines): Twin {
    const [older, newer] = [this.#source, template.text]
    let start = 0
    const shorter = Math.min(older.length, newer.length)
    while (start < shorter && older[start] === newer[start]) start++
    let end = 0
    while (end < shorter - start && older.at(-1 - end) === newer.at(-1 - end)) end++
    const shift = newer.length - older.length
    const origins = Array.from({ length: older.length }, (_, at) => at)
    for (let at = start; at < older.length; at++)
      origins[at] = at < older.length - end ? start : at + shift
    const { file, code } = this
    const segments = this.#segments
    return new Twin({ file, template, code, segments, state: 'outdated', source: older, origins })
  }

  #toSource(offset: number): number {
    const origins = this.#origins
    return origins === undefined ? offset : firstIndex(origins, (origin) => origin >= offset)
  }

  #fromSource(offset: number): number {
    return this.#origins === undefined
      ? offset
      : (this.#origins[offset] ?? this.template.text.length)
  }

  /**
   * Returns the offset in the code of the copied part that contains an offset of the template; `undefined` if no part does. Prefers
   * a part that continues at the offset to one that ends there.
   */
  toCode(offset: number): number | undefined {
    const source = this.#toSource(offset)
    const last = firstIndex(this.#copied, (one) => one.source > source) - 1
    let ending: number | undefined
    for (let at = last; at >= 0 && at > last - 4; at--) {
      const { source: from, length, generated } = this.#copied[at]!
      if (source < from + length) return generated + source - from
      if (source === from + length) ending ??= generated + length
    }
    return ending
  }

  /**
   * Returns the offset of the variable that a declared value becomes in the function `render`, for an offset in the name of the
   * declaration; otherwise `undefined`.
   */
  toVariable(offset: number): number | undefined {
    const code = this.toCode(offset)
    if (code === undefined) return undefined
    const name = this.#copied.find((one) => one.generated <= code && code <= endOf(one))
    if (name === undefined) return undefined
    const text = this.code.text.slice(name.generated, endOf(name))
    return this.#segments.find(
      (one) =>
        !one.copied &&
        one.source === name.source &&
        this.code.text.startsWith(text, one.generated) &&
        !/[\w$]/.test(this.code.text[one.generated + text.length] ?? ''),
    )?.generated
  }

  /**
   * Returns the offset in the template for an offset in the code. `exact` is false for code that is not copied from the template.
   */
  toTemplate(code: number): { readonly offset: number; readonly exact: boolean } {
    const { offset, exact } = templateOffset(this.#segments, code)
    return { offset: this.#fromSource(offset), exact }
  }

  /** Returns the range of the template that a range of the code is copied from; `undefined` for other code. */
  copiedRange({ start, end }: Range): Range | undefined {
    const [from, to] = [this.code.offset(start), this.code.offset(end)]
    const at = firstIndex(this.#segments, (one) => one.generated > from) - 1
    // An empty range may lie at the end of one part, where generated code follows.
    const segment = this.#segments[at]
    if (segment === undefined || !segment.copied || to > endOf(segment)) return undefined
    const first = this.#fromSource(segment.source + from - segment.generated)
    const last = this.#fromSource(segment.source + to - segment.generated)
    const copied = this.template.text.slice(first, last)
    return copied === this.code.text.slice(from, to) ? this.template.range(first, last) : undefined
  }

  /** Returns the range of the template that is nearest to a range of the code, such as the declaration of a variable. */
  nearestRange(range: Range): Range {
    const copied = this.copiedRange(range)
    if (copied !== undefined) return copied
    const [from, to] = [this.code.offset(range.start), this.code.offset(range.end)]
    const { offset } = this.toTemplate(from)
    const text = this.code.text.slice(from, to)
    const end = this.template.text.startsWith(text, offset) ? offset + text.length : offset
    return this.template.range(offset, end)
  }
}

const endOf = ({ generated, length }: Segment): number => generated + length

/** Collects the attributes of a template for which browsers ask the Content-Security-Policy. */
import { styleDeclarations, styleValue } from '../../runtime/view.ts'
import type { Markers } from '../contexts.ts'
import type { PlacedUse } from './branch-paths.ts'
import { literalTexts } from './literal-texts.ts'

/** The maximum number of values of one style attribute; one with more counts as unknown. */
const maximumValues = 8

export class PolicyUses {
  readonly #markers: Markers
  readonly #uses = new Map<string, PlacedUse>()
  readonly #divided = new Set<number>()

  constructor(markers: Markers) {
    this.#markers = markers
  }

  /** Adds an attribute, which several branch paths may report. `isDivided` is true if a directive is in its value. */
  add(use: PlacedUse, isDivided: boolean): void {
    this.#uses.set(`${use.pos} ${use.attribute}`, use)
    if (isDivided) this.#divided.add(use.pos)
  }

  /**
   * Returns the uses, and the values of the style attributes whose texts are all in the template. `printed` returns the
   * texts that an expression in a style can print; `undefined` if they are not known.
   */
  result(printed: (marker: number) => readonly string[] | undefined) {
    const styles = new Set<string>()
    const policyUses: PlacedUse[] = []
    for (const use of this.#uses.values()) {
      const isKnown = use.kind === 'style' && !this.#divided.has(use.pos)
      const values = isKnown ? this.#expand(use.value, printed) : undefined
      policyUses.push(values === undefined ? use : { ...use, values })
      for (const value of values ?? []) styles.add(value)
    }
    return { styles: [...styles], policyUses }
  }

  /** Returns all texts of a style attribute. */
  #expand(
    value: string,
    printed: (marker: number) => readonly string[] | undefined,
  ): readonly string[] | undefined {
    let texts = ['']
    let from = 0
    for (const { marker, start, end } of this.#markers.find(value)) {
      const own = printed(marker)
      if (own === undefined || texts.length * own.length > maximumValues) return undefined
      const before = value.slice(from, start)
      texts = texts.flatMap((text) => own.map((one) => text + before + one))
      from = end
    }
    return texts.map((text) => text + value.slice(from))
  }
}

/** Returns what an expression of literals prints in a style; `undefined` if it can print other texts. */
export function printedStyles(code: string, escaper: string): readonly string[] | undefined {
  if (escaper === 'styleDeclarations') {
    const texts = literalTexts(code)
    return (
      texts && [...new Set([...texts.map(styleDeclarations), ...(isOptional(code) ? [''] : [])])]
    )
  }
  // The left side of `&&` would print a text such as `false`.
  if (escaper !== 'styleValue' || isOptional(code)) return undefined
  return literalTexts(code)?.map(styleValue)
}

/** True if an expression of literals may print nothing or a value that is no text. */
const isOptional = (code: string): boolean => /&&|\b(?:undefined|null|false)\b/.test(code)

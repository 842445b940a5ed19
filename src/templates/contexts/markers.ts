/**
 * Creates and finds markers. A marker is a word that takes the place of an expression while parsers read the template.
 */

/** Thrown for an expression that no escaper makes safe in its context. */
export class MarkerError extends Error {
  readonly marker: number

  constructor(marker: number, message: string) {
    super(message)
    this.marker = marker
  }
}

/** Returns a text of the same length in lower case: `toLowerCase` would make `İ` longer, and offsets wrong. */
export const lowerCase = (text: string): string =>
  text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase())

/** The position of one marker in a text. */
export interface MarkerPlace {
  readonly marker: number
  readonly start: number
  readonly end: number
}

/** Creates and finds the markers of one template: lower-case words that do not occur in its text. */
export class Markers {
  readonly #pattern: RegExp
  readonly #word: string

  constructor(template: string) {
    let word = 'zq'
    while (template.toLowerCase().includes(word)) word += 'q'
    this.#word = word
    this.#pattern = new RegExp(`${word}(\\d+)${word}`, 'g')
  }

  text(marker: number): string {
    return `${this.#word}${marker}${this.#word}`
  }

  /** Returns the marker if `text` is exactly one marker; otherwise `undefined`. */
  exact(text: string): number | undefined {
    const [place] = this.find(text)
    return place !== undefined && place.end - place.start === text.length ? place.marker : undefined
  }

  has(text: string): boolean {
    return text.includes(this.#word)
  }

  find(text: string): MarkerPlace[] {
    if (!this.has(text)) return []
    return [...text.matchAll(this.#pattern)].map((found) => ({
      marker: Number(found[1]),
      start: found.index,
      end: found.index + found[0].length,
    }))
  }

  /** Replaces each marker in `text` by `replacement`. */
  replace(text: string, replacement: string): string {
    return text.replace(this.#pattern, replacement)
  }
}

/** Maps each marker in a text to its escaper. */
export type MarkerEscapers = ReadonlyMap<number, string>

/** Sets the escaper of a marker. Throws if the marker has another escaper in another place of the same text. */
export function setEscaper(escapers: Map<number, string>, marker: number, escaper: string): void {
  if ((escapers.get(marker) ?? escaper) !== escaper)
    throw new MarkerError(marker, 'an expression cannot stand both in a string and outside of it')
  escapers.set(marker, escaper)
}

/**
 * Throws if an odd number of backslashes precedes the marker: the last one would escape the first character of the
 * value.
 */
export function refuseAfterBackslash(text: string, place: MarkerPlace, language: string): void {
  const [backslashes] = /\\*$/.exec(text.slice(0, place.start))!
  if (backslashes.length % 2 === 0) return
  throw new MarkerError(place.marker, `an expression cannot follow a backslash in a ${language}`)
}

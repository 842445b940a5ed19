/** Content negotiation: quality lists, encodings, and the formats of an Accept header. */
import { cachedByHeader } from './content-type.ts'
import { mediaTypeOf } from './media-types.ts'
import { ResponseHeaders } from './response-headers.ts'

/** One entry of a header such as Accept: its value in lower case without parameters, and its weight from 0 to 1. */
interface Preference {
  readonly value: string
  readonly quality: number
}

const maxEntries = 64
const qualityText = /^(?:0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/

/**
 * Parses the entries of Accept or Accept-Encoding, sorted by descending weight. Entries of the same weight keep their
 * order, and entries of weight 0 are included. Drops entries with a malformed weight, and everything after 64 entries.
 */
export const parsePreferences = cachedByHeader((header): readonly Preference[] => {
  const entries: Preference[] = []
  for (let start = 0; start < header.length && entries.length < maxEntries;) {
    let end = header.indexOf(',', start)
    if (end === -1) end = header.length
    const entry = parseEntry(header.slice(start, end))
    if (entry !== undefined) entries.push(entry)
    start = end + 1
  }
  return entries.sort((left, right) => right.quality - left.quality)
})

function parseEntry(text: string): Preference | undefined {
  const [value = '', ...parameters] = text.split(';')
  const name = value.trim().toLowerCase()
  if (name === '') return undefined
  for (const parameter of parameters) {
    const trimmed = parameter.trim()
    if (!trimmed.startsWith('q=') && !trimmed.startsWith('Q=')) continue
    const quality = trimmed.slice(2)
    return qualityText.test(quality) ? { value: name, quality: Number(quality) } : undefined
  }
  return { value: name, quality: 1 }
}

/**
 * Returns the encoding of `offered` with the highest weight; undefined when the client accepts none. `offered` is in
 * lower case and in order of preference. `*` applies to encodings that the header does not name.
 */
export function bestEncoding(
  header: string | undefined,
  offered: readonly string[],
): string | undefined {
  if (header === undefined) return undefined
  const preferences = parsePreferences(header)
  return findBest(offered, (encoding) => {
    const entry =
      preferences.find(({ value }) => value === encoding) ??
      preferences.find(({ value }) => value === '*')
    return entry?.quality ?? 0
  })
}

function findBest(offered: readonly string[], weigh: (item: string) => number): string | undefined {
  let winner: string | undefined
  let highest = 0
  for (const item of offered) {
    const weight = weigh(item)
    if (weight <= highest) continue
    winner = item
    highest = weight
  }
  return winner
}

const extensions = 'atom css csv html ics js json md pdf rss svg txt xhtml xml xslt'.split(' ')
const suffixTypes: ReadonlyArray<readonly [string, string]> = [
  ...extensions.map((name) => [name, mediaTypeOf(`.${name}`)!.split(';', 1)[0]!] as const),
  ['flv', 'video/x-flv'],
  ['swf', 'application/x-shockwave-flash'],
]

const typeSuffixes: ReadonlyArray<readonly [string, string]> = [
  ['application/ecmascript', 'json'],
  ['application/javascript', 'json'],
  ['application/x-ecmascript', 'json'],
  ['application/x-javascript', 'json'],
  ['text/ecmascript', 'json'],
  ['text/xml', 'xml'],
  ['application/problem+json', 'json'],
  ['application/problem+xml', 'xml'],
  ['application/x-www-form-urlencoded', 'html'],
  ['multipart/form-data', 'html'],
]

/**
 * Maps formats (suffixes of a route, such as `json`) to media types, and media types to formats.
 * @spec Default FwResource routes › Suffix `.xml` / `.json` selects the representation
 */
export class FormatTable {
  readonly #typeOf = new Map<string, string>([...suffixTypes, ['html5', 'text/html']])
  readonly #formatOf = new Map<string, string>([
    ...suffixTypes.map(([format, type]) => [type, format] as const),
    ...typeSuffixes,
  ])

  /**
   * Adds a format, or changes the media type of a known format.
   * @throws FwError `http.header-invalid` for a media type that a header cannot have
   */
  add(format: string, mediaType: string): void {
    new ResponseHeaders().append('Content-Type', mediaType)
    this.#typeOf.set(format, mediaType)
    this.#formatOf.set(mediaType.toLowerCase(), format)
  }

  /** Returns the media type of a format, without a charset; undefined for an unknown format. */
  typeOf(format: string): string | undefined {
    return this.#typeOf.get(format)
  }

  /** Returns the format of a media type; that of its suffix, such as `+json`, for an unknown one. */
  #findFormat(mediaType: string): string | undefined {
    const known = this.#formatOf.get(mediaType)
    if (known !== undefined) return known
    if (mediaType.endsWith('+json')) return 'json'
    return mediaType.endsWith('+xml') ? 'xml' : undefined
  }

  /** Returns the known format with the highest weight in Accept; undefined without a known one. Ignores wildcards. */
  preferred(accept: string | undefined): string | undefined {
    if (accept === undefined) return undefined
    const preferences = parsePreferences(accept)
    const isRefused = (format: string): boolean =>
      preferences.some(
        ({ value, quality }) => quality === 0 && this.#formatOf.get(value) === format,
      )
    for (const { value, quality } of preferences) {
      const format = quality > 0 ? this.#findFormat(value) : undefined
      if (format !== undefined && !isRefused(format)) return format
    }
    return undefined
  }

  /**
   * Returns the format of `offered` with the highest weight in Accept, and the earlier one of two with the same weight.
   * Returns the first format without Accept, and undefined when the client accepts none of them (406).
   */
  best(accept: string | undefined, offered: readonly string[]): string | undefined {
    if (accept === undefined || accept.trim() === '') return offered[0]
    const preferences = parsePreferences(accept)
    return findBest(offered, (format) => this.#weigh(format, preferences))
  }

  #weigh(format: string, preferences: readonly Preference[]): number {
    const type = this.#typeOf.get(format)
    let any = 0
    let range = -1
    let bySuffix: number | undefined
    for (const { value, quality } of preferences) {
      if (value === type || this.#formatOf.get(value) === format) return quality
      if (this.#findFormat(value) === format) bySuffix ??= quality
      if (value === '*/*') any = Math.max(any, quality)
      else if (type !== undefined && value.endsWith('/*') && type.startsWith(value.slice(0, -1))) {
        range = Math.max(range, quality)
      }
    }
    return bySuffix ?? (range >= 0 ? range : any)
  }
}

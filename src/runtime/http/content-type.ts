/** Parses Content-Type headers strictly, and encodes response text in a charset. */
import { FwError } from '../base.ts'

/** A media type with its parameters. Parameter names are in lower case, values as received. */
export interface ContentType {
  /** The media type in lower case without parameters, such as `application/json`. */
  readonly essence: string
  readonly parameters: ReadonlyMap<string, string>
}

const token = "[!#$%&'*+\\-.^_`|~0-9A-Za-z]+"
const typeSyntax = new RegExp(`^[ \\t]*(${token}/${token})`)
const parameters = parameterSyntax('(?:[^"\\\\]|\\\\[\\t\\x20-\\x7e\\x80-\\xff])*')
const end = /[ \t]*(?:;[ \t]*)?$/y

/** Returns the regular expression for one `; name=value`. `inQuotes` is the pattern of the text between quotation marks. */
export function parameterSyntax(inQuotes: string): RegExp {
  return new RegExp(`[ \\t]*;[ \\t]*(${token})=(?:"(${inQuotes})"|(${token}))`, 'y')
}

/**
 * Parses the parameters from position `start` to the end of a header. Puts names in lower case, and replaces each match
 * of `unescape` in quoted values by its first group. Returns undefined for a malformed header or a repeated parameter.
 */
export function parseParameters(
  header: string,
  start: number,
  syntax: RegExp,
  unescape: RegExp,
): Map<string, string> | undefined {
  const found = new Map<string, string>()
  for (let at = start; ; at = syntax.lastIndex) {
    syntax.lastIndex = at
    const [, name, quoted, plain] = syntax.exec(header) ?? []
    if (name === undefined) {
      end.lastIndex = at
      return end.test(header) ? found : undefined
    }
    const key = name.toLowerCase()
    if (found.has(key)) return undefined
    found.set(key, plain ?? quoted!.replace(unescape, '$1'))
  }
}

const maxCached = 200
const maxCachedLength = 512

/** Returns a parser that caches its results by the header, because clients send the same few headers again and again. */
export function cachedByHeader<T>(parse: (header: string) => T): (header: string) => T {
  const results = new Map<string, T>()
  return (header) => {
    const known = results.get(header)
    if (known !== undefined || results.has(header)) return known as T
    const result = parse(header)
    if (header.length > maxCachedLength) return result
    if (results.size === maxCached) results.clear()
    results.set(header, result)
    return result
  }
}

/**
 * Parses a Content-Type header, with or without blanks around it. Returns undefined for a malformed header: trailing
 * text, a repeated parameter or a missing quotation mark.
 */
export const parseContentType = cachedByHeader((header): ContentType | undefined => {
  const [matched, essence] = typeSyntax.exec(header) ?? []
  if (matched === undefined || essence === undefined) return undefined
  const found = parseParameters(header, matched.length, parameters, /\\(.)/g)
  return found && { essence: essence.toLowerCase(), parameters: found }
})

/** Returns the declared charset in lower case; undefined without one. */
export function charsetOf(contentType: ContentType): string | undefined {
  return contentType.parameters.get('charset')?.toLowerCase()
}

const encodings: ReadonlyMap<string, 'utf8' | 'latin1' | 'utf16le'> = new Map([
  ['utf-8', 'utf8'],
  ['utf8', 'utf8'],
  ['iso-8859-1', 'latin1'],
  ['latin1', 'latin1'],
  ['utf-16le', 'utf16le'],
])

/**
 * Encodes a text in `charset`. For UTF-8, returns the text itself, because the container encodes it.
 * @throws FwError `http.charset-unwritable`
 */
export function encodeText(text: string, charset: string): string | Uint8Array {
  const encoding = encodings.get(charset.toLowerCase())
  if (encoding === undefined)
    throw new FwError(
      'http.charset-unwritable',
      `Text cannot be written in ${JSON.stringify(charset)}: use utf-8, iso-8859-1 or utf-16le, or return bytes.`,
    )
  if (encoding === 'utf8') return text
  if (encoding === 'latin1' && /[^\x00-\xff]/.test(text))
    throw new FwError(
      'http.charset-unwritable',
      'The text contains characters outside iso-8859-1: use utf-8.',
    )
  return Buffer.from(text, encoding)
}

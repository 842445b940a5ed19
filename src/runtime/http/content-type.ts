/** The Content-Type header, parsed strictly, and the charsets a response can be written in. */
import { FwError } from '../base.ts'

/** A media type with its parameters; names are in lower case, values as sent. */
export interface ContentType {
  /** `type/subtype` in lower case, such as `application/json`. */
  readonly essence: string
  readonly parameters: ReadonlyMap<string, string>
}

const token = "[!#$%&'*+\\-.^_`|~0-9A-Za-z]+"
const typeSyntax = new RegExp(`^[ \\t]*(${token}/${token})`)
const parameters = parameterSyntax('(?:[^"\\\\]|\\\\[\\t\\x20-\\x7e\\x80-\\xff])*')
const end = /[ \t]*(?:;[ \t]*)?$/y

/** The syntax of one `; name=value`, for a syntax of the text in quotes. */
export function parameterSyntax(inQuotes: string): RegExp {
  return new RegExp(`[ \\t]*;[ \\t]*(${token})=(?:"(${inQuotes})"|(${token}))`, 'y')
}

/**
 * The parameters from `start` to the end of a header. Names are in lower case, quoted values unescaped by `unescape`.
 * Undefined for a malformed header or a repeated parameter.
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

const maxCached = 100
const maxCachedLength = 200
/** Parsed headers by their text: clients repeat a few. */
const cache = new Map<string, ContentType | undefined>()

/** Undefined for a malformed header: trailing text, a repeated parameter, an open quote. Blanks around it are allowed. */
export function parseContentType(header: string): ContentType | undefined {
  const cached = cache.get(header)
  if (cached !== undefined || cache.has(header)) return cached
  const parsed = parse(header)
  if (cache.size === maxCached) cache.clear()
  if (header.length <= maxCachedLength) cache.set(header, parsed)
  return parsed
}

function parse(header: string): ContentType | undefined {
  const [matched, essence] = typeSyntax.exec(header) ?? []
  if (matched === undefined || essence === undefined) return undefined
  const found = parseParameters(header, matched.length, parameters, /\\(.)/g)
  return found && { essence: essence.toLowerCase(), parameters: found }
}

/** The declared charset in lower case; undefined when there is none. */
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
 * Encodes a text in `charset`. Returns the text itself for UTF-8, which containers encode.
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

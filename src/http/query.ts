/** The one parser for query strings and urlencoded forms. */
import { HttpError } from '../base.ts'

/** Name to its values in the order received; a name that was not sent is absent. */
export type FieldMap = Map<string, string[]>

/** Pairs and bytes of one name. */
export interface QueryLimits {
  readonly maxPairs: number
  readonly maxNameBytes: number
}

const defaultLimits: QueryLimits = { maxPairs: 1000, maxNameBytes: 256 }
const needsDecoding = /[%+\0\x80-\uffff]/
const nonAscii = /[\x80-\uffff]/

function refuse(message: string): never {
  throw new HttpError(400, 'http.query-invalid', message)
}

/**
 * Splits at `&` and the first `=`, decodes `+` and `%XX` once; `;` is text. Empty pairs are skipped, duplicates kept.
 * `text` is as received: ASCII, or one character a byte (Latin-1). `charset` is a label TextDecoder knows.
 * @throws HttpError 400 `http.query-invalid`: malformed percent sign, bytes that are no text of the charset, NUL, or a limit
 * @spec Parameter access › queryParams, formParams
 */
export function parseQuery(text: string, charset = 'utf-8', limits = defaultLimits): FieldMap {
  const fields: FieldMap = new Map()
  const decode = !needsDecoding.test(text)
    ? same
    : charset === 'utf-8'
      ? decodeUtf8
      : decodeAs(charset)
  let pairs = 0
  for (let start = 0; start < text.length;) {
    let end = text.indexOf('&', start)
    if (end === -1) end = text.length
    if (end > start) {
      if (++pairs > limits.maxPairs) refuse(`More than ${limits.maxPairs} parameters were sent.`)
      addPair(fields, text.slice(start, end), decode, limits)
    }
    start = end + 1
  }
  return fields
}

function addPair(
  fields: FieldMap,
  pair: string,
  decode: (piece: string) => string,
  limits: QueryLimits,
): void {
  const equals = pair.indexOf('=')
  const name = decode(equals === -1 ? pair : pair.slice(0, equals))
  const value = equals === -1 ? '' : decode(pair.slice(equals + 1))
  // UTF-8 takes at most three bytes a UTF-16 unit: a short name need not be measured.
  if (name.length * 3 > limits.maxNameBytes && Buffer.byteLength(name) > limits.maxNameBytes) {
    refuse(`A parameter name is longer than ${limits.maxNameBytes} bytes.`)
  }
  const values = fields.get(name)
  if (values === undefined) fields.set(name, [value])
  else values.push(value)
}

function same(piece: string): string {
  return piece
}

function decodeUtf8(piece: string): string {
  if (!needsDecoding.test(piece)) return piece
  if (nonAscii.test(piece)) return decodeBytes(piece, 'utf-8')
  const spaced = piece.includes('+') ? piece.replaceAll('+', ' ') : piece
  try {
    return withoutNul(spaced.includes('%') ? decodeURIComponent(spaced) : spaced)
  } catch (error) {
    if (error instanceof HttpError) throw error
    return refuse('A parameter is not percent-encoded UTF-8.')
  }
}

function decodeAs(charset: string): (piece: string) => string {
  return (piece) => decodeBytes(piece, charset)
}

function decodeBytes(piece: string, charset: string): string {
  const bytes = Buffer.alloc(piece.length)
  let length = 0
  for (let i = 0; i < piece.length; i++) {
    let code = piece.charCodeAt(i)
    if (code === 0x2b) code = 0x20
    else if (code === 0x25) {
      code = hexPair(piece, i + 1)
      i += 2
    }
    if (code > 0xff) refuse('A parameter holds a character that is not percent-encoded.')
    bytes[length++] = code
  }
  try {
    const decoder = new TextDecoder(charset, { fatal: true, ignoreBOM: true })
    return withoutNul(decoder.decode(bytes.subarray(0, length)))
  } catch (error) {
    if (error instanceof HttpError) throw error
    return refuse(`A parameter is not ${charset} text.`)
  }
}

function hexPair(piece: string, at: number): number {
  const code = hexDigit(piece.charCodeAt(at)) * 16 + hexDigit(piece.charCodeAt(at + 1))
  return Number.isNaN(code)
    ? refuse('A percent sign in a parameter is not followed by two hexadecimal digits.')
    : code
}

function hexDigit(code: number): number {
  if (code >= 0x30 && code <= 0x39) return code - 0x30
  const lower = code | 0x20
  return lower >= 0x61 && lower <= 0x66 ? lower - 0x57 : Number.NaN
}

function withoutNul(text: string): string {
  return text.includes('\0') ? refuse('A parameter holds a NUL character.') : text
}

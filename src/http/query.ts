/** The one parser for query strings and urlencoded forms. */
import { HttpError } from '../base.ts'

/** Name to its values in the order received; a name that was not sent is absent. */
export type FieldMap = Map<string, string[]>

const maxPairs = 1000
const maxNameBytes = 256
const needsDecoding = /[%+\0\x80-\uffff]/
const nonAscii = /[\x80-\uffff]/

function refuse(message: string): never {
  throw new HttpError(400, 'http.query-invalid', message)
}

/**
 * Splits at `&` and the first `=`, decodes `+` and `%XX` once; `;` is text. Empty pairs are skipped, duplicates kept.
 * `text` is as received: ASCII, or one character a byte (Latin-1).
 * @throws HttpError 400 `http.query-invalid`: malformed percent sign, bytes that are no UTF-8, NUL, more than 1000 pairs, or
 * a name over 256 bytes
 * @spec Parameter access › queryParams, formParams
 */
export function parseQuery(text: string): FieldMap {
  const fields: FieldMap = new Map()
  const decode = needsDecoding.test(text) ? decoderOf(text) : same
  let pairs = 0
  for (let start = 0; start < text.length;) {
    let end = text.indexOf('&', start)
    if (end === -1) end = text.length
    if (end > start) {
      if (++pairs > maxPairs) refuse(`More than ${maxPairs} parameters were sent.`)
      const equals = equalsIn(text, start, end)
      const name = decode(text.slice(start, equals))
      addValue(fields, name, equals === end ? '' : decode(text.slice(equals + 1, end)))
    }
    start = end + 1
  }
  return fields
}

/** The place of the pair's first `=`, its end if there is none. */
function equalsIn(text: string, start: number, end: number): number {
  for (let i = start; i < end; i++) if (text.charCodeAt(i) === 0x3d) return i
  return end
}

function addValue(fields: FieldMap, name: string, value: string): void {
  // UTF-8 takes at most three bytes a UTF-16 unit: a short name need not be measured.
  if (name.length * 3 > maxNameBytes && Buffer.byteLength(name) > maxNameBytes) {
    refuse(`A parameter name is longer than ${maxNameBytes} bytes.`)
  }
  const values = fields.get(name)
  if (values === undefined) fields.set(name, [value])
  else values.push(value)
}

function decoderOf(text: string): (piece: string) => string {
  withoutNul(text)
  return nonAscii.test(text) ? decodeBytes : decodeAscii
}

function same(piece: string): string {
  return piece
}

// The quick way.
function decodeAscii(piece: string): string {
  const spaced = piece.includes('+') ? piece.replaceAll('+', ' ') : piece
  if (!spaced.includes('%')) return spaced
  let decoded: string
  try {
    decoded = decodeURIComponent(spaced)
  } catch {
    return refuse('A parameter is not percent-encoded UTF-8.')
  }
  return withoutNul(decoded)
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

function decodeBytes(piece: string): string {
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
  let decoded: string
  try {
    decoded = utf8.decode(bytes.subarray(0, length))
  } catch {
    return refuse('A parameter is not UTF-8 text.')
  }
  return withoutNul(decoded)
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

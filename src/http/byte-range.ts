/** The `Range` header (RFC 9110 §14): which part of a body is asked for. */

/** Offsets of the first and the last byte, both included. */
export interface ByteRange {
  readonly first: number
  readonly last: number
}

const single = /^bytes=[ \t]*(\d{0,15})-(\d{0,15})[ \t]*$/i

/**
 * The part of `size` bytes that is asked for; `'unsatisfiable'` when none of it is there (416). Undefined means the
 * whole: no header, another unit, a malformed one, or several ranges at once.
 */
export function parseRange(
  header: string | undefined,
  size: number,
): ByteRange | 'unsatisfiable' | undefined {
  const match = header === undefined ? null : single.exec(header)
  if (match === null) return undefined
  const [, from = '', to = ''] = match
  if (from === '') return suffix(to, size)
  const first = Number(from)
  const last = to === '' ? Infinity : Number(to)
  if (last < first) return undefined
  return first < size ? { first, last: Math.min(last, size - 1) } : 'unsatisfiable'
}

function suffix(length: string, size: number): ByteRange | 'unsatisfiable' | undefined {
  if (length === '') return undefined
  const bytes = Number(length)
  if (bytes === 0 || size === 0) return 'unsatisfiable'
  return { first: Math.max(0, size - bytes), last: size - 1 }
}

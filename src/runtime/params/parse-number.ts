/** Converts texts to numbers, and checks their ranges. Rejects surrounding blanks, hexadecimal digits and overflow. */

declare const decimalMark: unique symbol

/** A decimal number as canonical text, such as `-12.50`: without exponent, `+` and leading zeros. */
export type BigDecimal = string & { readonly [decimalMark]: true }

// The maximum precision of PostgreSQL's `numeric`. It also limits the time of a conversion.
const mostDigits = 1000

/** Parses an integer; `undefined` for other text, and outside the bounds. */
export function parseInteger(text: string, least: number, most: number): number | undefined {
  const first = text.charCodeAt(0)
  const start = first === 45 || first === 43 ? 1 : 0
  if (text.length === start) return undefined
  let value = 0
  for (let i = start; i < text.length; i++) {
    const digit = text.charCodeAt(i) - 48
    if (digit < 0 || digit > 9) return undefined
    value = value * 10 + digit
    if (value > Number.MAX_SAFE_INTEGER) return undefined
  }
  // Uses `0 - value`, because `-value` would turn 0 into -0.
  if (first === 45) value = 0 - value
  return value < least || value > most ? undefined : value
}

const bigIntText = /^[+-]?\d+$/

/** Parses an integer of at most 1,000 characters. */
export function parseBigInt(text: string): bigint | undefined {
  if (text.length > mostDigits || !bigIntText.test(text)) return undefined
  return BigInt(text.charCodeAt(0) === 43 ? text.slice(1) : text)
}

const doubleText = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?[dDfF]?$/
const doubleWord = /^[+-]?(?:NaN|Infinity)$/

/** Parses a number; `undefined` for other text, and for a number that overflows a double. */
export function parseDouble(text: string): number | undefined {
  if (text.length > mostDigits) return undefined
  if (doubleText.test(text)) {
    const value = Number.parseFloat(text)
    return Number.isFinite(value) ? value : undefined
  }
  return doubleWord.test(text) ? Number.parseFloat(text) : undefined
}

/** Parses a number; `undefined` for other text, and for a number that overflows a 32-bit float. */
export function parseFloating(text: string): number | undefined {
  const value = parseDouble(text)
  if (value === undefined || !Number.isFinite(value)) return value
  return Number.isFinite(Math.fround(value)) ? value : undefined
}

const decimalText = /^([+-]?)(\d*)(?:\.(\d*))?$/

/** Parses an exact decimal of at most 1,000 characters. */
export function parseBigDecimal(text: string): BigDecimal | undefined {
  const match = text.length > mostDigits ? null : decimalText.exec(text)
  if (match === null) return undefined
  const [, sign, whole = '', fraction = ''] = match
  if (whole === '' && fraction === '') return undefined
  const digits = whole.replace(/^0+(?=\d)/, '') || '0'
  const size = fraction === '' ? digits : `${digits}.${fraction}`
  return (sign === '-' && /[1-9]/.test(size) ? `-${size}` : size) as BigDecimal
}

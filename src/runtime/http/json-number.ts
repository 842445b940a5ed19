/** JSON numbers that a JavaScript number cannot represent, and the text of numbers in decimal notation. */

/** The functions of `JSON` that exact numbers need. TypeScript's library does not declare them yet. */
const json = JSON as unknown as {
  rawJSON(text: string): object
  isRawJSON(value: unknown): boolean
  parse(
    text: string,
    reviver: (key: string, value: unknown, context: { readonly source: string }) => unknown,
  ): unknown
}

/**
 * A JSON number that would change as a JavaScript number, such as `12345678901234567.89` or `1e400`. Its text and its JSON are
 * exact; calculations use the nearest number.
 */
export class JsonNumber extends Number {
  readonly #source: string

  constructor(source: string) {
    super(source)
    this.#source = source
  }

  /** Returns all digits in decimal notation; the text that was parsed if there are more than 1,000. */
  override toString(): string {
    return plainDigits(this.#source)
  }

  /** Returns the number for `JSON.stringify`, which writes the text that was parsed. */
  toJSON(): object {
    return json.rawJSON(this.#source)
  }

  /** Whether the text is a JavaScript number with 17 digits, as some languages print 0.1 as `0.10000000000000001`. */
  get isDouble(): boolean {
    const value = this.valueOf()
    return Number.isFinite(value) && isSameNumber(this.#source, value.toPrecision(17))
  }
}

/** Returns true for the value that `JSON.stringify` passes to a replacer instead of a `JsonNumber`. */
export const isRawJson = (value: object): boolean => json.isRawJSON(value)

/**
 * Parses JSON as `JSON.parse` does, but returns a `JsonNumber` for each number that would change.
 * @param maxValues the maximum number of values of a text with such numbers, which take a hundred times as long as others
 * @throws SyntaxError; RangeError for such a number in a text with more values
 */
export function parseExactJson(text: string, maxValues = 100_000): unknown {
  if (!mayHaveLongNumber(text) || !hasChangingNumber(text)) return JSON.parse(text)
  let count = 0
  return json.parse(text, (_key, value, { source }) => {
    if (++count > maxValues) throw new RangeError('The JSON has too many values.')
    return typeof value === 'number' && changes(source) ? new JsonNumber(source) : value
  })
}

/**
 * Parses JSON that is used in code: returns a `JsonNumber` only for a number that is not a JavaScript number with 17 digits.
 * @throws SyntaxError
 */
export function parseStoredJson(text: string): unknown {
  if (!mayHaveLongNumber(text) || !hasChangingNumber(text)) return JSON.parse(text)
  return json.parse(text, (_key, value, { source }) =>
    typeof value === 'number' && changes(source) ? usableNumber(new JsonNumber(source)) : value,
  )
}

const usableNumber = (value: JsonNumber): JsonNumber | number =>
  value.isDouble ? value.valueOf() : value

/** Returns the value with numbers as `parseStoredJson` returns them. A value without a `JsonNumber` is not copied. */
export function toUsableNumbers(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (value instanceof JsonNumber) return usableNumber(value)
  let copy: object | undefined
  for (const [key, member] of Object.entries(value)) {
    const usable = toUsableNumbers(member)
    if (usable === member) continue
    copy ??= Array.isArray(value) ? [...(value as unknown[])] : { ...value }
    Object.defineProperty(copy, key, { value: usable })
  }
  return copy ?? value
}

/** The length from which a number may change. A double keeps 15 digits, so shorter ones change by a huge exponent only. */
const longNumber = 16
const hugeExponent = /[eE][+-]?\d{3}/

const isNumberCode = (code: number): boolean =>
  (code <= 0x39 && code >= 0x2b && code !== 0x2c && code !== 0x2f) || // + - . and digits
  (code | 0x20) === 0x65 // e, E

/**
 * Returns false if the text contains no long number and no huge exponent. Numbers in strings count too. Skips as far as no long
 * number can begin, so that it reads a small part of most texts.
 */
export function mayHaveLongNumber(text: string): boolean {
  for (let end = longNumber; end <= text.length;) {
    const start = end - longNumber
    let at = end - 1
    while (at >= start && isNumberCode(text.charCodeAt(at))) at--
    if (at < start) return true
    end = at + 1 + longNumber
  }
  return hugeExponent.test(text)
}

/** Returns true if a number outside of strings would change. */
function hasChangingNumber(text: string): boolean {
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === 0x22) at = findStringEnd(text, at + 1)
    else if (isNumberCode(code)) {
      const start = at
      while (isNumberCode(text.charCodeAt(at + 1))) at++
      if (changes(text.slice(start, at + 1))) return true
    }
  }
  return false
}

/** Returns the index of the quotation mark that ends the string whose content begins at `start`. */
export function findStringEnd(text: string, start: number): number {
  for (let i = start; i < text.length; i++) {
    const code = text.charCodeAt(i)
    if (code === 0x5c) i++
    else if (code === 0x22) return i
  }
  return text.length
}

/** Returns true if a number's text differs from the text of its JavaScript number. */
function changes(source: string): boolean {
  if (source.length < longNumber && !hugeExponent.test(source)) return false
  const text = String(Number(source))
  return text !== source && !isSameNumber(source, text)
}

function isSameNumber(one: string, other: string): boolean {
  const [a, b] = [readDecimal(one), readDecimal(other)]
  return a.digits === b.digits && a.exponent === b.exponent
}

/** A decimal number: its digits without zeros at both ends, multiplied by a power of ten. */
interface Decimal {
  readonly sign: string
  /** Empty for zero. */
  readonly digits: string
  readonly exponent: number
}

/** Reads a number in the notation of JSON. */
function readDecimal(text: string): Decimal {
  const sign = text.startsWith('-') ? '-' : ''
  const [size = '', power = '0'] = text.slice(sign.length).split(/[eE]/)
  const [whole = '', fraction = ''] = size.split('.')
  const all = whole + fraction
  let start = 0
  while (all[start] === '0') start++
  let end = all.length
  while (end > start && all[end - 1] === '0') end--
  const digits = all.slice(start, end)
  if (digits === '') return { sign: '', digits, exponent: 0 }
  return { sign, digits, exponent: Number(power) - fraction.length + all.length - end }
}

const mostDigits = 1000

/** Writes a number without an exponent; returns the text itself if that would take more than 1,000 digits. */
function plainDigits(text: string): string {
  const { sign, digits, exponent } = readDecimal(text)
  if (digits === '') return '0'
  const point = digits.length + exponent
  if (Math.max(point, -exponent, digits.length) > mostDigits) return text
  if (exponent >= 0) return sign + digits + '0'.repeat(exponent)
  if (point <= 0) return `${sign}0.${'0'.repeat(-point)}${digits}`
  return `${sign}${digits.slice(0, point)}.${digits.slice(point)}`
}

/** Returns a number in decimal notation: `0.0000001` for 1e-7. Types read that notation, and not all read exponents. */
export function numberText(value: number): string {
  const text = String(value)
  return text.includes('e') ? plainDigits(text) : text
}

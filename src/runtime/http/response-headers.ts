/** Response headers: mutable headers of one response, and immutable headers that many responses share. */
import { FwError } from '../base.ts'

const notInName = /[^!#$%&'*+\-.^_`|~0-9A-Za-z]/
const notInValue = /[^\t\x20-\x7e\x80-\xff]/

function sameName(left: string, right: string): boolean {
  return (
    left === right || (left.length === right.length && left.toLowerCase() === right.toLowerCase())
  )
}

/** Names of headers → their lower-case form, because an application writes few names, many times. */
const lowerCaseNames = new Map<string, string>()
const mostLowerCaseNames = 256

/** Returns the name of a header in lower case. */
function lowerCaseName(name: string): string {
  const known = lowerCaseNames.get(name)
  if (known !== undefined) return known
  const lower = name.toLowerCase()
  if (lowerCaseNames.size < mostLowerCaseNames) lowerCaseNames.set(name, lower)
  return lower
}

/**
 * Case-insensitive headers in order. `append` never joins values, because `Set-Cookie` needs one line per cookie. Names
 * and values are validated when they are set, so that no line break or NUL is ever sent.
 */
export class ResponseHeaders {
  /** The names and values in alternation, which containers read. Text added directly to this array is not validated. */
  readonly raw: string[]

  /** `raw` is neither copied nor validated. To reuse a list, pass `prebuilt.slice()`. */
  constructor(raw: string[] = []) {
    this.raw = raw
  }

  /** Returns all values of a header joined by `, `; undefined for a missing header. */
  get(name: string): string | undefined {
    const { raw } = this
    let found: string | undefined
    for (let i = 0; i < raw.length; i += 2) {
      if (!sameName(raw[i]!, name)) continue
      found = found === undefined ? raw[i + 1]! : `${found}, ${raw[i + 1]!}`
    }
    return found
  }

  /** Returns each value of a header, in order. */
  getAll(name: string): string[] {
    const found: string[] = []
    for (let i = 0; i < this.raw.length; i += 2) {
      if (sameName(this.raw[i]!, name)) found.push(this.raw[i + 1]!)
    }
    return found
  }

  has(name: string): boolean {
    for (let i = 0; i < this.raw.length; i += 2) if (sameName(this.raw[i]!, name)) return true
    return false
  }

  /**
   * Replaces all values of a header. The new value takes the position of the first old one.
   * @throws FwError `http.header-invalid`
   */
  set(name: string, value: string | number): void {
    const { raw } = this
    for (let i = 0; i < raw.length; i += 2) {
      if (!sameName(raw[i]!, name)) continue
      raw[i + 1] = checkValue(name, value)
      this.#deleteFrom(i + 2, name)
      return
    }
    this.append(name, value)
  }

  /**
   * Adds a header line, even if the name already has a value.
   * @throws FwError `http.header-invalid`
   */
  append(name: string, value: string | number): void {
    this.raw.push(checkName(name), checkValue(name, value))
  }

  /** Removes all values of a header, if there are any. */
  delete(name: string): void {
    this.#deleteFrom(0, name)
  }

  /** Returns true if there is a header of one of these names, which are in lower case. */
  hasAny(names: ReadonlySet<string>): boolean {
    const { raw } = this
    for (let i = 0; i < raw.length; i += 2) if (names.has(lowerCaseName(raw[i]!))) return true
    return false
  }

  /** Removes all headers of these names, which are in lower case. */
  deleteAll(names: ReadonlySet<string>): void {
    const { raw } = this
    for (let i = raw.length - 2; i >= 0; i -= 2)
      if (names.has(lowerCaseName(raw[i]!))) raw.splice(i, 2)
  }

  *entries(): Generator<readonly [string, string]> {
    for (let i = 0; i < this.raw.length; i += 2) yield [this.raw[i]!, this.raw[i + 1]!]
  }

  [Symbol.iterator](): Generator<readonly [string, string]> {
    return this.entries()
  }

  #deleteFrom(start: number, name: string): void {
    const { raw } = this
    for (let i = raw.length - 2; i >= start; i -= 2) {
      if (sameName(raw[i]!, name)) raw.splice(i, 2)
    }
  }
}

function checkName(name: string): string {
  if (name !== '' && !notInName.test(name)) return name
  throw new FwError(
    'http.header-invalid',
    `The header name ${JSON.stringify(name)} is not a token: use letters, digits and hyphens.`,
  )
}

function checkValue(name: string, value: string | number): string {
  const text = String(value)
  if (!notInValue.test(text)) return text
  throw new FwError(
    'http.header-invalid',
    `The value ${JSON.stringify(text)} of the header ${name} contains a control character or one outside Latin-1: ` +
      'encode it (encodeURIComponent) or remove it.',
  )
}

/** Immutable headers that many responses share. They are validated and formatted only once. */
export class SharedHeaders {
  /** The names and values in alternation. */
  readonly raw: readonly string[]
  /** The header lines in the format of HTTP/1.x, each with its line break. */
  readonly text: string

  /** @throws FwError `http.header-invalid` */
  constructor(raw: readonly string[]) {
    const checked = new ResponseHeaders()
    for (let i = 0; i < raw.length; i += 2) checked.append(raw[i]!, raw[i + 1]!)
    this.raw = checked.raw
    this.text = [...checked].map(([name, value]) => `${name}: ${value}\r\n`).join('')
  }
}

/** A value of `Vary`, a line break and a name → the value with that name. An application has few of them. */
const varyValues = new Map<string, string>()
const mostVaryValues = 256

/** Adds the name of a request header to `Vary`, unless `Vary` already contains it or `*`. */
export function addVary(headers: ResponseHeaders, name: string): void {
  const known = headers.get('Vary')
  if (known === undefined) return headers.append('Vary', name)
  const key = `${known}\n${name}`
  let value = varyValues.get(key)
  if (value === undefined) {
    const listed = known.split(',').map((one) => one.trim().toLowerCase())
    const isListed = listed.includes('*') || listed.includes(name.toLowerCase())
    value = isListed ? known : `${known}, ${name}`
    if (varyValues.size < mostVaryValues) varyValues.set(key, value)
  }
  if (value !== known) headers.set('Vary', value)
}

/** Response headers: one flat array in the order of their setting, ready to be written in one go. */
import { FwError } from '../base.ts'

const notInName = /[^!#$%&'*+\-.^_`|~0-9A-Za-z]/
const notInValue = /[^\t\x20-\x7e\x80-\xff]/

function sameName(left: string, right: string): boolean {
  return (
    left === right || (left.length === right.length && left.toLowerCase() === right.toLowerCase())
  )
}

/**
 * Case-insensitive and ordered. A header given twice by `append` stays two lines (`Set-Cookie` must).
 * Values are checked when set: a line break or NUL never reaches the wire.
 */
export class ResponseHeaders {
  /** Alternating names and values. Containers read it; whoever writes here vouches for the text. */
  readonly raw: string[]

  /** `raw` is taken over, not copied: pass `prebuilt.slice()` for a list that is shared. It is trusted. */
  constructor(raw: string[] = []) {
    this.raw = raw
  }

  /** All values of the name joined by `, `; undefined when absent. */
  get(name: string): string | undefined {
    const { raw } = this
    let found: string | undefined
    for (let i = 0; i < raw.length; i += 2) {
      if (!sameName(raw[i]!, name)) continue
      found = found === undefined ? raw[i + 1]! : `${found}, ${raw[i + 1]!}`
    }
    return found
  }

  /** Each value of the name, in order. */
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
   * Replaces every value of the name, at the place of the first.
   * @throws FwError `http.header-invalid`
   */
  set(name: string, value: string | number): void {
    const { raw } = this
    for (let i = 0; i < raw.length; i += 2) {
      if (!sameName(raw[i]!, name)) continue
      raw[i + 1] = checkedValue(name, value)
      this.#deleteFrom(i + 2, name)
      return
    }
    this.append(name, value)
  }

  /**
   * Adds one more line.
   * @throws FwError `http.header-invalid`
   */
  append(name: string, value: string | number): void {
    this.raw.push(checkedName(name), checkedValue(name, value))
  }

  /** Removes every value of the name; an absent name is no error. */
  delete(name: string): void {
    this.#deleteFrom(0, name)
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

function checkedName(name: string): string {
  if (name !== '' && !notInName.test(name)) return name
  throw new FwError(
    'http.header-invalid',
    `The header name ${JSON.stringify(name)} is not a token: use letters, digits and hyphens.`,
  )
}

function checkedValue(name: string, value: string | number): string {
  const text = String(value)
  if (!notInValue.test(text)) return text
  throw new FwError(
    'http.header-invalid',
    `The value ${JSON.stringify(text)} of the header ${name} holds a control character or one outside Latin-1: ` +
      'encode it (encodeURIComponent) or remove it.',
  )
}

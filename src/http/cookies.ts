/** The cookies of one request and those its response sets. */
import { stringifySetCookie } from 'cookie'
import { FwError } from '../base.ts'
import type { ResponseHeaders } from './response-headers.ts'

/** Attributes of a cookie. What is absent is taken from the application's defaults. */
export interface CookieOptions {
  readonly path?: string | undefined
  readonly domain?: string | undefined
  /** Seconds; 0 deletes, negative makes a cookie that lives as long as the browser's session. */
  readonly maxAge?: number | undefined
  readonly expires?: Date | undefined
  readonly httpOnly?: boolean | undefined
  readonly secure?: boolean | undefined
  readonly sameSite?: 'strict' | 'lax' | 'none' | undefined
  readonly partitioned?: boolean | undefined
  readonly priority?: 'low' | 'medium' | 'high' | undefined
}

/** A cookie with its value, as an action result carries it. */
export interface Cookie extends CookieOptions {
  readonly name: string
  readonly value: string
}

const maxCookies = 50
const maxCookieBytes = 4096
const token = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/

/**
 * Reads and sets cookies; what is set is visible to `get` at once. Setting a name again replaces what was set before:
 * one `Set-Cookie` a name. The `Cookie` header is parsed when first asked for.
 * @spec Response helpers › cookies
 */
export class CookieJar {
  readonly #header: string | undefined
  readonly #defaults: CookieOptions
  #received: Map<string, string[]> | undefined
  #set: Map<string, { readonly value: string | undefined; readonly line: string }> | undefined

  /** `defaults` lie under the options of every cookie that is set or deleted. */
  constructor(header: string | undefined, defaults: CookieOptions = {}) {
    this.#header = header
    this.#defaults = defaults
  }

  /** The value last set in this request, else the first one received. */
  get(name: string): string | undefined {
    const own = this.#set?.get(name)
    return own === undefined ? this.#parsed().get(name)?.[0] : own.value
  }

  /** Every value of the name, in order; empty when there is none. */
  getAll(name: string): readonly string[] {
    const own = this.#set?.get(name)
    if (own === undefined) return this.#parsed().get(name) ?? []
    return own.value === undefined ? [] : [own.value]
  }

  has(name: string): boolean {
    return this.get(name) !== undefined
  }

  /** Names that have a value. */
  names(): string[] {
    const names = new Set([...this.#parsed().keys(), ...(this.#set?.keys() ?? [])])
    return [...names].filter((name) => this.has(name))
  }

  /**
   * Any text is a value; it is percent-encoded where needed.
   * @throws FwError `http.cookie-invalid`: name, attribute or size that browsers would refuse
   */
  set(name: string, value: string, options?: CookieOptions): void {
    this.#put(name, value, serialize(name, value, merge(this.#defaults, options)))
  }

  /** Tells the browser to forget the cookie; `path` and `domain` must be those it was set with. */
  delete(name: string, options?: CookieOptions): void {
    const merged = { ...merge(this.#defaults, options), maxAge: 0, expires: new Date(0) }
    this.#put(name, undefined, serialize(name, '', merged))
  }

  /** True when the response needs a `Set-Cookie`. */
  get changed(): boolean {
    return this.#set !== undefined
  }

  /** Appends one `Set-Cookie` for each name that was set or deleted. */
  writeTo(headers: ResponseHeaders): void {
    if (this.#set === undefined) return
    for (const { line } of this.#set.values()) headers.append('Set-Cookie', line)
  }

  #put(name: string, value: string | undefined, line: string): void {
    this.#set ??= new Map()
    this.#set.set(name, { value, line })
  }

  #parsed(): Map<string, string[]> {
    return (this.#received ??= parseCookies(this.#header))
  }
}

/** Name to values in the order received. A malformed pair is skipped; past 50 cookies the rest is not read. */
export function parseCookies(header: string | undefined): Map<string, string[]> {
  const cookies = new Map<string, string[]>()
  if (header === undefined) return cookies
  let count = 0
  for (let start = 0; start < header.length && count < maxCookies;) {
    let end = header.indexOf(';', start)
    if (end === -1) end = header.length
    const equals = header.indexOf('=', start)
    const name = equals > start && equals < end ? trimBlanks(header, start, equals) : ''
    if (name !== '') {
      count++
      const value = decode(trimBlanks(header, equals + 1, end))
      const values = cookies.get(name)
      if (values === undefined) cookies.set(name, [value])
      else values.push(value)
    }
    start = end + 1
  }
  return cookies
}

// Only space and tab: trimming any other blank would let a forged name pass for a real one.
function trimBlanks(text: string, start: number, end: number): string {
  while (start < end && isBlank(text.charCodeAt(start))) start++
  while (end > start && isBlank(text.charCodeAt(end - 1))) end--
  return text.slice(start, end)
}

function isBlank(code: number): boolean {
  return code === 0x20 || code === 0x09
}

function decode(value: string): string {
  if (!value.includes('%')) return value
  try {
    return decodeURIComponent(value)
  } catch {
    return value
  }
}

function merge(defaults: CookieOptions, options: CookieOptions | undefined): CookieOptions {
  return options === undefined ? defaults : { ...defaults, ...options }
}

function serialize(name: string, value: string, options: CookieOptions): string {
  const problem = problemOf(name, options)
  if (problem !== undefined) throw invalid(name, problem)
  const { maxAge, ...rest } = options
  const given = Object.fromEntries(Object.entries(rest).filter(([, each]) => each !== undefined))
  let line: string
  try {
    line = stringifySetCookie({
      ...given,
      ...(maxAge === undefined || maxAge < 0 ? {} : { maxAge }),
      name,
      value,
    })
  } catch (cause) {
    throw invalid(name, cause instanceof Error ? cause.message : String(cause), cause)
  }
  // Browsers measure the name with the value, and drop what is larger without a word.
  const pair = line.indexOf(';')
  if ((pair === -1 ? line.length : pair) > maxCookieBytes) {
    throw invalid(
      name,
      `name and value take more than ${maxCookieBytes} bytes; keep large values in the session`,
    )
  }
  return line
}

function problemOf(name: string, options: CookieOptions): string | undefined {
  if (!token.test(name)) return 'a name is made of letters, digits, hyphens and underscores'
  const secure = options.secure === true
  if (options.sameSite === 'none' && !secure) return 'sameSite none needs secure'
  if (options.partitioned === true && !secure) return 'partitioned needs secure'
  const prefix = name.toLowerCase()
  if ((prefix.startsWith('__secure-') || prefix.startsWith('__host-')) && !secure) {
    return 'its prefix needs secure'
  }
  if (prefix.startsWith('__host-') && (options.path !== '/' || options.domain !== undefined)) {
    return "the prefix __Host- needs path '/' and no domain"
  }
  return undefined
}

function invalid(name: string, problem: string, cause?: unknown): FwError {
  return new FwError(
    'http.cookie-invalid',
    `The cookie ${JSON.stringify(name)} cannot be set: ${problem}.`,
    { cause },
  )
}

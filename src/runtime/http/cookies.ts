/** The cookies that one request contains and its response sets. */
import { stringifySetCookie, type SetCookie } from 'cookie'
import { FwError } from '../base.ts'
import { appendValue } from './query.ts'
import type { ResponseHeaders } from './response-headers.ts'

/** The attributes of a cookie. The application's defaults replace missing attributes. */
export interface CookieOptions {
  readonly path?: string | undefined
  readonly domain?: string | undefined
  /** The lifetime in seconds. 0 deletes the cookie; with a negative number the cookie lasts until the browser closes. */
  readonly maxAge?: number | undefined
  readonly expires?: Date | undefined
  readonly httpOnly?: boolean | undefined
  readonly secure?: boolean | undefined
  readonly sameSite?: 'strict' | 'lax' | 'none' | undefined
  readonly partitioned?: boolean | undefined
  readonly priority?: 'low' | 'medium' | 'high' | undefined
}

/** A cookie of an action result. */
export interface Cookie extends CookieOptions {
  readonly name: string
  readonly value: string
}

const maxCookies = 50
const maxCookieBytes = 4096
const token = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/

/**
 * Reads the cookies of the request and sets those of the response. `get` also returns values set earlier by `set`. The
 * response has one `Set-Cookie` per name, for the last call of `set` or `delete`. The `Cookie` header is parsed on the
 * first read.
 * @spec Response helpers › cookies
 */
export class CookieJar {
  readonly #header: string | undefined
  readonly #defaults: CookieOptions
  #parsed: Map<string, string[]> | undefined
  /** The cookies set or deleted in this request, by name. The value of a deleted cookie is undefined. */
  #changes: Map<string, { readonly value: string | undefined; readonly line: string }> | undefined

  /** `defaults` are the attributes of every cookie that is set or deleted. The options of a call override them. */
  constructor(header: string | undefined, defaults: CookieOptions = {}) {
    this.#header = header
    this.#defaults = defaults
  }

  /** Returns the value last set in this request, otherwise the first value received. */
  get(name: string): string | undefined {
    const change = this.#changes?.get(name)
    return change === undefined ? this.#received().get(name)?.[0] : change.value
  }

  /** Returns all values of a cookie in the order received; an empty list for an unknown name. */
  getAll(name: string): readonly string[] {
    const change = this.#changes?.get(name)
    if (change === undefined) return this.#received().get(name) ?? []
    return change.value === undefined ? [] : [change.value]
  }

  has(name: string): boolean {
    return this.get(name) !== undefined
  }

  /** Returns the names of the cookies that have a value. */
  names(): string[] {
    const names = new Set([...this.#received().keys(), ...(this.#changes?.keys() ?? [])])
    return [...names].filter((name) => this.has(name))
  }

  /**
   * Sets a cookie. `value` may be any text; it is percent-encoded.
   * @throws FwError `http.cookie-invalid` for a name, attribute or size that browsers reject
   */
  set(name: string, value: string, options?: CookieOptions): void {
    this.#put(name, value, options)
  }

  /** Deletes the cookie in the browser. `path` and `domain` must be those with which the cookie was set. */
  delete(name: string, options?: CookieOptions): void {
    this.#put(name, undefined, { ...options, maxAge: 0, expires: new Date(0) })
  }

  /** True after the first read of a received cookie. */
  get isRead(): boolean {
    return this.#parsed !== undefined
  }

  /** True when the response needs a `Set-Cookie`. */
  get changed(): boolean {
    return this.#changes !== undefined
  }

  /** Appends one `Set-Cookie` for each name that was set or deleted. */
  writeTo(headers: ResponseHeaders): void {
    if (this.#changes === undefined) return
    for (const { line } of this.#changes.values()) headers.append('Set-Cookie', line)
  }

  #put(name: string, value: string | undefined, options: CookieOptions | undefined): void {
    const line = serialize(name, value ?? '', { ...this.#defaults, ...options })
    this.#changes ??= new Map()
    this.#changes.set(name, { value, line })
  }

  #received(): Map<string, string[]> {
    return (this.#parsed ??= parseCookies(this.#header))
  }
}

/**
 * Parses a `Cookie` header into names and their values in the order received. Skips malformed pairs, and ignores
 * everything after 50 cookies.
 */
export function parseCookies(header: string | undefined): Map<string, string[]> {
  const cookies = new Map<string, string[]>()
  if (header === undefined) return cookies
  let count = 0
  // Searches again only after the last found position, so that pairs without `=` take linear time.
  let equals = header.indexOf('=')
  for (let start = 0; equals !== -1 && count < maxCookies;) {
    let end = header.indexOf(';', start)
    if (end === -1) end = header.length
    const name = equals > start && equals < end ? trimBlanks(header, start, equals) : ''
    if (name !== '') {
      count++
      appendValue(cookies, name, decode(trimBlanks(header, equals + 1, end)))
    }
    start = end + 1
    if (equals < start) equals = header.indexOf('=', start)
  }
  return cookies
}

// Trims only space and tab. Trimming other white space would make a forged name equal to the name of another cookie.
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

function serialize(name: string, value: string, options: CookieOptions): string {
  const problem = findProblem(name, options)
  if (problem !== undefined) throw invalid(name, problem)
  const { maxAge = -1 } = options
  const attributes = { ...options, maxAge: maxAge < 0 ? undefined : maxAge }
  let line: string
  try {
    line = stringifySetCookie({ ...attributes, name, value } as SetCookie)
  } catch (cause) {
    throw invalid(name, (cause as Error).message, cause)
  }
  // Browsers silently drop a cookie whose name and value together exceed this limit.
  if (line.split(';', 1)[0]!.length <= maxCookieBytes) return line
  throw invalid(
    name,
    `name and value take more than ${maxCookieBytes} bytes; keep large values in the session`,
  )
}

function findProblem(name: string, options: CookieOptions): string | undefined {
  if (!token.test(name)) return 'a name consists of letters, digits, hyphens and underscores'
  const secure = options.secure === true
  if (options.sameSite === 'none' && !secure) return 'sameSite none needs secure'
  if (options.partitioned === true && !secure) return 'partitioned needs secure'
  if (/^__(?:secure|host)-/i.test(name) && !secure) return 'its prefix needs secure'
  if (/^__host-/i.test(name) && (options.path !== '/' || options.domain !== undefined))
    return "the prefix __Host- needs path '/' and no domain"
  return undefined
}

function invalid(name: string, problem: string, cause?: unknown): FwError {
  return new FwError(
    'http.cookie-invalid',
    `The cookie ${JSON.stringify(name)} cannot be set: ${problem}.`,
    { cause },
  )
}

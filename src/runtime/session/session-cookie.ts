/** The session cookie: its name, its attributes, and how it is read from a request. */
import type { CookieOptions } from '../http.ts'

/** The name and the attributes of the session cookie. */
export interface SessionCookie {
  readonly name: string
  readonly options: CookieOptions
}

/** Options that keep apart the session cookies of several applications on one host. */
export interface SessionCookieOptions {
  /** The name of the cookie; default `fw_session`. A secure cookie gets a prefix. */
  readonly name?: string
  /** The path of the application; default `/`. */
  readonly path?: string
}

/**
 * Returns the session cookie: `__Host-fw_session` with `Secure` for https, otherwise `fw_session`. Browsers accept `__Host-`
 * only with the path `/`; the prefix for another path is `__Secure-`.
 * The browser deletes the cookie when it closes, because the cookie has no maximum age. The record expires by the
 * lifetimes of the store.
 */
export function sessionCookie(
  secure: boolean,
  { name = 'fw_session', path = '/' }: SessionCookieOptions = {},
): SessionCookie {
  const prefix = path === '/' ? '__Host-' : '__Secure-'
  return {
    name: secure ? `${prefix}${name}` : name,
    options: { path, httpOnly: true, sameSite: 'lax', secure },
  }
}

/** Returns the undecoded value of the first cookie of this name; `undefined` for a missing or empty cookie. */
export function readSessionCookie(header: string | undefined, name: string): string | undefined {
  if (header === undefined) return undefined
  for (let at = header.indexOf(name); at !== -1; at = header.indexOf(name, at + 1)) {
    if (!startsPair(header, at) || header[at + name.length] !== '=') continue
    const end = header.indexOf(';', at)
    const value = header.slice(at + name.length + 1, end === -1 ? undefined : end).trim()
    return value === '' ? undefined : value
  }
  return undefined
}

function startsPair(header: string, at: number): boolean {
  let before = at - 1
  while (before >= 0 && (header[before] === ' ' || header[before] === '\t')) before--
  return before < 0 || header[before] === ';'
}

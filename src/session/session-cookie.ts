/** The session cookie: its name, its attributes, and its value in a request. */
import type { CookieOptions } from '../http.ts'

/** Name and attributes, as `CookieJar.set` takes them. */
export interface SessionCookie {
  readonly name: string
  readonly options: CookieOptions
}

/**
 * `__Host-fw_session` with `Secure` in production, `fw_session` in development, where pages come over http. Path is
 * always `/`; there is no domain and no age: it ends with the browser, the record by its own lifetime.
 */
export function sessionCookie(production: boolean): SessionCookie {
  return {
    name: production ? '__Host-fw_session' : 'fw_session',
    options: { path: '/', httpOnly: true, sameSite: 'lax', secure: production },
  }
}

/** The first value of a cookie in a `Cookie` header, as it stands there. */
export function readSessionCookie(header: string | undefined, name: string): string | undefined {
  if (header === undefined) return undefined
  for (let at = header.indexOf(name); at !== -1; at = header.indexOf(name, at + 1)) {
    if (!beginsPair(header, at) || header[at + name.length] !== '=') continue
    const end = header.indexOf(';', at)
    const value = header.slice(at + name.length + 1, end === -1 ? undefined : end).trim()
    return value === '' ? undefined : value
  }
  return undefined
}

function beginsPair(header: string, at: number): boolean {
  let before = at - 1
  while (before >= 0 && (header[before] === ' ' || header[before] === '\t')) before--
  return before < 0 || header[before] === ';'
}

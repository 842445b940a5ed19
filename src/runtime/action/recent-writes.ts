/** `RecentWrites`: detects browsers that have just written, whose next requests must read from the primary. */
import { sessionCookie } from '../session.ts'
import type { RequestCookies } from './request-cookies.ts'
import type { FwRequest } from './request.ts'
import type { FwResponse } from './response.ts'
import { slot } from './slot.ts'

/** The members of `FwContext` that are used here: importing the class would be an import cycle. */
interface Visit {
  readonly request: FwRequest
  readonly response: FwResponse
  readonly cookies: RequestCookies
  readonly fault: unknown
}

const hasWritten = slot<boolean>('request')

/**
 * Stores the time of a browser's last write in a signed cookie, which the browser deletes after `millis`. The cookie works on
 * all nodes, with or without a session, and needs no write to the session store. As in Rails' `DatabaseSelector`, each request
 * with an unsafe method counts as a write; so does a request whose transaction has changed rows.
 */
export class RecentWrites {
  readonly #millis: number
  readonly #cookie: ReturnType<typeof sessionCookie>

  /** `path` is the path of the cookie: the same as that of the session cookie. */
  constructor(millis: number, secure: boolean, path: string) {
    this.#millis = millis
    this.#cookie = sessionCookie(secure, { name: 'fw_wrote', path })
  }

  /** Returns true if the request's browser has written within the last `millis`. */
  includes(visit: Visit): boolean {
    const { name } = this.#cookie
    if (visit.request.http.header('cookie')?.includes(name) !== true) return false
    const time = Number(visit.cookies.signed.get(name))
    return Date.now() - time < this.#millis
  }

  /** Records that a request with a safe method, such as GET, has written. Other methods always count as writes. */
  add(visit: Visit): void {
    if (visit.request.isSafe) hasWritten.set(visit, true)
  }

  /** Sets the cookie if the request has written and did not fail. */
  writeCookie(visit: Visit): void {
    if (this.#millis === 0 || visit.fault !== undefined || visit.response.status >= 500) return
    if (visit.request.isSafe && hasWritten.get(visit) !== true) return
    const { name, options } = this.#cookie
    const maxAge = Math.ceil(this.#millis / 1000)
    visit.cookies.signed.set(name, String(Date.now()), { ...options, maxAge })
  }
}

/**
 * `RecentWrites`: detects browsers that have just written, so that their next requests read from the primary instead of a
 * replica.
 */
import { sessionCookie } from '../session.ts'
import type { FwContext } from './context.ts'
import type { WriteMemory } from './service-types.ts'

/**
 * Stores the time of a browser's last write in a signed cookie, which the browser deletes after `millis`. The cookie works on
 * all nodes, with or without a session, and needs no write to the session store. As in Rails' `DatabaseSelector`, each request
 * with an unsafe method counts as a write; so does a request whose transaction has changed rows.
 */
export class RecentWrites implements WriteMemory {
  readonly #millis: number
  readonly #cookie: ReturnType<typeof sessionCookie>
  readonly #writers = new WeakSet<FwContext>()

  /** `path` is the path of the cookie: the same as that of the session cookie. */
  constructor(millis: number, production: boolean, path: string) {
    this.#millis = millis
    this.#cookie = sessionCookie(production, { name: 'fw_wrote', path })
  }

  /** Returns true if the request's browser has written within the last `millis`. */
  includes(ctx: FwContext): boolean {
    const { name } = this.#cookie
    if (ctx.request.http.header('cookie')?.includes(name) !== true) return false
    const time = Number(ctx.cookies.signed.get(name))
    return Date.now() - time < this.#millis
  }

  /** Records that a request with a safe method, such as GET, has written. Other methods always count as writes. */
  add(ctx: FwContext): void {
    if (ctx.request.isSafe) this.#writers.add(ctx)
  }

  /** Sets the cookie if the request has written and did not fail. */
  writeCookie(ctx: FwContext): void {
    if (this.#millis === 0 || ctx.fault !== undefined || ctx.response.status >= 500) return
    if (ctx.request.isSafe && !this.#writers.has(ctx)) return
    const { name, options } = this.#cookie
    const maxAge = Math.ceil(this.#millis / 1000)
    ctx.cookies.signed.set(name, String(Date.now()), { ...options, maxAge })
  }
}

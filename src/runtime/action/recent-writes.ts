/** `RecentWrites`: a browser that has just written reads from the primary. */
import { sessionCookie } from '../session.ts'
import type { FwContext } from './context.ts'
import type { WriteMemory } from './service-types.ts'

/**
 * A signed cookie with the time of the last write, which the browser drops after `millis`. It serves requests with and without
 * a session, on all nodes, and costs no write to a session store. As in Rails' `DatabaseSelector`, a request with an unsafe
 * method counts as a write; so does one whose transaction has changed rows.
 */
export class RecentWrites implements WriteMemory {
  readonly #millis: number
  readonly #cookie: ReturnType<typeof sessionCookie>
  readonly #writers = new WeakSet<FwContext>()

  /** `path` is that of the session cookie. */
  constructor(millis: number, production: boolean, path: string) {
    this.#millis = millis
    this.#cookie = sessionCookie(production, { name: 'fw_wrote', path })
  }

  /** Whether the request's browser has written within the time. */
  includes(ctx: FwContext): boolean {
    const { name } = this.#cookie
    if (ctx.request.http.header('cookie')?.includes(name) !== true) return false
    const time = Number(ctx.cookies.signed.get(name))
    return Date.now() - time < this.#millis
  }

  /** Records a write of a request with a safe method, such as GET. Other methods count as writes without a record. */
  add(ctx: FwContext): void {
    if (ctx.request.isSafe) this.#writers.add(ctx)
  }

  /** Sets the cookie if the request has written, and did not fail. */
  writeCookie(ctx: FwContext): void {
    if (this.#millis === 0 || ctx.fault !== undefined || ctx.response.status >= 500) return
    if (ctx.request.isSafe && !this.#writers.has(ctx)) return
    const { name, options } = this.#cookie
    const maxAge = Math.ceil(this.#millis / 1000)
    ctx.cookies.signed.set(name, String(Date.now()), { ...options, maxAge })
  }
}

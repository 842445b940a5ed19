/** `rememberedDevices`: devices that stay logged in without a session, by a token that each use replaces. */
import { hash, timingSafeEqual } from 'node:crypto'
import type { FwContext } from '../action.ts'
import { Temporal } from '../base.ts'
import { hostCookie } from './host-cookie.ts'
import { randomToken } from './random-token.ts'

/** The columns of a login that `rememberedDevices` stores. */
export interface TokenColumns {
  /** The hash of the current token: 64 characters. */
  readonly rememberHash: string
  /** The hash of the token before it. */
  readonly previousHash: string | undefined
  readonly rotatedAt: Temporal.Instant
}

/** A stored login. */
export type StoredLogin = { readonly id: number } & {
  readonly [K in keyof TokenColumns]?: TokenColumns[K] | undefined
}

/** Where the logins are stored, and how long a device stays logged in without being used. */
interface RememberedOptions<L extends StoredLogin> {
  readonly days: number
  readonly find: (id: number) => Promise<L | undefined>
  /** Stores the columns if the row still has the login's `rememberHash`. Returns the number of changed rows. */
  readonly replace: (login: StoredLogin, columns: TokenColumns) => Promise<number>
  readonly remove: (id: number) => Promise<unknown>
  /** The name of the cookie. */
  readonly cookie: string
}

/** The devices that stay logged in. */
export interface RememberedDevices<L extends StoredLogin> {
  readonly days: number
  /** Gives the device a new token for the login, in a signed cookie. */
  remember(ctx: FwContext, login: StoredLogin): Promise<void>
  /**
   * Finds the login that the cookie remembers, and replaces the token. A token that was replaced more than 30 seconds ago has been copied:
   * it ends the login, for the thief and for the owner. Requests at the same time may use it until then.
   */
  resume(ctx: FwContext): Promise<L | undefined>
  /** Deletes the cookie. */
  forget(ctx: FwContext): void
}

const graceSeconds = 30
const secondsOfDay = 24 * 60 * 60

const isTokenOf = (token: string, stored: string | undefined): boolean =>
  stored !== undefined && timingSafeEqual(Buffer.from(hash('sha256', token)), Buffer.from(stored))

/**
 * Remembers devices by rows of the application, which contain only hashes. The cookies are signed with a key that is derived from
 * `secretKeyBase`. Errors of `find`, `replace` and `remove` reject the promises of `remember` and `resume`.
 */
export function rememberedDevices<L extends StoredLogin>(
  options: RememberedOptions<L>,
): RememberedDevices<L> {
  const { days, find, replace, remove, cookie: cookieName } = options
  const forget = (ctx: FwContext): void => {
    const cookie = hostCookie(ctx, cookieName)
    ctx.cookies.delete(cookie.name, cookie.options)
  }
  const remember = async (ctx: FwContext, login: StoredLogin): Promise<void> => {
    const { token, hash: rememberHash } = randomToken()
    const rotatedAt = Temporal.Now.instant()
    const count = await replace(login, {
      rememberHash,
      previousHash: login.rememberHash,
      rotatedAt,
    })
    // A request at the same time has replaced the token.
    if (count !== 1) return
    const cookie = hostCookie(ctx, cookieName)
    const value = `${login.id}.${token}`
    ctx.cookies.signed.set(cookie.name, value, { ...cookie.options, maxAge: days * secondsOfDay })
  }
  const findByToken = async (text: string) => {
    const [, id, token = ''] = /^(\d{1,15})\.([\w-]{43})$/.exec(text) ?? []
    const login = id === undefined ? undefined : await find(Number(id))
    if (login === undefined) return undefined
    const age = login.rotatedAt?.until(Temporal.Now.instant()).total('seconds') ?? Infinity
    const isUsable = age < days * secondsOfDay
    if (isUsable && isTokenOf(token, login.rememberHash)) return { login, isCurrent: true }
    if (age < graceSeconds && isTokenOf(token, login.previousHash))
      return { login, isCurrent: false }
    await remove(login.id)
    return undefined
  }
  const resume = async (ctx: FwContext): Promise<L | undefined> => {
    const { name } = hostCookie(ctx, cookieName)
    if (ctx.isPrefetch || ctx.cookies.get(name) === undefined) return undefined
    // Without the signature, a guess could end the login of somebody else.
    const found = await findByToken(ctx.cookies.signed.get(name) ?? '')
    if (found === undefined) forget(ctx)
    else if (found.isCurrent) await remember(ctx, found.login)
    return found?.login
  }
  return { days, remember, resume, forget }
}

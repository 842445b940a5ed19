/** `accountLimits`: limits how often passwords are tried and mails are sent, for each account and each client address. */
import { hash, randomUUID } from 'node:crypto'
import type { FwContext } from '../action.ts'
import { keyOfClient, limitRequests, rateLimit } from '../feature.ts'
import { attemptLimiter, consumeBoth, type AttemptLimiter } from './attempt-limiter.ts'
import { hostCookie } from './host-cookie.ts'

/** The options of `accountLimits`. */
interface AccountLimitOptions<Kind extends string> {
  /** Returns the normalized address of the account that a request concerns; `''` without one. */
  readonly email: (ctx: FwContext) => string
  /** The kinds of mails. Each has its own limit, so that a flood of one does not keep the owner from another. */
  readonly mails?: readonly Kind[]
}

type Limit = ReturnType<typeof rateLimit>

/** The limits of an application's accounts. Each method returns a trait for `mix`, which limits the actions named in `only`. */
export interface AccountLimits<Kind extends string> {
  /** Limits requests for each client address: 50 at once, then one in ten seconds. */
  requests(only: readonly string[]): Limit
  /** Also limits passwords for each account: five without a delay, then growing ones up to an hour. */
  logins(only: readonly string[]): Limit
  /** Also limits mails of a kind for each account, as `logins`. */
  mails(kind: Kind, only: readonly string[]): Limit
  /**
   * Forgets the failed attempts after a login. Remembers for a year that the device has logged in to the account: its attempts
   * are then counted separately, so that attempts of others do not delay the owner.
   * @throws FwError `accounts.tables-missing`
   */
  accept(ctx: FwContext, email: string): Promise<void>
}

const deviceSeconds = 365 * 24 * 60 * 60

const digest = (email: string): string => hash('sha256', email, 'base64url')

/**
 * Creates the limits of an application's accounts, which hold over all nodes:
 *
 *     const limits = accountLimits({ email: ({ params }) => params.get('email')?.toLowerCase() ?? '', mails: ['reset'] })
 *     mix(FwController, limits.logins(['create']))
 *
 * Without the table `fw_attempts`, limited requests fail with `accounts.tables-missing`.
 * @throws FwError `accounts.limit-invalid` for a kind of mails whose name is invalid: it must have 1 to 56 letters, digits and the
 * characters `_ . -`
 */
export function accountLimits<const Kind extends string = never>({
  email,
  mails = [],
}: AccountLimitOptions<Kind>): AccountLimits<Kind> {
  const byAddress = attemptLimiter({
    name: 'account-address',
    attempts: 50,
    delay: '10s',
    maxDelay: '5m',
    forget: '10s',
  })
  const passwords = attemptLimiter({ name: 'account-login', attempts: 5 })
  const kinds = new Map(
    mails.map((kind) => [kind, attemptLimiter({ name: `account-${kind}`, attempts: 5 })]),
  )
  const keyOf = (ctx: FwContext, address: string): string => {
    const device = ctx.cookies.signed.get(hostCookie(ctx, 'device').name)
    return device?.endsWith(`.${digest(address)}`) === true ? device : address
  }
  /** Limits by both keys with one statement. A client that must wait is not counted for the account. */
  const limitBoth = (limiter: AttemptLimiter, only: readonly string[]): Limit =>
    limitRequests(
      (ctx) => consumeBoth(byAddress, keyOfClient(ctx), limiter, keyOf(ctx, email(ctx))),
      { only },
    )
  return {
    requests: (only) => rateLimit({ limiter: byAddress, only }),
    logins: (only) => limitBoth(passwords, only),
    mails: (kind, only) => limitBoth(kinds.get(kind)!, only),
    accept: async (ctx, address) => {
      await passwords.reset(keyOf(ctx, address))
      const { name, options } = hostCookie(ctx, 'device')
      const device = `${randomUUID()}.${digest(address)}`
      ctx.cookies.signed.set(name, device, { ...options, maxAge: deviceSeconds })
    },
  }
}

/** `accountLimits`: limits how often passwords are tried and mails are sent, for each account and each client address. */
import { createHash, randomUUID } from 'node:crypto'
import type { FwContext } from '../action.ts'
import { rateLimit } from '../feature.ts'
import { attemptLimiter } from './attempt-limiter.ts'
import { hostCookie } from './host-cookie.ts'

/** The options of `accountLimits`. */
interface AccountLimitOptions<Kind extends string> {
  /** Returns the normalized address of the account that a request concerns; `''` without one. */
  readonly email: (ctx: FwContext) => string
  /** The kinds of mails. Each has its own limit, so that a flood of one does not keep the owner from another. */
  readonly mails?: readonly Kind[]
}

type Limit = ReturnType<typeof rateLimit>

/** The limits of an application's accounts. Each method returns traits for `mix`, which limit the actions named in `only`. */
export interface AccountLimits<Kind extends string> {
  /** Limits requests for each client address: 50 at once, then one in ten seconds. */
  requests(only: readonly string[]): Limit
  /** Also limits passwords for each account: five without a delay, then growing ones up to an hour. */
  logins(only: readonly string[]): readonly [Limit, Limit]
  /** Also limits mails of a kind for each account, as `logins`. */
  mails(kind: Kind, only: readonly string[]): readonly [Limit, Limit]
  /**
   * Forgets the failed attempts after a login. Remembers for a year that the device has logged in to the account: its attempts
   * are then counted separately, so that attempts of others do not delay the owner.
   * @throws FwError `accounts.tables-missing`
   */
  accept(ctx: FwContext, email: string): Promise<void>
}

const deviceSeconds = 365 * 24 * 60 * 60

const digest = (email: string): string => createHash('sha256').update(email).digest('base64url')

/**
 * Creates the limits of an application's accounts, which hold over all nodes:
 *
 *     const limits = accountLimits({ email: ({ params }) => params.get('email')?.toLowerCase() ?? '', mails: ['reset'] })
 *     mix(FwController, ...limits.logins(['create']))
 *
 * Without the table `fw_attempts`, limited requests fail with `accounts.tables-missing`.
 * @throws FwError `accounts.limit-invalid` for a kind of mails whose name is invalid: it must have 1 to 56 letters, digits and the characters `_ . -`
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
  const key = (ctx: FwContext): string => keyOf(ctx, email(ctx))
  const requests = (only: readonly string[]): Limit => rateLimit({ limiter: byAddress, only })
  return {
    requests,
    logins: (only) => [requests(only), rateLimit({ limiter: passwords, key, only })],
    mails: (kind, only) => [requests(only), rateLimit({ limiter: kinds.get(kind)!, key, only })],
    accept: async (ctx, address) => {
      await passwords.reset(keyOf(ctx, address))
      const { name, options } = hostCookie(ctx, 'device')
      const device = `${randomUUID()}.${digest(address)}`
      ctx.cookies.signed.set(name, device, { ...options, maxAge: deviceSeconds })
    },
  }
}

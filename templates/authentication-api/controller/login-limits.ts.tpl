/** Limits how often passwords are tried, over all nodes: by each client, and for each account. */
import { clientKey, rateLimit, type FwContext } from 'fwjs'
import { attemptLimiter } from 'fwjs/accounts'
import { normalizeEmail } from '#model/account'

const byClient = attemptLimiter({
  name: 'login-client',
  attempts: 50,
  delay: '10s',
  maxDelay: '5m',
  forget: '10s',
})
const byClientAndAccount = attemptLimiter({ name: 'login', attempts: 5 })
/** For guesses from many addresses. The delays are short, because they delay the owner too. */
const byAccount = attemptLimiter({
  name: 'login-account',
  attempts: 50,
  delay: '1s',
  maxDelay: '10s',
  forget: '1m',
})

const accountKey = ({ params }: FwContext): string => normalizeEmail(params.get('email') ?? '')
const bothKey = (ctx: FwContext): string =>
  `${clientKey(ctx.request.remoteAddress)} ${accountKey(ctx)}`

/** Limits the actions of these names. A client that has to wait is not counted for the account. */
export const limitLogins = (only: readonly string[]) =>
  [
    rateLimit({ limiter: byClient, only }),
    rateLimit({ limiter: byClientAndAccount, key: bothKey, only }),
    rateLimit({ limiter: byAccount, key: accountKey, only }),
  ] as const

/** Forgets the failed attempts of the client after a login. */
export const forgetAttempts = (ctx: FwContext): Promise<void> =>
  byClientAndAccount.reset(bothKey(ctx))

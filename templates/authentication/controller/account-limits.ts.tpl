/** Limits how often passwords are tried and mails are sent: for each account and each client address, over all nodes. */
import { accountLimits } from 'fwjs/accounts'
import { normalizeEmail } from '#model/account'
import { logins } from '#model/login'

/** Limits by the address in the form, also for a visitor who is logged in to another account. */
export const limits = accountLimits({
  email: ({ params }) => normalizeEmail(params.get('email') ?? ''),
  mails: ['register', 'reset', 'magic', 'email'],
})

/** Limits by the address of the account that is logged in; the address in the form is not read. */
export const ownLimits = accountLimits({ email: (ctx) => logins.current(ctx)?.email ?? '' })

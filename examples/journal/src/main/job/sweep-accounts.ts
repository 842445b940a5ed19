/** Removes what accounts no longer need, once a day. */
import { sweepAttempts } from 'fwjs/accounts'
import { job } from 'fwjs/jobs'
import { logins } from '#model/login'

export const SweepAccounts = job('sweep-accounts', {}, async () => {
  await sweepAttempts()
  await logins.sweep()
}).schedule('0 4 * * *')

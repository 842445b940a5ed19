/** Removes forgotten attempts to log in, once a day. */
import { sweepAttempts } from 'fwjs/accounts'
import { job } from 'fwjs/jobs'

export const SweepAttempts = job('sweep-attempts', {}, () => sweepAttempts()).schedule('0 4 * * *')

/** The mailed links: what each allows, how long, and which change ends it. None of them is stored. */
import { accountLink, signToken, verifyToken } from 'fwjs/accounts'
import { credentials } from '#model/account'
import { User } from '#model/user'

/**
 * A link to choose the first password, for an address. Its use creates the account, and does nothing while the address has one.
 * After the account was deleted, the link works again until it expires.
 */
export const registrationLink = {
  sign: (email: string) => signToken({ purpose: 'register', subject: email, expires: '24h' }),
  find: async (token: string) => (await verifyToken(token, { purpose: 'register' })).subject,
}

/** Links that work once. They end when the address or the password changes. */
const links = { accounts: User, bind: credentials, usedAt: 'linkUsedAt' } as const

/** A link to choose a new password. */
export const resetLink = accountLink({ ...links, purpose: 'reset', expires: '1h' })

/** A link to log in. */
export const magicLink = accountLink({ ...links, purpose: 'magic', expires: '1h' })

/** A link to a new address, which is the text of the link. */
export const emailLink = accountLink({ ...links, purpose: 'email', expires: '24h' })

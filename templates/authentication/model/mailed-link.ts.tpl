/** The mailed links: what each allows, how long, and which change ends it. None of them is stored. */
import { accountLink, signToken, verifyToken } from 'fwjs/accounts'
import { {{User}} } from '#model/{{file}}'

/**
 * A link to choose the first password, for an address. Its use creates the account, and does nothing while the address has one.
 * After the account was deleted, the link works again until it expires.
 */
export const registrationLink = {
  sign: (email: string) => signToken({ purpose: 'register', subject: email, expires: '24h' }),
  find: async (token: string) => {
    const result = await verifyToken(token, { purpose: 'register' })
    return result.status === 'valid' ? result.subject : undefined
  },
}

/** The values of an account that end its links when one changes: the address and the password. */
export const bind = ({ email, passwordHash }: {{User}}) => [email, passwordHash]

/** A link to choose a new password, which ends the link. */
export const resetLink = accountLink({
  purpose: 'reset',
  expires: '1h',
  accounts: {{User}},
  bind,
})

/** A link to log in, once. */
export const magicLink = accountLink({
  purpose: 'magic',
  expires: '1h',
  accounts: {{User}},
  bind,
  usedAt: 'linkUsedAt',
})

/** A link to a new address, which is the text of the link. It works once, even if the account gets its previous address back. */
export const emailLink = accountLink({
  purpose: 'email',
  expires: '24h',
  accounts: {{User}},
  bind,
  usedAt: 'linkUsedAt',
})

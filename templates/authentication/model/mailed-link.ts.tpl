/** The mailed links: what each allows, how long, and which change ends it. None of them is stored. */
import { permitValues, Temporal } from 'fwjs'
import { accountLink, signToken, verifyToken } from 'fwjs/accounts'
import { currentDatabase, isUniqueViolation } from 'fwjs/db'
import { normalizeEmail } from '#model/account'
import { {{User}} } from '#model/{{file}}'

/**
 * A link to choose the first password. Its use creates the account, and does nothing while the address has one. After the account
 * was deleted, the link works again until it expires.
 */
export const registrationToken = (email: string): string =>
  signToken({ purpose: 'register', subject: email, expires: '24h' })

/** Returns the address of a registration link; undefined if the link is invalid or too old. */
export async function verifyRegistration(token: string): Promise<string | undefined> {
  const result = await verifyToken(token, { purpose: 'register' })
  return result.status === 'valid' ? result.subject : undefined
}

const find = (id: number) => {{User}}.findById(id)
/** A new address and a new password end all links. */
const bind = ({ email, passwordHash }: {{User}}) => [email, passwordHash]
/** Using a link of this kind ends all others of this kind too, even if the account gets its previous address back. */
const bindOnce = ({{user}}: {{User}}) => [...bind({{user}}), {{user}}.linkUsedAt]

/** A link to choose a new password, which ends the link. */
export const resetLink = accountLink({ purpose: 'reset', expires: '1h', find, bind })

/** A link to log in. */
export const magicLink = accountLink({ purpose: 'magic', expires: '1h', find, bind: bindOnce })

/** A link to a new address, which is the text of the link. */
export const emailLink = accountLink({ purpose: 'email', expires: '24h', find, bind: bindOnce })

/** Returns false if another account has the new address, or if another request has changed it meanwhile. */
export async function changeEmail({ id, email: old }: {{User}}, email: string): Promise<boolean> {
  const changed = { email: normalizeEmail(email), linkUsedAt: Temporal.Now.instant() }
  const values = permitValues(changed, 'email', 'linkUsedAt')
  const change = () => {{User}}.where({ id, email: old }).updateAll(values)
  try {
    // A savepoint: a refused address must not end the transaction of the request.
    return (await currentDatabase().transaction(change)) === 1
  } catch (error) {
    if (isUniqueViolation(error)) return false
    throw error
  }
}

/** Marks the links to log in as used. Returns false if another request has done so meanwhile. */
export async function useMagicLink({ id, linkUsedAt }: {{User}}): Promise<boolean> {
  const values = permitValues({ linkUsedAt: Temporal.Now.instant() }, 'linkUsedAt')
  return (await {{User}}.where({ id, linkUsedAt: linkUsedAt ?? null }).updateAll(values)) === 1
}

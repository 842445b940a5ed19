/** Accounts by address and password. Addresses are stored in lower case, so that each is one account. */
import { permitValues } from 'fwjs'
import { hashPassword, verifyPassword } from 'fwjs/accounts'
import { User } from '#model/user'

export const normalizeEmail = (email: string): string => email.trim().toLowerCase()

export const findByEmail = (email: string): Promise<User | undefined> =>
  User.findBy({ email: normalizeEmail(email) })

/** What a user logs in with. A change ends what was signed or verified with it before. */
export const credentials = ({ email, passwordHash }: User) => [email, passwordHash]

/** Creates an account unless the address has one: of several requests at the same time, one creates it. */
export async function createAccount(email: string, name: string, password: string) {
  const passwordHash = await hashPassword(password)
  const values = permitValues(
    { email: normalizeEmail(email), name, passwordHash },
    'email',
    'name',
    'passwordHash',
  )
  return User.createUnlessThere(values, { by: 'email' })
}

/** Finds the account with this address and password. Takes the same work for an unknown address. */
export async function findByPassword(email: string, password: string) {
  const user = await findByEmail(email)
  const { isValid, needsRehash } = await verifyPassword(password, user?.passwordHash)
  if (user === undefined || !isValid) return undefined
  if (!needsRehash) return user
  await changePassword(user, password)
  // Another login may have renewed the hash at the same time, or the owner may have changed the password.
  const renewed = await User.findById(user.id)
  return (await verifyPassword(password, renewed?.passwordHash)).isValid ? renewed : undefined
}

/** Returns false if another request has changed the password meanwhile. */
export async function changePassword({ id, passwordHash }: User, password: string) {
  const values = permitValues({ passwordHash: await hashPassword(password) }, 'passwordHash')
  const unchanged = User.where({ id, passwordHash })
  return (await unchanged.updateAll(values)) === 1
}

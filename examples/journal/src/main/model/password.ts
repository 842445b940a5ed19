/** Finds users by their password. */
import { verifyPassword } from 'fwjs/accounts'
import { User } from '#model/user'

/**
 * Finds the user with this e-mail address and password, and locks the row until the transaction ends. A concurrent change of the
 * password therefore either waits and then ends the new session, or comes first: then the old password finds nobody. An unknown
 * address takes the same work.
 */
export async function findByPassword(email: string, password: string): Promise<User | undefined> {
  const user = await User.findBy({ email: email.toLowerCase() })
  const { isValid } = await verifyPassword(password, user?.passwordHash)
  if (user === undefined || !isValid) return undefined
  const locked = await User.findByIdForUpdate(user.id)
  return locked?.passwordHash === user.passwordHash ? locked : undefined
}

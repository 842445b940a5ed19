/** Finds users by their password. */
import { verifyPassword } from 'fwjs/accounts'
import { User } from '#model/user'

/**
 * Finds the user with this e-mail address and password, with the same work for an unknown address. Locks the user: a change of the password
 * at the same time waits, and then ends the session that begins here; if it came first, the old password finds nobody.
 */
export async function findByPassword(email: string, password: string): Promise<User | undefined> {
  const user = await User.findBy({ email: email.toLowerCase() })
  const { isValid } = await verifyPassword(password, user?.passwordHash)
  if (user === undefined || !isValid) return undefined
  const locked = await User.findByIdForUpdate(user.id)
  return locked?.passwordHash === user.passwordHash ? locked : undefined
}

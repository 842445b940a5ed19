/** Hashes and verifies passwords with Argon2id. */
import { hash, verify } from '@node-rs/argon2'
import { User } from '#model/user'

export const hashPassword = (password: string): Promise<string> => hash(password)

/** A hash that is verified for unknown addresses, so that the response time does not reveal which accounts exist. */
let dummy: Promise<string> | undefined

/** Finds the user with this e-mail address and password. */
export async function findByPassword(email: string, password: string): Promise<User | undefined> {
  const user = await User.findBy({ email: email.toLowerCase() })
  dummy ??= hash('no account has this password')
  const isValid = await verify(user?.passwordHash ?? (await dummy), password)
  return isValid ? user : undefined
}

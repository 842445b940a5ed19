/** Inserts accounts with a password for tests. */
import { permitValues } from 'fwjs'
import { hashPassword } from 'fwjs/accounts'
import { User } from '#model/user'
import { createUser } from '#test/factory/user'

export const samplePassword = 'under the pier at noon'
let hash: Promise<string> | undefined

/** Inserts an account with the password `samplePassword` and returns it. `fields` override its sample values. */
export async function createSampleAccount(fields: Partial<User> = {}): Promise<User> {
  const { id } = await createUser(fields)
  // All samples share a hash, because computing one takes long by design.
  const passwordHash = await (hash ??= hashPassword(samplePassword))
  await User.where({ id }).updateAll(permitValues({ passwordHash }, 'passwordHash'))
  return (await User.findById(id))!
}

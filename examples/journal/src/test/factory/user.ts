/** Inserts users for tests. */
import { permitValues } from 'fwjs'
import { User } from '#model/user'

let count = 0

/** Inserts a user with sample values. `fields` override them. */
export function createUser(fields: Partial<User> = {}): Promise<User> {
  count += 1
  const values = {
    name: `Ann ${count}`,
    email: `ann${count}@example.com`,
    passwordHash: 'none',
    role: 'author',
    ...fields,
  }
  return User.create(permitValues(values, 'name', 'email', 'passwordHash', 'role', 'bio'))
}

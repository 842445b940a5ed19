/** Inserts {{table}} for tests. */
import { permitValues } from 'fwjs'
import { {{User}} } from '#model/{{file}}'

let count = 0

/** Inserts an account without a password and returns its id. `fields` override the sample values. */
export function create{{User}}(fields: Partial<{{User}}> = {}): Promise<number> {
  count += 1
  const values = { email: `ann${count}@example.com`, ...fields }
  return {{User}}.createWithPermittedAttributes(permitValues(values, 'email'))
}

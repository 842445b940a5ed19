/** `fw secret`: a secret for production. */
import { randomBytes } from 'node:crypto'

const bytes = 48

/** Prints one: 48 random bytes as base64url, which needs no quotes in YAML, in a shell or in an environment file. */
export function printSecret(): void {
  process.stdout.write(`${randomBytes(bytes).toString('base64url')}\n`)
}

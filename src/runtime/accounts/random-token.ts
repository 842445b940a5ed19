/** `randomToken`: secrets for clients, of which the database stores only a hash. */
import { hash } from 'node:crypto'
import { takeRandomBytes } from '../base.ts'

/** A new secret, and what the database stores of it. */
export interface RandomToken {
  /** The secret: the prefix and 43 characters (letters, digits, `-` and `_`) of 256 random bits. */
  readonly token: string
  /** Its SHA-256 in hexadecimal (64 characters), as `find` of `authenticateBearer` gets it. */
  readonly hash: string
}

/**
 * Returns a new secret for a client, such as a token for an API or a device, and its hash. Store only the hash. A prefix such as `shop_`
 * lets tools that search for published secrets find it.
 */
export function randomToken(prefix = ''): RandomToken {
  const token = prefix + Buffer.from(takeRandomBytes(32)).toString('base64url')
  return { token, hash: hash('sha256', token) }
}

/** Argon2id: by Node's own `crypto.argon2` where it exists, else by the package `@node-rs/argon2`. */
import crypto, { type Argon2Parameters } from 'node:crypto'
import { promisify } from 'node:util'
import type { hashRaw } from '@node-rs/argon2'
import { FwError } from '../base.ts'

/** The costs of a hash: memory in KiB, passes over it, and threads. */
export interface Argon2Costs {
  readonly memory: number
  readonly passes: number
  readonly parallelism: number
}

/** Derives `length` bytes from a password and its salt. */
export type Argon2 = (
  password: string,
  salt: Uint8Array,
  costs: Argon2Costs,
  length: number,
) => Promise<Uint8Array>

/** Node's own function; undefined before Node 24.7. */
const ownArgon2 = crypto.argon2 as typeof crypto.argon2 | undefined

/** Derives bytes by Node's own function; undefined where Node has none. */
export const nodeArgon2: Argon2 | undefined = ownArgon2 && promiseArgon2(promisify(ownArgon2))

function promiseArgon2(
  derive: (algorithm: 'argon2id', parameters: Argon2Parameters) => Promise<Uint8Array>,
): Argon2 {
  return (message, nonce, costs, tagLength) =>
    derive('argon2id', { message, nonce, tagLength, ...costs })
}

/** Derives bytes by the package. @throws FwError `accounts.package-missing` */
export const packageArgon2: Argon2 = async (password, salt, costs, outputLen) => {
  const { memory: memoryCost, passes: timeCost, parallelism } = costs
  const own = await loadPackage()
  return own.hashRaw(password, { memoryCost, timeCost, parallelism, outputLen, salt })
}

async function loadPackage(): Promise<{ readonly hashRaw: typeof hashRaw }> {
  try {
    return await import('@node-rs/argon2')
  } catch (cause) {
    throw new FwError(
      'accounts.package-missing',
      `Node ${process.versions.node} has no crypto.argon2. Use Node 24.7 or newer, or: npm install @node-rs/argon2`,
      { cause },
    )
  }
}

export const argon2: Argon2 = nodeArgon2 ?? packageArgon2

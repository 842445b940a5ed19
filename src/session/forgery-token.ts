/** The forgery token: 32 random bytes in the session, masked anew for each response. */
import { randomBytes, timingSafeEqual } from 'node:crypto'
import type { SessionAttributes } from './attributes.ts'

/** Name of the request parameter, and of the session attribute. @spec View helper › csrfKey */
export const csrfKey = 'csrf-token'
/** Name of the request header that can stand for the parameter. */
export const csrfHeader = 'x-csrf-token'

const size = 32
/** base64url characters of mask and masked token together. */
const maskedLength = Math.ceil((size * 2 * 4) / 3)

/**
 * The token of one session. Each masked form is different, so that compressed pages do not give it away, and stays valid
 * until the session is renewed or ends. `renew()` of the session rotates it.
 * @spec Authentication › 2
 */
export class ForgeryToken {
  readonly #session: SessionAttributes

  constructor(session: SessionAttributes) {
    this.#session = session
  }

  /** A masked form for one response, 86 base64url characters. Makes the token, and so the session, when there is none. */
  mask(): string {
    const mask = randomBytes(size)
    const masked = xor(this.#raw() ?? this.#make(), mask)
    return Buffer.concat([mask, masked]).toString('base64url')
  }

  /** True when `candidate` is a masked form of this session's token. No token in the session, or no text: false. */
  verify(candidate: unknown): boolean {
    const raw = this.#raw()
    if (raw === undefined || typeof candidate !== 'string' || candidate.length !== maskedLength)
      return false
    const bytes = Buffer.from(candidate, 'base64url')
    if (bytes.length !== size * 2) return false
    return timingSafeEqual(xor(bytes.subarray(0, size), bytes.subarray(size)), raw)
  }

  #raw(): Buffer | undefined {
    const kept = this.#session.get(csrfKey)
    if (typeof kept !== 'string') return undefined
    const raw = Buffer.from(kept, 'base64url')
    return raw.length === size ? raw : undefined
  }

  #make(): Buffer {
    const raw = randomBytes(size)
    this.#session.set(csrfKey, raw.toString('base64url'))
    return raw
  }
}

function xor(left: Uint8Array, right: Uint8Array): Buffer {
  const result = Buffer.allocUnsafe(left.length)
  for (let index = 0; index < left.length; index++) result[index] = left[index]! ^ right[index]!
  return result
}

/** The token against cross-site request forgery: 32 random bytes in the session, with a new mask in each response. */
import { timingSafeEqual } from 'node:crypto'
import { takeRandomBytes } from '../base.ts'
import type { CookieOptions } from '../http.ts'
import type { SessionAttributes } from './attributes.ts'
import type { SecretCookies } from './secret-keys.ts'

/** The name of the request parameter, and of the session attribute. @spec View helper › csrfKey */
export const csrfKey = 'csrf-token'
/** The name of the request header, which a client may send instead of the parameter. */
export const csrfHeader = 'x-csrf-token'

const size = 32
/** The length of a masked token, which is the mask and the XORed token in base64url. */
const maskedLength = Math.ceil((size * 2 * 4) / 3)

/** The store of a token: a session, or a `TokenCookie`. The token's key is `csrfKey`. */
export type TokenStore = Pick<SessionAttributes, 'get' | 'set'>

/** Stores the token of a visitor without a session in a sealed cookie, so that the server needs no record. */
export class TokenCookie implements TokenStore {
  readonly #cookies: SecretCookies
  readonly #name: string
  readonly #options: CookieOptions

  /** `name` and `options` are those of the session cookie. The token's cookie has the same options, and the name followed by `_csrf`. */
  constructor(
    cookies: SecretCookies,
    { name, options }: { readonly name: string; readonly options: CookieOptions },
  ) {
    this.#cookies = cookies
    this.#name = `${name}_csrf`
    this.#options = options
  }

  get(): string | undefined {
    return this.#cookies.get(this.#name)
  }

  set(_name: string, token: string): void {
    this.#cookies.set(this.#name, token, this.#options)
  }
}

/**
 * The forgery token of one visitor. Each response contains a different masked form, which protects against compression
 * attacks (BREACH). A masked form stays valid until the session is renewed or ends, because `Session.renewSession`
 * replaces the token.
 * @spec Authentication › 2
 */
export class ForgeryToken {
  readonly #store: TokenStore

  constructor(store: TokenStore) {
    this.#store = store
  }

  /** Returns a masked form for one response, 86 base64url characters. Creates a missing token, and with it a session. */
  mask(): string {
    return maskToken(this.#raw() ?? this.#create())
  }

  /** Returns a masked form for one response; `undefined` without a token. */
  maskExisting(): string | undefined {
    const raw = this.#raw()
    return raw && maskToken(raw)
  }

  /** Returns true if `candidate` is a masked form of the token; false without a token. */
  verify(candidate: unknown): boolean {
    if (typeof candidate !== 'string' || candidate.length !== maskedLength) return false
    const raw = this.#raw()
    if (raw === undefined) return false
    const bytes = Buffer.from(candidate, 'base64url')
    if (bytes.length !== size * 2) return false
    return timingSafeEqual(xor(bytes.subarray(0, size), bytes.subarray(size)), raw)
  }

  #raw(): Buffer | undefined {
    const stored = this.#store.get(csrfKey)
    if (typeof stored !== 'string') return undefined
    const raw = Buffer.from(stored, 'base64url')
    return raw.length === size ? raw : undefined
  }

  #create(): Buffer {
    const raw = takeRandomBytes(size)
    this.#store.set(csrfKey, raw.toString('base64url'))
    return raw
  }
}

function maskToken(raw: Buffer): string {
  const mask = takeRandomBytes(size)
  return Buffer.concat([mask, xor(raw, mask)]).toString('base64url')
}

function xor(left: Uint8Array, right: Uint8Array): Buffer {
  const result = Buffer.allocUnsafe(left.length)
  for (let index = 0; index < left.length; index++) result[index] = left[index]! ^ right[index]!
  return result
}

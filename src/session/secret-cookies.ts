/** Cookies that the client cannot change, or not even read. */
import type { CookieOptions } from '../http.ts'
import type { SecretKeys } from './secret-keys.ts'

/** The request's cookies, as the http room's `CookieJar` has them. */
export interface PlainCookies {
  get(name: string): string | undefined
  set(name: string, value: string, options?: CookieOptions): void
}

/**
 * Reads and sets cookies by way of `SecretKeys`. The cookie's name is part of the key, so the value of one cookie is worth
 * nothing in another. An old value can be sent again: put a date in it where that matters.
 */
export class SecretCookies {
  readonly #jar: PlainCookies
  readonly #keys: SecretKeys
  readonly #readable: boolean

  private constructor(jar: PlainCookies, keys: SecretKeys, readable: boolean) {
    this.#jar = jar
    this.#keys = keys
    this.#readable = readable
  }

  /** The client can read the values. */
  static signed(jar: PlainCookies, keys: SecretKeys): SecretCookies {
    return new SecretCookies(jar, keys, true)
  }

  /** The client cannot read the values. */
  static sealed(jar: PlainCookies, keys: SecretKeys): SecretCookies {
    return new SecretCookies(jar, keys, false)
  }

  /** `undefined` when absent or not made by us. */
  get(name: string): string | undefined {
    const value = this.#jar.get(name)
    if (value === undefined) return undefined
    return this.#readable
      ? this.#keys.verify(`cookie:${name}`, value)
      : this.#keys.unseal(`cookie:${name}`, value)
  }

  set(name: string, value: string, options?: CookieOptions): void {
    const purpose = `cookie:${name}`
    const made = this.#readable ? this.#keys.sign(purpose, value) : this.#keys.seal(purpose, value)
    this.#jar.set(name, made, options)
  }
}

/** Signs and encrypts values with keys derived from the application's secret, and stores them in cookies. */
import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createSecretKey,
  hkdfSync,
  timingSafeEqual,
  type KeyObject,
} from 'node:crypto'
import { FwError, takeRandomBytes } from '../base.ts'
import type { CookieOptions } from '../http.ts'

const minSecretBytes = 32
const ivBytes = 12
const tagBytes = 16
const signatureLength = 43
/** The maximum length of a cookie in browsers (RFC 6265bis). */
const longestCookie = 4096
const mostCookies = 500
const base64url = /^[A-Za-z0-9_-]*$/

/**
 * Signs and seals texts. A client can read a signed text but not change it; it can neither read nor change a sealed
 * text. Each purpose, such as the name of a cookie, has its own key. A value for one purpose is therefore invalid for
 * every other purpose.
 */
export class SecretKeys {
  readonly #secrets: readonly string[]
  /** Sealed cookies with their purpose → their texts. */
  readonly #cookies = new Map<string, string>()
  readonly #derived = new Map<string, readonly KeyObject[]>()

  /**
   * @param secrets `secretKeyBase`, newest first. The first secret signs and seals; every secret verifies and unseals,
   * so that secrets can be rotated
   * @throws FwError `session.secret-invalid` for an empty list, or a secret under 32 bytes
   */
  constructor(secrets: readonly string[]) {
    if (
      secrets.length === 0 ||
      secrets.some((secret) => Buffer.byteLength(secret) < minSecretBytes)
    ) {
      throw new FwError(
        'session.secret-invalid',
        `secretKeyBase needs one or more keys of at least ${minSecretBytes} random bytes each; make one with: ./fw secret`,
      )
    }
    this.#secrets = [...secrets]
  }

  /** Returns the text followed by a dot and a signature of 43 characters. */
  sign(purpose: string, text: string): string {
    return `${text}.${signature(this.#keys('sign', purpose)[0]!, text)}`
  }

  /** Returns the text of a value that `sign` returned; `undefined` for any other value. */
  verify(purpose: string, signed: string): string | undefined {
    const dot = signed.length - signatureLength - 1
    if (dot < 0 || signed[dot] !== '.') return undefined
    const text = signed.slice(0, dot)
    const actual = Buffer.from(signed.slice(dot + 1))
    const matches = (key: KeyObject): boolean => {
      const expected = Buffer.from(signature(key, text))
      return expected.length === actual.length && timingSafeEqual(expected, actual)
    }
    return this.#keys('sign', purpose).some(matches) ? text : undefined
  }

  /** Encrypts the text by AES-256-GCM with a new nonce, and encodes it in base64url. */
  seal(purpose: string, text: string): string {
    const iv = takeRandomBytes(ivBytes)
    const cipher = createCipheriv('aes-256-gcm', this.#keys('seal', purpose)[0]!, iv)
    const encrypted = [iv, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()]
    return Buffer.concat(encrypted).toString('base64url')
  }

  /** Returns the text of a value that `seal` returned; `undefined` for any other value. */
  unseal(purpose: string, sealed: string): string | undefined {
    if (!base64url.test(sealed)) return undefined
    const bytes = Buffer.from(sealed, 'base64url')
    if (bytes.length < ivBytes + tagBytes || bytes.toString('base64url') !== sealed)
      return undefined
    for (const key of this.#keys('seal', purpose)) {
      const text = decrypt(key, bytes)
      if (text !== undefined) return text
    }
    return undefined
  }

  /**
   * Like `unseal`, and caches the last 500 texts: decrypting a cookie takes about as long as the rest of Fw's work for a small
   * page.
   */
  unsealCookie(purpose: string, sealed: string): string | undefined {
    if (!base64url.test(sealed)) return undefined
    if (sealed.length > longestCookie) return this.unseal(purpose, sealed)
    // The sealed text contains no blank, so that no other pair has this key.
    const key = `${sealed} ${purpose}`
    const known = this.#cookies.get(key)
    if (known !== undefined) return known
    const text = this.unseal(purpose, sealed)
    if (text === undefined) return undefined
    // A copy, because a part of a text keeps the whole text in memory: here all cookies of the request.
    this.#cookies.set(Buffer.from(key).toString(), text)
    if (this.#cookies.size > mostCookies) this.#cookies.delete(this.#cookies.keys().next().value!)
    return text
  }

  #keys(use: string, purpose: string): readonly KeyObject[] {
    const info = `${use}:${purpose}`
    const known = this.#derived.get(info)
    if (known !== undefined) return known
    // Create key objects once. For keys as bytes, Node would create an object at each use, which costs more than the
    // cryptography.
    const keys = this.#secrets.map((secret) =>
      createSecretKey(Buffer.from(hkdfSync('sha256', secret, 'fwjs', info, 32))),
    )
    this.#derived.set(info, keys)
    return keys
  }
}

function signature(key: KeyObject, text: string): string {
  return createHmac('sha256', key).update(text).digest('base64url')
}

function decrypt(key: KeyObject, bytes: Buffer): string | undefined {
  const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, ivBytes), {
    authTagLength: tagBytes,
  })
  decipher.setAuthTag(bytes.subarray(-tagBytes))
  try {
    const text = decipher.update(bytes.subarray(ivBytes, -tagBytes), undefined, 'utf8')
    return text + decipher.final('utf8')
  } catch {
    return undefined
  }
}

/** The methods of the request's cookies that are needed. `CookieJar` implements them. */
export interface PlainCookies {
  get(name: string): string | undefined
  set(name: string, value: string, options?: CookieOptions): void
}

/**
 * Signed or sealed cookies. The name of a cookie is part of its key, so that its value is invalid in another cookie. A
 * client can send an old value again. Where that matters, put a date into the value.
 */
export class SecretCookies {
  readonly #jar: PlainCookies
  readonly #keys: SecretKeys
  readonly #isSigned: boolean

  private constructor(jar: PlainCookies, keys: SecretKeys, isSigned: boolean) {
    this.#jar = jar
    this.#keys = keys
    this.#isSigned = isSigned
  }

  /** Creates signed cookies, whose values the client can read. */
  static signed(jar: PlainCookies, keys: SecretKeys): SecretCookies {
    return new SecretCookies(jar, keys, true)
  }

  /** Creates sealed cookies, whose values the client cannot read. */
  static sealed(jar: PlainCookies, keys: SecretKeys): SecretCookies {
    return new SecretCookies(jar, keys, false)
  }

  /** Returns the value of a cookie; `undefined` for a missing or invalid cookie. */
  get(name: string): string | undefined {
    const value = this.#jar.get(name)
    if (value === undefined) return undefined
    return this.#isSigned
      ? this.#keys.verify(`cookie:${name}`, value)
      : this.#keys.unsealCookie(`cookie:${name}`, value)
  }

  set(name: string, value: string, options?: CookieOptions): void {
    const purpose = `cookie:${name}`
    const secret = this.#isSigned
      ? this.#keys.sign(purpose, value)
      : this.#keys.seal(purpose, value)
    this.#jar.set(name, secret, options)
  }
}

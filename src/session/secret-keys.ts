/** Keys for signing and sealing, derived from the application's secret, one for each purpose. */
import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  hkdfSync,
  randomBytes,
  timingSafeEqual,
} from 'node:crypto'
import { FwError } from '../base.ts'

const minSecretBytes = 32
const ivBytes = 12
const tagBytes = 16
const signatureLength = 43
const base64url = /^[A-Za-z0-9_-]*$/

/**
 * Signs (the client can read the text, not change it) and seals (it can do neither). A purpose, such as a cookie's name, is
 * part of the key: what was made for one purpose is worth nothing for another.
 */
export class SecretKeys {
  readonly #secrets: readonly string[]
  readonly #derived = new Map<string, readonly Buffer[]>()

  /**
   * `secretKeyBase`, newest first: the first signs and seals, all are accepted, so keys can be rotated.
   * @throws FwError `session.secret-invalid` when there is none, or one has fewer than 32 bytes
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

  /** The text, a dot, and 43 characters of signature. */
  sign(purpose: string, text: string): string {
    return `${text}.${signature(this.#keys('sign', purpose)[0]!, text)}`
  }

  /** The text that was signed; `undefined` when anything about it is not as `sign` made it. */
  verify(purpose: string, signed: string): string | undefined {
    const dot = signed.length - signatureLength - 1
    if (dot < 0 || signed[dot] !== '.') return undefined
    const text = signed.slice(0, dot)
    const given = Buffer.from(signed.slice(dot + 1))
    const matches = (key: Buffer): boolean => equal(Buffer.from(signature(key, text)), given)
    return this.#keys('sign', purpose).some(matches) ? text : undefined
  }

  /** AES-256-GCM under a fresh nonce, as base64url. */
  seal(purpose: string, text: string): string {
    const iv = randomBytes(ivBytes)
    const cipher = createCipheriv('aes-256-gcm', this.#keys('seal', purpose)[0]!, iv)
    const sealed = Buffer.concat([
      iv,
      cipher.update(text, 'utf8'),
      cipher.final(),
      cipher.getAuthTag(),
    ])
    return sealed.toString('base64url')
  }

  /** The text that was sealed; `undefined` when anything about it is not as `seal` made it. */
  unseal(purpose: string, sealed: string): string | undefined {
    if (!base64url.test(sealed)) return undefined
    const bytes = Buffer.from(sealed, 'base64url')
    if (bytes.length < ivBytes + tagBytes || bytes.toString('base64url') !== sealed)
      return undefined
    for (const key of this.#keys('seal', purpose)) {
      const text = decipher(key, bytes)
      if (text !== undefined) return text
    }
    return undefined
  }

  #keys(use: string, purpose: string): readonly Buffer[] {
    const info = `${use}:${purpose}`
    const known = this.#derived.get(info)
    if (known !== undefined) return known
    const keys = this.#secrets.map((secret) =>
      Buffer.from(hkdfSync('sha256', secret, 'fwjs', info, 32)),
    )
    this.#derived.set(info, keys)
    return keys
  }
}

function signature(key: Buffer, text: string): string {
  return createHmac('sha256', key).update(text).digest('base64url')
}

function equal(left: Buffer, right: Buffer): boolean {
  return left.length === right.length && timingSafeEqual(left, right)
}

function decipher(key: Buffer, bytes: Buffer): string | undefined {
  const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, ivBytes), {
    authTagLength: tagBytes,
  })
  decipher.setAuthTag(bytes.subarray(-tagBytes))
  try {
    return Buffer.concat([
      decipher.update(bytes.subarray(ivBytes, -tagBytes)),
      decipher.final(),
    ]).toString('utf8')
  } catch {
    return undefined
  }
}

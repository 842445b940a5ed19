/**
 * `DeviceBinding`: binds sessions to a key of the visitor's device, by the protocol Device Bound Session Credentials (DBSC).
 * The browser keeps the private key, and proves with it every few minutes that it still has the session.
 * https://w3c.github.io/webappsec-dbsc/
 */
import { createPublicKey, verify, type JsonWebKey } from 'node:crypto'
import { takeRandomBytes } from '../base.ts'
import type { CookieOptions } from '../http.ts'
import type { Session } from './request-session.ts'
import type { SecretKeys } from './secret-keys.ts'
import { readSessionCookie, type SessionCookie } from './session-cookie.ts'

/** The session attribute with the key of the device. */
const deviceName = 'bound-device'
/** The session attribute with the challenge that the next proof must contain. */
const challengeName = 'bound-challenge'

/** The time in milliseconds in which the browser must respond to a challenge. */
const challengeAge = 60_000
/** The time in milliseconds for which a request that was sent with a bound cookie may take to arrive. */
const transit = 10_000
const maxProofLength = 4096

interface Device {
  /** The id of the session in the browser. */
  readonly id: string
  /** The coordinates of the public key on the curve P-256, in base64url. */
  readonly x: string
  readonly y: string
}

interface Challenge {
  readonly text: string
  readonly at: number
}

/** The bound cookie, as a name, a value and attributes. */
interface BoundCookie {
  readonly name: string
  readonly value: string
  readonly options: CookieOptions
}

/** The options of `DeviceBinding`. */
export interface DeviceBindingOptions {
  readonly keys: SecretKeys
  /** The session cookie. The bound cookie has the same attributes, and the same name followed by `_bound`. */
  readonly cookie: SessionCookie
  /** The lifetime of the bound cookie in milliseconds. */
  readonly lifetime: number
  /** The paths of the endpoints, with the context path. */
  readonly registrationPath: string
  readonly refreshPath: string
  /** Returns the current time in milliseconds. */
  readonly now?: () => number
}

const random = (): string => takeRandomBytes(32).toString('base64url')

/** Returns the content of a structured field that is a string (RFC 9651), without its parameters. */
function readString(field: string | undefined): string | undefined {
  if (field === undefined || field.length > maxProofLength) return undefined
  return /^"([\w.~+/=-]*)" *(?:;.*)?$/.exec(field.trim())?.[1]
}

function parsePart(part: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(part, 'base64url').toString('utf8'))
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined
  } catch {
    return undefined
  }
}

/** A proof whose signature is valid for its key: the JWT that the browser sends in `Secure-Session-Response`. */
interface Proof {
  readonly challenge: unknown
  readonly key: Pick<Device, 'x' | 'y'>
}

/** Parses a proof and verifies its signature with `known`, or with the key that a registration contains. */
export function readProof(field: string | undefined, known?: Device): Proof | undefined {
  const [head = '', body = '', signature = '', ...more] = (readString(field) ?? '').split('.')
  const [header, payload] = [parsePart(head), parsePart(body)]
  if (header === undefined || payload === undefined || more.length > 0) return undefined
  if (header['typ'] !== 'dbsc+jwt' || header['alg'] !== 'ES256') return undefined
  const { kty, crv, x, y } = known
    ? { kty: 'EC', crv: 'P-256', ...known }
    : ((header['jwk'] ?? {}) as JsonWebKey)
  if (kty !== 'EC' || crv !== 'P-256' || typeof x !== 'string' || typeof y !== 'string')
    return undefined
  try {
    const key = createPublicKey({ key: { kty, crv, x, y }, format: 'jwk' })
    const data = Buffer.from(`${head}.${body}`)
    const bytes = Buffer.from(signature, 'base64url')
    return verify('sha256', data, { key, dsaEncoding: 'ieee-p1363' }, bytes)
      ? { challenge: payload['jti'], key: { x, y } }
      : undefined
  } catch {
    // The coordinates are no point of the curve.
    return undefined
  }
}

/** The result of a request to an endpoint: its status, its body and the headers of the protocol. */
interface BindingResponse {
  readonly status: number
  readonly body?: object
  readonly challenge?: string
  readonly cookie?: BoundCookie
}

/** Binds sessions to devices. An application creates one if the setting `session.deviceBound` is true. */
export class DeviceBinding {
  readonly #options: Required<DeviceBindingOptions>
  /** The name of the bound cookie. */
  readonly cookieName: string

  constructor(options: DeviceBindingOptions) {
    this.#options = { now: Date.now, ...options }
    this.cookieName = `${options.cookie.name}_bound`
  }

  /**
   * Returns the header `Secure-Session-Registration` for the response to a login, which asks the browser to create a key. Returns
   * `undefined` if the session has a device already. Store the session after this call.
   */
  startRegistration(session: Session): string | undefined {
    if (readDevice(session) !== undefined) return undefined
    const challenge = this.#createChallenge(session)
    return `(ES256);path="${this.#options.registrationPath}";challenge="${challenge}"`
  }

  /** Whether the request may use the session: a session with a device needs a valid bound cookie. */
  accepts(session: Session, cookieHeader: string | undefined): boolean {
    const device = readDevice(session)
    if (device === undefined) return true
    const { keys, now } = this.#options
    const value = readSessionCookie(cookieHeader, this.cookieName)
    const [id, expiry] = keys.verify(deviceName, value ?? '')?.split('.') ?? []
    return id === device.id && now() <= Number(expiry) + transit
  }

  /** Responds to the browser's registration: stores the public key, if it has signed the challenge of the login. */
  register(session: Session, response: string | undefined): BindingResponse {
    const challenge = this.#takeChallenge(session)
    const proof = readProof(response)
    const isValid = challenge !== undefined && proof?.challenge === challenge
    if (!isValid || readDevice(session) !== undefined) return { status: 400 }
    const device: Device = { id: random(), ...proof.key }
    session.set(deviceName, device)
    return { status: 200, body: this.#instructions(device), cookie: this.#boundCookie(device) }
  }

  /**
   * Responds to the browser's refresh: issues a new bound cookie, if the device's key has signed the last challenge. Otherwise
   * responds with 403 and a new challenge; with 400 to another session, which ends it in the browser.
   */
  refresh(
    session: Session,
    { id, response }: { readonly id: string | undefined; readonly response: string | undefined },
  ): BindingResponse {
    const device = readDevice(session)
    if (device === undefined || readString(id) !== device.id) return { status: 400 }
    const challenge = this.#takeChallenge(session)
    const isValid = challenge !== undefined && readProof(response, device)?.challenge === challenge
    return isValid
      ? { status: 200, body: this.#instructions(device), cookie: this.#boundCookie(device) }
      : { status: 403, challenge: `"${this.#createChallenge(session)}";id="${device.id}"` }
  }

  #createChallenge(session: Session): string {
    const text = random()
    session.set(challengeName, { text, at: this.#options.now() } satisfies Challenge)
    return text
  }

  /** Returns the challenge unless it is too old, and removes it, because each challenge is valid for one proof. */
  #takeChallenge(session: Session): string | undefined {
    const challenge = session.get(challengeName) as Challenge | undefined
    if (challenge === undefined) return undefined
    session.delete(challengeName)
    return this.#options.now() <= challenge.at + challengeAge ? challenge.text : undefined
  }

  #boundCookie({ id }: Device): BoundCookie {
    const { keys, cookie, lifetime, now } = this.#options
    const value = keys.sign(deviceName, `${id}.${now() + lifetime}`)
    const maxAge = Math.floor(lifetime / 1000)
    return { name: this.cookieName, value, options: { ...cookie.options, maxAge } }
  }

  /** Returns the session instructions: the cookie without which the browser refreshes before it sends a request. */
  #instructions({ id }: Device): object {
    const { path = '/', secure = false } = this.#options.cookie.options
    const attributes = `Path=${path}; ${secure ? 'Secure; ' : ''}HttpOnly; SameSite=Lax`
    return {
      session_identifier: id,
      refresh_url: this.#options.refreshPath,
      scope: {
        include_site: false,
        scope_specification:
          path === '/'
            ? []
            : [
                { type: 'exclude', path: '/' },
                { type: 'include', path },
              ],
      },
      credentials: [{ type: 'cookie', name: this.cookieName, attributes }],
    }
  }
}

const readDevice = (session: Session): Device | undefined =>
  session.get(deviceName) as Device | undefined

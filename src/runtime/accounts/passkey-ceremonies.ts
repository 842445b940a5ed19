/** The two ceremonies of passkeys (WebAuthn): creation and login. Each has options for a browser, and verifies its answer. */
import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server'
import type { FwContext } from '../action.ts'
import { FwError } from '../base.ts'

/** The columns of a stored passkey. */
export interface StoredPasskey {
  /** The id of the credential, base64url. */
  readonly id: string
  /** The public key in the format COSE. */
  readonly publicKey: Uint8Array
  /** How often the device has signed; 0 if it does not count. */
  readonly counter: number
  /** How browsers reach the device, such as `internal` or `usb`. */
  readonly transports: readonly string[]
}

/** An account, as its devices show it. */
interface PasskeyOwner {
  /** Identifies the account on the device, at most 64 bytes. A new passkey replaces that with the same handle. */
  readonly handle: string
  readonly name: string
  /** The name of the site. */
  readonly site: string
}

/** Options in JSON, which the script of the page passes to `navigator.credentials`. */
export interface BrowserOptions {
  readonly [name: string]: unknown
}

/** The name of the attribute of the session. */
const challengeKey = 'challenge'

/** The site to which passkeys belong. In production, the setting `server.hosts` determines the possible hosts. */
function readSite({ request }: FwContext) {
  const origin = new URL(`http${request.isHttps ? 's' : ''}://${request.host}`)
  return { expectedOrigin: origin.origin, expectedRPID: origin.hostname }
}

/** Takes the challenge out of the session, so that it verifies one answer. */
function takeChallenge({ session }: FwContext): string {
  const challenge = session.get(challengeKey)
  session.delete(challengeKey)
  return typeof challenge === 'string' ? challenge : ''
}

/** Parses what a browser has sent. The package checks each of its members. */
function parse<T>(text: string): Partial<T> {
  try {
    return (JSON.parse(text) ?? {}) as Partial<T>
  } catch {
    return {}
  }
}

async function loadPackage() {
  try {
    return await import('@simplewebauthn/server')
  } catch (cause) {
    throw new FwError(
      'accounts.package-missing',
      'Passkeys need the package @simplewebauthn/server: npm install @simplewebauthn/server@14',
      { cause },
    )
  }
}

/** Returns the options by which a browser creates a passkey, unless its device has one of `known`. */
export async function createOptions(
  ctx: FwContext,
  { handle, name, site }: PasskeyOwner,
  known: readonly Pick<StoredPasskey, 'id' | 'transports'>[],
): Promise<BrowserOptions> {
  const { generateRegistrationOptions } = await loadPackage()
  const options = await generateRegistrationOptions({
    rpName: site,
    rpID: readSite(ctx).expectedRPID,
    userID: new TextEncoder().encode(handle).slice(0, 64),
    userName: name,
    attestationType: 'none',
    excludeCredentials: known.map((one) => ({ id: one.id, transports: [...one.transports] })),
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
  })
  ctx.session.set(challengeKey, options.challenge)
  return { ...options }
}

/** Returns the columns of the passkey that a browser has created; undefined if it does not answer the challenge. */
export async function verifyCreation(
  ctx: FwContext,
  credential: string,
): Promise<StoredPasskey | undefined> {
  const expectedChallenge = takeChallenge(ctx)
  const { verifyRegistrationResponse } = await loadPackage()
  const response = parse<RegistrationResponseJSON>(credential) as RegistrationResponseJSON
  const sent = { response, expectedChallenge, ...readSite(ctx) }
  const result = await verifyRegistrationResponse(sent).catch(() => undefined)
  if (result?.verified !== true) return undefined
  const { id, publicKey, counter, transports = [] } = result.registrationInfo.credential
  return { id, publicKey, counter, transports }
}

/** Returns the options by which a browser logs in by any passkey of this site. */
export async function loginOptions(ctx: FwContext): Promise<BrowserOptions> {
  const { generateAuthenticationOptions } = await loadPackage()
  const rpID = readSite(ctx).expectedRPID
  const options = await generateAuthenticationOptions({ rpID, userVerification: 'required' })
  ctx.session.set(challengeKey, options.challenge)
  return { ...options }
}

/**
 * Finds the passkey that answers the challenge, with its new `counter`, which the caller stores; undefined for any other text. An error
 * of `find` rejects the promise.
 */
export async function verifyLogin<P extends Omit<StoredPasskey, 'transports'>>(
  ctx: FwContext,
  credential: string,
  find: (id: string) => PromiseLike<P | undefined>,
): Promise<{ readonly passkey: P; readonly counter: number } | undefined> {
  const expectedChallenge = takeChallenge(ctx)
  const response = parse<AuthenticationResponseJSON>(credential)
  const passkey = typeof response.id === 'string' ? await find(response.id) : undefined
  if (passkey === undefined) return undefined
  const { verifyAuthenticationResponse } = await loadPackage()
  const { id, publicKey, counter } = passkey
  const result = await verifyAuthenticationResponse({
    response: response as AuthenticationResponseJSON,
    expectedChallenge,
    ...readSite(ctx),
    credential: { id, publicKey: new Uint8Array(publicKey), counter },
  }).catch(() => undefined)
  if (result?.verified !== true) return undefined
  return { passkey, counter: result.authenticationInfo.newCounter }
}

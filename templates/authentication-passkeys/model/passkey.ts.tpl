/** A passkey of an account: the public key of a device that proves by its screen lock who its user is. */
import {
  generateAuthenticationOptions,
  generateRegistrationOptions,
  verifyAuthenticationResponse,
  verifyRegistrationResponse,
  type AuthenticationResponseJSON,
  type RegistrationResponseJSON,
} from '@simplewebauthn/server'
import { model, ParamType, permitValues, type FwContext, type RowOf } from 'fwjs'
import type { {{User}} } from '#model/{{file}}'

export const Passkey = model('passkeys', {
  id: ParamType.String,
  {{userId}}: ParamType.Long,
  publicKey: ParamType.ByteArray,
  counter: ParamType.Long,
  transports: ParamType.array(ParamType.String),
  name: ParamType.String,
  createdAt: ParamType.DateTime,
})
export type Passkey = RowOf<typeof Passkey>

/** The site to which passkeys belong. In production, the setting `server.hosts` determines the possible hosts. */
function readSite({ request }: FwContext) {
  const origin = new URL(`http${request.isHttps ? 's' : ''}://${request.host}`)
  return { expectedOrigin: origin.origin, expectedRPID: origin.hostname }
}

/** The options by which a browser creates a passkey that it can offer without an address (a discoverable credential). */
export async function creationOptions(ctx: FwContext, { id, email }: {{User}}) {
  const known = await Passkey.where({ {{userId}}: id }).findAll()
  return generateRegistrationOptions({
    rpName: ctx.i18n.get('site.title'),
    rpID: readSite(ctx).expectedRPID,
    userID: new TextEncoder().encode(String(id)),
    userName: email,
    attestationType: 'none',
    excludeCredentials: known.map((one) => ({ id: one.id, transports: [...one.transports] })),
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
  })
}

export const loginOptions = (ctx: FwContext) =>
  generateAuthenticationOptions({ rpID: readSite(ctx).expectedRPID, userVerification: 'required' })

/** Stores the passkey that the browser has created. Returns false if it does not answer the challenge. */
export async function addPasskey(
  ctx: FwContext,
  { id: {{userId}} }: {{User}},
  name: string,
  credential: string,
  expectedChallenge: string,
): Promise<boolean> {
  const response = parse<RegistrationResponseJSON>(credential)
  const sent = { response, expectedChallenge, ...readSite(ctx) }
  const { verified, registrationInfo } = await verifyRegistrationResponse(sent).catch(() => ({
    verified: false,
    registrationInfo: undefined,
  }))
  if (!verified || registrationInfo === undefined) return false
  const { id, publicKey, counter, transports = [] } = registrationInfo.credential
  const values = { id, {{userId}}, publicKey, counter, transports, name }
  const { isNew } = await Passkey.createUnlessThere(
    permitValues(values, 'id', '{{userId}}', 'publicKey', 'counter', 'transports', 'name'),
    { by: 'id' },
  )
  return isNew
}

/** Finds the passkey that answers the challenge; undefined for any other text. */
export async function findByCredential(
  ctx: FwContext,
  credential: string,
  expectedChallenge: string,
): Promise<Passkey | undefined> {
  const response = parse<AuthenticationResponseJSON>(credential)
  const passkey = typeof response.id === 'string' ? await Passkey.findById(response.id) : undefined
  if (passkey === undefined) return undefined
  const { id, publicKey, counter } = passkey
  const { verified, authenticationInfo } = await verifyAuthenticationResponse({
    response,
    expectedChallenge,
    ...readSite(ctx),
    credential: { id, publicKey: new Uint8Array(publicKey), counter },
  }).catch(() => ({ verified: false, authenticationInfo: undefined }))
  if (!verified || authenticationInfo === undefined) return undefined
  const values = permitValues({ counter: authenticationInfo.newCounter }, 'counter')
  await Passkey.where({ id }).updateAll(values)
  return passkey
}

/** Parses what a browser has sent. The library checks each of its members. */
function parse<T>(text: string): T {
  try {
    return (JSON.parse(text) ?? {}) as T
  } catch {
    return {} as T
  }
}

/** A passkey of an account: the public key of a device that proves by its screen lock who its user is. */
import { model, ParamType, permitValues, type FwContext, type RowOf } from 'fwjs'
import { passkeyCeremonies } from 'fwjs/accounts'
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

/** The options by which the script creates a passkey, except on devices that have one of the account. */
export async function creationOptions(ctx: FwContext, { id, email }: {{User}}) {
  const known = await Passkey.where({ {{userId}}: id }).findAll()
  const owner = { id, name: email, site: ctx.i18n.get('site.title') }
  return passkeyCeremonies.creationOptions(ctx, owner, known)
}

/** Stores the passkey that the browser has created. Returns false if it does not answer the challenge of the session. */
export async function addPasskey(
  ctx: FwContext,
  { id: {{userId}} }: {{User}},
  name: string,
  credential: string,
): Promise<boolean> {
  const created = await passkeyCeremonies.verifyCreation(ctx, credential)
  if (created === undefined) return false
  const values = { ...created, {{userId}}, name }
  const { isNew } = await Passkey.createUnlessThere(
    permitValues(values, 'id', '{{userId}}', 'publicKey', 'counter', 'transports', 'name'),
    { by: 'id' },
  )
  return isNew
}

/** Finds the passkey that answers the challenge of the session; undefined for any other text. */
export async function findByCredential(
  ctx: FwContext,
  credential: string,
): Promise<Passkey | undefined> {
  const find = (id: string) => Passkey.findById(id)
  const found = await passkeyCeremonies.verifyLogin(ctx, credential, find)
  if (found === undefined) return undefined
  const { passkey, counter } = found
  await Passkey.where({ id: passkey.id }).updateAll(permitValues({ counter }, 'counter'))
  return passkey
}

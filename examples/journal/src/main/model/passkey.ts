/** A passkey of an account: the public key of a device that proves by its screen lock who its user is. */
import { model, ParamType, type RowOf } from 'fwjs'
import { logins } from '#model/login'

export const Passkey = model('passkeys', {
  id: ParamType.String,
  userId: ParamType.Long,
  publicKey: ParamType.ByteArray,
  counter: ParamType.Long,
  transports: ParamType.array(ParamType.String),
  name: ParamType.String,
  createdAt: ParamType.DateTime,
})
export type Passkey = RowOf<typeof Passkey>

export const passkeyStore = logins.passkeys(Passkey)

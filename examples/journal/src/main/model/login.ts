/** A login: a device on which a user is logged in. Deleting its row logs the device out. */
import { model, ParamType, type RowOf } from 'fwjs'
import { accountLogins } from 'fwjs/accounts'
import { credentials } from '#model/account'
import { RecoveryCode, SecondFactor } from '#model/second-factor'
import { User } from '#model/user'

export const Login = model(
  'logins',
  {
    id: ParamType.Long,
    userId: ParamType.Long,
    userAgent: ParamType.String,
    rememberHash: ParamType.optional(ParamType.String),
    previousHash: ParamType.optional(ParamType.String),
    rotatedAt: ParamType.optional(ParamType.DateTime),
    createdAt: ParamType.DateTime,
    updatedAt: ParamType.DateTime,
  },
  { hidden: ['rememberHash', 'previousHash'] },
)
export type Login = RowOf<typeof Login>

/** A device that is remembered stays logged in for 60 days after its last use. A login is fresh for ten minutes. */
export const logins = accountLogins({
  logins: Login,
  accounts: User,
  owner: 'userId',
  bind: credentials,
  rememberedDays: 60,
  freshMinutes: 10,
  secondFactors: { factors: SecondFactor, codes: RecoveryCode },
})

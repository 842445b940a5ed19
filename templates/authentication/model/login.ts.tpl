/** A login: a device on which a {{words}} is logged in. Deleting its row logs the device out. */
import { hasMany, model, ParamType, permitValues, Temporal, type RowOf } from 'fwjs'
import { rememberedDevices } from 'fwjs/accounts'
import { {{User}} } from '#model/{{file}}'

export const Login = model(
  'logins',
  {
    id: ParamType.Long,
    {{userId}}: ParamType.Long,
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

export const {{user}}Logins = hasMany({{User}}, Login, '{{userId}}')

/** The devices that stay logged in without a session, for 60 days after their last use. */
export const remembered = rememberedDevices({
  days: 60,
  find: (id) => Login.findById(id),
  replace: ({ id, rememberHash }, columns) =>
    Login.where({ id, rememberHash: rememberHash ?? null }).updateAll(
      permitValues(columns, 'rememberHash', 'previousHash', 'rotatedAt'),
    ),
  remove: (id) => Login.deleteById(id),
})

export function createLogin({{userId}}: number, userAgent: string): Promise<Login> {
  const values = { {{userId}}, userAgent: userAgent.slice(0, 512) }
  return Login.create(permitValues(values, '{{userId}}', 'userAgent'))
}

/** Finds the account that is logged in by this login. */
export const findLoggedIn = (loginId: number): Promise<{{User}} | undefined> =>
  {{User}}.where({{user}}Logins, { id: loginId }).findFirst()

/** Logs out all devices of an account, except one. Returns their number. */
export function endLogins({{userId}}: number, except?: number): Promise<number> {
  const all = Login.where({ {{userId}} })
  return (except === undefined ? all : all.where('id', '<>', except)).deleteAll()
}

/** Removes the logins of devices that nobody has used for so long that they cannot be resumed. */
export function sweepLogins(): Promise<number> {
  const oldest = Temporal.Now.instant().subtract({ hours: remembered.days * 24 })
  return Login.where('updatedAt', '<', oldest).deleteAll()
}

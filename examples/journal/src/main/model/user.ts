/** A person with an account: an author, or an editor, who may change everything. */
import { defaulted, model, ParamType, type RowOf } from 'fwjs'

export const User = model(
  'users',
  {
    id: ParamType.Long,
    name: ParamType.String,
    email: ParamType.String,
    passwordHash: ParamType.String,
    linkUsedAt: ParamType.optional(ParamType.DateTime),
    role: defaulted(ParamType.String),
    bio: ParamType.optional(ParamType.String),
    createdAt: ParamType.DateTime,
    updatedAt: ParamType.DateTime,
  },
  { hidden: ['passwordHash'] },
)

export type User = RowOf<typeof User>

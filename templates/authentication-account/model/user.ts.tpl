/** A {{words}} with an account: a row of the table {{table}}. */
import { model, ParamType, type RowOf } from 'fwjs'

export const {{User}} = model(
  '{{table}}',
  {
    id: ParamType.Long,
    email: ParamType.Email,
    passwordHash: ParamType.optional(ParamType.String),
    {{linkField}}
    createdAt: ParamType.DateTime,
    updatedAt: ParamType.DateTime,
  },
  { hidden: ['passwordHash'] },
)
export type {{User}} = RowOf<typeof {{User}}>

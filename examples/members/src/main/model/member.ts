/** A member, with a name, a birthday and, if it is known, the number of a country. */
import { model, ParamType, type RowOf } from 'fwjs'

export const Member = model('members', {
  id: ParamType.Long,
  name: ParamType.String,
  birthday: ParamType.LocalDate,
  countryId: ParamType.optional(ParamType.Long),
})

export type Member = RowOf<typeof Member>

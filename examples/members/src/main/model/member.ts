/** A member: name, birthday, and the number of the country, if it is known. */
import { model, ParamType, type RowOf } from 'fwjs'

export const Member = model('members', {
  id: ParamType.Long,
  name: ParamType.String,
  birthday: ParamType.LocalDate,
  countryId: ParamType.optional(ParamType.Long),
})

export type Member = RowOf<typeof Member>

/** A resource with a hidden field, and one with a view. */
import { FwApiController } from '../../../src/runtime/controller.ts'
import { hasMany, model } from '../../../src/runtime/model.ts'
import { ParamType } from '../../../src/runtime/params.ts'
import { apiResource, FwApiResource } from '../../../src/runtime/resource.ts'

const Person = model(
  'people',
  {
    id: ParamType.Long,
    firstName: ParamType.String,
    bornOn: ParamType.optional(ParamType.LocalDate),
    password: ParamType.String,
  },
  { hidden: ['password'] },
)
const Note = model('notes', { id: ParamType.Long, personId: ParamType.Long })

class People extends FwApiResource(FwApiController, {
  model: Person,
  resourcesName: 'people',
  resourceName: 'person',
  createFormStrongParameters: { firstName: ParamType.String, password: ParamType.String },
}) {}

class Authors extends FwApiResource(FwApiController, {
  model: Person,
  resourcesName: 'authors',
  resourceName: 'author',
  createFormStrongParameters: { firstName: ParamType.String },
  output: Person.view({
    fields: ['firstName'],
    computed: { nameLength: [ParamType.Int, ({ firstName }) => firstName.length] },
    relations: {
      allNotes: [hasMany(Person, Note, 'personId'), Note.view({ fields: ['personId'] })],
    },
  }),
}) {}

export const people = apiResource(People)
export const authors = apiResource(Authors)
export const controllers = { people, authors }

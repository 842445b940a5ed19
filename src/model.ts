/** model: FwModel: finders and permitted writes over Kysely. */
export { FwModel, type IdOf, model, type ModelOptions, type RowOf } from './model/fw-model.ts'
export {
  type Columns,
  defaulted,
  type DefaultedType,
  json,
  type NewRow,
  type SomeFields,
} from './model/column.ts'
export { ModelQuery, type PageRequest } from './model/model-query.ts'
export type { Relation } from './model/relation.ts'
export { belongsTo, hasMany, hasManyThrough, hasOne } from './model/relations.ts'
export type { FieldRefusal, ResourceModel } from './model/resource-model.ts'
export {
  modelSource,
  type FieldSource,
  type ModelSource,
  type ReferenceSource,
} from './model/model-source.ts'
export { isStoredJson } from './model/table.ts'

/** model: FwModel: finders and permitted writes of a table, on Kysely. */
export { defaulted, json, type Columns, type SomeFields } from './model/column.ts'
export { FwModel, model, type ModelOptions, type RowOf } from './model/fw-model.ts'
export type { KeyPage, KeyPageRequest } from './model/key-page.ts'
export { ModelQuery, type Relation } from './model/model-query.ts'
export { modelSource, type FieldSource, type ModelSource } from './model/model-source.ts'
export { belongsTo, hasMany, hasManyThrough, hasOne } from './model/relations.ts'
export type { FieldRefusal, ResourceModel } from './model/resource-model.ts'
export { isStoredJson, splitTableName } from './model/table.ts'

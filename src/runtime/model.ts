/** model: FwModel, with the finders and permitted writes of a table. Kysely compiles its queries. */
export { defaulted, type Columns, type SomeFields } from './model/column.ts'
export { model } from './model/create-model.ts'
export { FoundRows } from './model/found-rows.ts'
export { FwModel, hasHooks } from './model/fw-model.ts'
export { insertOwned } from './model/insert-owned.ts'
export { json } from './model/json-column.ts'
export { foundRowsOf, type KeyPage, type KeyPageRequest } from './model/key-page.ts'
export { lockRow } from './model/lock-row.ts'
export { ModelQuery, type Relation, type Relations } from './model/model-query.ts'
export { modelSource, type FieldSource, type ModelSource } from './model/model-source.ts'
export type { IdOf, RowOf } from './model/model-description.ts'
export { ReadOnlyModel } from './model/read-only-model.ts'
export { belongsTo, hasMany, hasManyThrough, hasOne, loadRelations } from './model/relations.ts'
export type {
  DescribedResourceModel,
  FieldRefusal,
  ReadOnlyResourceModel,
  ResourceModel,
  ScopedResourceModel,
} from './model/resource-model.ts'
export { textMembers } from './model/row.ts'
export { ScopedModel } from './model/scoped-model.ts'
export { quote as quoteName, quoteTableName, splitTableName } from './model/table.ts'
export type { ViewParts } from './model/view.ts'

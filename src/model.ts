/** The public interface `fwjs/model`: models of database tables, with their columns, relations and queries. */
export {
  belongsTo,
  defaulted,
  FwModel,
  hasMany,
  hasManyThrough,
  hasOne,
  json,
  model,
  ModelQuery,
} from './runtime/model.ts'
export type {
  KeyPageRequest,
  ReadOnlyModel,
  Relation,
  ResourceModel,
  RowOf,
} from './runtime/model.ts'

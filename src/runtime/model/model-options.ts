/** The options of a model: the columns with a special role, its database and its hooks. */
import type { Columns, RowOfColumns, SomeFields } from './column.ts'

export interface ModelOptions<
  C extends Columns = Columns,
  K extends string = string,
  H extends string = string,
  S extends string = string,
> {
  /** The primary key's field; default `id`. */
  readonly primaryKey?: K
  /** An Int or Long field with the version number of a row. An update with an older number is rejected. */
  readonly lockVersion?: keyof C & string
  /** An optional DateTime or LocalDateTime field, which `deleteById` sets instead of deleting the row. */
  readonly softDelete?: keyof C & string
  /** Whether the model has no writes, for example because its table is a database view. */
  readonly readOnly?: boolean
  /** The fields that rows contain but their JSON, XML, logs, inspection and copies omit, such as passwords and tokens. */
  readonly hidden?: readonly (H & keyof C & string)[]
  /**
   * The field with the owner of a row, such as `userId`. Finders and writes then need an owner, `Note.scoped(user.id)`, or the
   * explicit `Note.unscoped`.
   */
  readonly scopedBy?: S & keyof C & string
  /** Maps fields to columns whose names are not the field's name in snake case, such as `{ fooBar: 'FOO_BAR' }`. */
  readonly columnNames?: { readonly [F in keyof C]?: string }
  /** The name of a database that `useDatabase` registered; the default is `default`. */
  readonly database?: string
  /** Functions that run when a record is saved. */
  readonly hooks?: ModelHooks<C>
}

/** The information about a write that each hook receives. */
export interface SaveInfo {
  /** True for an insert. Also true for an upsert, because only the database decides whether it inserts or updates. */
  readonly isNew: boolean
}

/**
 * The hooks run for every insert, update or upsert of single records, but not for `updateAll`, `deleteAll`, `increment`,
 * `touch` or deletes.
 */
export interface ModelHooks<C extends Columns> {
  /**
   * Returns fields to add to the written values or to replace in them. They need no `permit`, because the application computes
   * them.
   */
  beforeSave?(
    values: SomeFields<C>,
    save: SaveInfo,
  ): SomeFields<C> | undefined | Promise<SomeFields<C> | undefined>
  /** Runs in the transaction of the write; an error rolls the write back. */
  afterSave?(row: RowOfColumns<C>, save: SaveInfo): unknown
  /** Runs after the commit, but not after a rollback; its errors are logged. */
  afterCommit?(row: RowOfColumns<C>, save: SaveInfo): unknown
}

/** The contract between FwResource and a model, which FwModel implements; other models can be adapted to it. */
import type { RefusalReason } from '../db.ts'
import type { ParamType, ParamTypes, PermittedValues } from '../params.ts'
import type { KeyPage, KeyPageRequest } from './key-page.ts'

/** A value that the database refused. */
export interface FieldRefusal {
  /** `undefined` when the cause is several fields, or unknown. */
  readonly field: string | undefined
  readonly reason: RefusalReason
  /** The maximum of characters, for `tooLong`. */
  readonly limit?: number | undefined
}

/** The finders of a resource. They return `undefined` for a row that does not exist. */
export interface ReadOnlyResourceModel<Row, Id, H extends string = string> {
  /** Converts the id in a path; the response to a text that does not convert is 404. */
  readonly idType: ParamType<Id>
  /** The fields of a row, for the resource's documentation. */
  readonly columns?: ParamTypes
  /** The field of the key; if `columns` does not have it, the resource only lists records. */
  readonly primaryKey?: string
  /** Columns that JSON and XML of a row leave out; the rows must leave them out themselves. */
  readonly hiddenFields?: ReadonlySet<H> | undefined
  idOf(row: Row): Id
  findAll(): Promise<readonly Row[]>
  /** Pages start at 1. */
  findPage(request: { readonly page: number; readonly size: number }): Promise<readonly Row[]>
  count(): Promise<number>
  findById(id: Id): Promise<Row | undefined>
  /** The rows whose fields equal the values, for nested resources. */
  where?(
    values: Readonly<Record<string, unknown>>,
  ): Pick<ReadOnlyResourceModel<Row, Id>, 'findPage' | 'count' | 'paginate'>
  /** A page by key, for the option `pageByKey`. */
  paginate?(request: KeyPageRequest): Promise<KeyPage<Row>>
}

/** The finders and writes of a resource. */
export interface ResourceModel<Row, Id, H extends string = string> extends ReadOnlyResourceModel<
  Row,
  Id,
  H
> {
  createWithPermittedAttributes(permitted: PermittedValues): Promise<Id>
  /** Returns the number of changed rows: 0 when no row has this id. */
  updateById(id: Id): { withPermittedAttributes(permitted: PermittedValues): Promise<number> }
  /** Returns the number of deleted rows. */
  deleteById(id: Id): Promise<number>
  /** As `findById`, and locks the row until the transaction ends. Without it `If-Match` cannot prevent a concurrent change. */
  findByIdForUpdate?(id: Id): Promise<Row | undefined>
  /** Runs `work` in the current transaction, or else in a new one. */
  inTransaction?<T>(work: () => Promise<T>): Promise<T>
  /**
   * The refused values of a write that failed with this error, called after its rollback; `undefined` for other failures.
   * Without it only the columns in the errors of Fw's databases are recognised.
   */
  refusals?(error: unknown, values: PermittedValues): Promise<readonly FieldRefusal[] | undefined>
}

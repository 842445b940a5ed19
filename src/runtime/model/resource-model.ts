/** The interface of models for FwResource. FwModel implements it; other models can be adapted to it. */
import type { RefusalReason } from '../db.ts'
import type { ParamType, ParamTypes, PermittedValues } from '../params.ts'
import type { KeyPage, KeyPageRequest } from './key-page.ts'

/** The reason why the database rejected a value of a write. */
export interface FieldRefusal {
  /** The field of the rejected value; `undefined` if several fields are the cause or the field is unknown. */
  readonly field: string | undefined
  readonly reason: RefusalReason
  /** The maximum number of characters, for the reason `tooLong`. */
  readonly limit?: number | undefined
}

/** The members that describe a resource's model, without finders. */
export interface DescribedResourceModel<Id, H extends string = string> {
  /** The type that converts the id in a path. An id that does not convert leads to a 404 response. */
  readonly idType: ParamType<Id>
  /** The fields of a row, for the resource's OpenAPI description. */
  readonly columns?: ParamTypes
  /** The primary key's field. If `columns` does not contain it, the resource only lists records. */
  readonly primaryKey?: string
  /** The columns that JSON and XML of a row omit. The rows themselves must exclude them from enumeration. */
  readonly hiddenFields?: ReadonlySet<H> | undefined
}

/** The finders of a resource's model. They return `undefined` for a row that does not exist. */
export interface ReadOnlyResourceModel<
  Row,
  Id,
  H extends string = string,
> extends DescribedResourceModel<Id, H> {
  idOf(row: Row): Id
  findAll(): Promise<readonly Row[]>
  /** Returns a page of rows; the first page has the number 1. */
  findPage(request: { readonly page: number; readonly size: number }): Promise<readonly Row[]>
  count(): Promise<number>
  findById(id: Id): Promise<Row | undefined>
  /** Returns a query for the rows whose fields equal the values, for nested resources. */
  where?(
    values: Readonly<Record<string, unknown>>,
  ): Pick<ReadOnlyResourceModel<Row, Id>, 'findPage' | 'count' | 'paginate'>
  /** Returns a page by key, for the resource's option `pageByKey`. */
  paginate?(request: KeyPageRequest): Promise<KeyPage<Row>>
}

/** The finders and writes of a resource's model. */
export interface ResourceModel<Row, Id, H extends string = string> extends ReadOnlyResourceModel<
  Row,
  Id,
  H
> {
  createWithPermittedAttributes(permitted: PermittedValues): Promise<Id>
  /** The field by which updates recognize an outdated version. Updates pass it even if its value is unchanged. */
  readonly lockVersion?: string | undefined
  /** Updates a row and returns 1, or 0 if no row has this id. An update without values writes nothing. */
  updateById(id: Id): { withPermittedAttributes(permitted: PermittedValues): Promise<number> }
  /** Deletes a row and returns the number of deleted rows. */
  deleteById(id: Id): Promise<number>
  /**
   * Returns a row and locks it until the transaction ends. A model without this method cannot use `If-Match` to prevent
   * concurrent changes.
   */
  findByIdForUpdate?(id: Id): Promise<Row | undefined>
  /** Runs `work` in the current transaction, or else in a new one. */
  inTransaction?<T>(work: () => Promise<T>): Promise<T>
  /**
   * Returns the rejected values of a write that failed with this error, or `undefined` for other failures. It is called after
   * the rollback. Without this method, only columns named in the errors of Fw's databases are recognized.
   */
  refusals?(error: unknown, values: PermittedValues): Promise<readonly FieldRefusal[] | undefined>
}

/** A resource's model whose rows have owners. It has no finders: `scoped` returns the model of one owner's rows. */
export interface ScopedResourceModel<
  Row,
  Id,
  H extends string,
  Owner,
> extends DescribedResourceModel<Id, H> {
  readonly lockVersion?: string | undefined
  scoped(owner: Owner): ResourceModel<Row, Id, H>
  refusals?: ResourceModel<Row, Id, H>['refusals']
}

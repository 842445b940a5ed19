/** What FwResource asks of a model: FwModel fulfils it, and so may a Drizzle, Prisma or hand-written one. */
import type { RefusalReason } from '../db.ts'
import type { ParamType, ParamTypes, PermittedValues } from '../params.ts'

/** What the database did not take of a row. */
export interface FieldRefusal {
  /** Absent where no field alone is at fault, or it cannot be told which. */
  readonly field: string | undefined
  readonly reason: RefusalReason
  /** The most characters, where it is `tooLong`. */
  readonly limit?: number | undefined
}

/** Rows are plain values; an absent one is `undefined`. */
export interface ResourceModel<Row, Id> {
  /** Converts the id in a path; what does not convert is no row's id. */
  readonly idType: ParamType<Id>
  /** The fields of its rows, for documents about the resource. */
  readonly columns?: ParamTypes
  idOf(row: Row): Id
  findAll(): Promise<readonly Row[]>
  /** `page` from 1. */
  findPage(request: { readonly page: number; readonly size: number }): Promise<readonly Row[]>
  count(): Promise<number>
  findById(id: Id): Promise<Row | undefined>
  createWithPermittedAttributes(permitted: PermittedValues): Promise<Id>
  /** The number of rows changed: 0 where there is none of this id. */
  updateById(id: Id): { withPermittedAttributes(permitted: PermittedValues): Promise<number> }
  /** The number of rows deleted. */
  deleteById(id: Id): Promise<number>
  /** The rows whose fields equal these values: for a resource inside another one. */
  where?(
    values: Readonly<Record<string, unknown>>,
  ): Pick<ResourceModel<Row, Id>, 'findPage' | 'count'>
  /** As `findById`, and nobody else changes the row until the transaction ends: for `If-Match`, which else is a mere look. */
  findByIdForUpdate?(id: Id): Promise<Row | undefined>
  /** Runs `work` in the running transaction, or in one of its own. */
  inTransaction?<T>(work: () => Promise<T>): Promise<T>
  /**
   * What was wrong with the values of a write that failed by this error, once it has been undone; `undefined` for a fault.
   * Errors of Fw's own databases are known without it, by their columns.
   */
  refusals?(error: unknown, values: PermittedValues): Promise<readonly FieldRefusal[] | undefined>
}

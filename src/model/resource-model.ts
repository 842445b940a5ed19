/** What FwResource asks of a model: FwModel fulfils it, and so may a Drizzle, Prisma or hand-written one. */
import type { ParamType, PermittedValues } from '../params.ts'

/** Rows are plain values; an absent one is `undefined`. */
export interface ResourceModel<Row, Id> {
  /** Converts the id in a path; what does not convert is no row's id. */
  readonly idType: ParamType<Id>
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
}

/** The models of an application, as the functions of accounts use them. */
import type { Columns, FwModel, ResourceModel } from '../model.ts'
import type { ParamType } from '../params.ts'

/** A row of the table of the accounts. */
export interface Account {
  readonly id: number
}

/** A model whose rows have at least the members of `Row`. */
export type ModelOf<Row, Id = number> = ResourceModel<Row, Id>

/** A table of rows that belong to accounts, with the columns that a function of accounts reads and writes. */
export type OwnedTable<C extends Columns> = FwModel<
  string,
  C & { readonly owner: ParamType<number> },
  'id'
>

/** The name of the field that references the account. TypeScript knows it as `owner`; the application chooses it. */
export type OwnerField = 'owner'

export const ownedTable = <C extends Columns>(model: object): OwnedTable<C> =>
  model as OwnedTable<C>

export type AccountTable = FwModel<string, { readonly id: ParamType<number> }, 'id'>

export const accountTable = (model: object): AccountTable => model as AccountTable

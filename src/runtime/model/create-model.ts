/** `model`: defines the model of a table. */
import type { Columns } from './column.ts'
import { FwModel } from './fw-model.ts'
import type { ModelOptions } from './model-options.ts'
import { ReadOnlyModel } from './read-only-model.ts'
import { ScopedModel } from './scoped-model.ts'
import { createRunner } from './statement-runner.ts'
import { Table } from './table.ts'

/**
 * Creates a model: `export const Member = model('members', { id: ParamType.Long, name: ParamType.String, countryId:
 * ParamType.optional(ParamType.Long) })` and `export type Member = RowOf<typeof Member>`. Fields are in camel case, columns in
 * snake case. The database's clock sets the fields `createdAt` and `updatedAt`. With the option `scopedBy`, the model has no
 * finders: `Note.scoped(user.id)` returns the model of an owner's rows.
 * @spec Resources › model
 */
export function model<
  const T extends string,
  const C extends Columns,
  const K extends keyof C & string = 'id' & keyof C,
  const H extends keyof C & string = never,
>(
  table: T,
  columns: C,
  options: ModelOptions<C, K, H, never> & { readonly readOnly: true },
): ReadOnlyModel<T, C, K, H>
export function model<
  const T extends string,
  const C extends Columns,
  const S extends keyof C & string,
  const K extends keyof C & string = 'id' & keyof C,
  const H extends keyof C & string = never,
>(
  table: T,
  columns: C,
  options: ModelOptions<C, K, H, S> & { readonly readOnly?: false; readonly scopedBy: S },
): ScopedModel<T, C, S, K, H>
export function model<
  const T extends string,
  const C extends Columns,
  const K extends keyof C & string = 'id' & keyof C,
  const H extends keyof C & string = never,
>(
  table: T,
  columns: C,
  options?: ModelOptions<C, K, H, never> & { readonly readOnly?: false },
): FwModel<T, C, K, H>
export function model(table: string, columns: Columns, options: ModelOptions = {}) {
  const { scopedBy, ...rest } = options
  const { readOnly, hooks, database } = options
  const runner = createRunner(new Table(table, columns, rest), database)
  if (readOnly === true) return new ReadOnlyModel(runner)
  const all = new FwModel(runner, hooks)
  if (scopedBy === undefined) return all
  return new ScopedModel(createRunner(new Table(table, columns, options), database), all, hooks)
}

/** A model: the finders of a table, and its writes, which accept only permitted values. */
import type { Kysely } from 'kysely'
import type { Statement } from '../db.ts'
import type { ParamValueOf, PermittedValues } from '../params.ts'
import type { Columns, NewRow, NumberFields, RowOfColumns, SomeFields } from './column.ts'
import { findRowsBySql, kyselyOf, type TablesOfModels } from './kysely-tables.ts'
import type { ModelQuery, Relations } from './model-query.ts'
import * as sql from './model-sql.ts'
import {
  findRunner,
  type IdOf,
  type ModelOptions,
  ReadOnlyModel,
  runnerOf,
} from './read-only-model.ts'
import type { StatementRunner } from './statement-runner.ts'
import { RecordWriter } from './record-writer.ts'
import { findRefusals } from './refusals.ts'
import type { FieldRefusal, ResourceModel } from './resource-model.ts'
import type { UniqueKey, UpsertOptions } from './upsert.ts'

type Row<C extends Columns> = RowOfColumns<C>

/**
 * Creates a model: `export const Member = model('members', { id: ParamType.Long, name: ParamType.String, countryId:
 * ParamType.optional(ParamType.Long) })` and `export type Member = RowOf<typeof Member>`. Fields are in camel case, columns in
 * snake case. The database's clock sets the fields `createdAt` and `updatedAt`.
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
  options: ModelOptions<C, K, H> & { readonly readOnly: true },
): ReadOnlyModel<T, C, K, H>
export function model<
  const T extends string,
  const C extends Columns,
  const K extends keyof C & string = 'id' & keyof C,
  const H extends keyof C & string = never,
>(
  table: T,
  columns: C,
  options?: ModelOptions<C, K, H> & { readonly readOnly?: false },
): FwModel<T, C, K, H>
export function model(
  table: string,
  columns: Columns,
  options: ModelOptions<Columns, string> = {},
) {
  const Model = options.readOnly === true ? ReadOnlyModel : FwModel
  return new Model(table, columns, options)
}

/** A model with finders and writes, created by `model`. Rows are plain objects; every query joins the current transaction. */
export class FwModel<
  T extends string,
  C extends Columns,
  K extends string = string,
  H extends string = string,
>
  extends ReadOnlyModel<T, C, K, H>
  implements ResourceModel<Row<C>, IdOf<C, K>, H>
{
  declare readonly where: ModelQuery<T, C>['where']
  declare query: () => ModelQuery<T, C>
  declare include: <R extends Relations<T>>(relations: R) => ModelQuery<T, C, R>
  readonly #runner: StatementRunner
  readonly #database: string
  readonly #writer: RecordWriter

  constructor(table: T, columns: C, options: ModelOptions<C, K, H>) {
    super(table, columns, options)
    this.#runner = runnerOf(this)
    this.#database = options.database ?? 'default'
    this.#writer = new RecordWriter(this.#runner, options.hooks)
  }

  /**
   * Returns Kysely with the tables of these models: `import * as models from './models.ts'`, then `FwModel.kysely(models)`. The
   * fields are its columns; NULL is `null`. Exports of the module that are not models are ignored.
   */
  static kysely<M extends object>(models: M, database = 'default'): Kysely<TablesOfModels<M>> {
    const known = Object.values(models).flatMap((model) => findRunner(model as object) ?? [])
    return kyselyOf<TablesOfModels<M>>(known, database)
  }

  /**
   * Runs an SQL statement and converts its rows to the types of `columns`: `FwModel.findBySql({ total: ParamType.Long }, { sql,
   * parameters })`.
   * @throws FwError `model.query-invalid` for an absent column, and for NULL in a type that is not optional
   */
  static findBySql<const S extends Columns>(
    columns: S,
    statement: Statement,
    database = 'default',
  ): Promise<RowOfColumns<S>[]> {
    return findRowsBySql(columns, statement, database)
  }

  /** Returns the row with this id and locks it until the current transaction ends. */
  async findByIdForUpdate(id: IdOf<C, K>): Promise<Row<C> | undefined> {
    const { sql: known, table } = this.#runner
    const statement = known.get('lock') ?? known.add('lock', sql.lockByIdSql(table))
    return (await this.#runner.find(statement, [id], false))[0] as Row<C> | undefined
  }

  /**
   * Inserts a row and returns its primary key, if the table has one.
   * @throws FwError `model.not-permitted` for values that are not from `permit`; QueryError
   * @spec Validation DSL › createWithPermittedAttributes
   */
  createWithPermittedAttributes(attributes: PermittedValues & NewRow<C>): Promise<IdOf<C, K>> {
    return this.#writer.insertAndReturnId(attributes) as Promise<IdOf<C, K>>
  }

  /**
   * Inserts a row and returns it, with the values that the database filled in.
   * @throws FwError `model.not-permitted` for values that are not from `permit`; QueryError
   */
  create(attributes: PermittedValues & NewRow<C>): Promise<Row<C>> {
    return this.#writer.insert(attributes) as Promise<Row<C>>
  }

  /** Inserts all rows or none, and returns the new rows in the same order. */
  createAll(rows: readonly (PermittedValues & NewRow<C>)[]): Promise<Row<C>[]> {
    return this.#writer.insertAll(rows) as Promise<Row<C>[]>
  }

  /**
   * Inserts a row, or updates the existing row with the same unique key: `upsert(values, { by: 'email' })`. Returns the row.
   * @throws QueryError if no unique constraint has the fields of `by`
   */
  upsert(attributes: PermittedValues & NewRow<C>, options: UpsertOptions<C>): Promise<Row<C>> {
    return this.#writer.upsert(attributes, options) as Promise<Row<C>>
  }

  /** Inserts a row, unless a row with the same unique key exists; returns the new or the existing row. */
  createUnlessThere(
    attributes: PermittedValues & NewRow<C>,
    key: UniqueKey<C>,
  ): Promise<{ readonly row: Row<C>; readonly isNew: boolean }> {
    return this.#writer.insertUnlessThere(attributes, key) as never
  }

  /** Updates a row: `Member.updateById(id).withPermittedAttributes(permitted)`. Returns the number of changed rows, 0 or 1. */
  updateById(id: IdOf<C, K>): {
    withPermittedAttributes(attributes: PermittedValues & SomeFields<C>): Promise<number>
  } {
    return { withPermittedAttributes: (attributes) => this.#writer.update(id, attributes) }
  }

  /**
   * Adds `by` to a number field and returns the new value, or `undefined` if no row has this id. Concurrent increments are not
   * lost. Changes neither `updatedAt` nor the lock version.
   */
  increment<const F extends NumberFields<C>>(
    id: IdOf<C, K>,
    field: F,
    by: ParamValueOf<C[F]> | 1 = 1,
  ): Promise<ParamValueOf<C[F]> | undefined> {
    return this.#writer.increment(id, field, by) as Promise<ParamValueOf<C[F]> | undefined>
  }

  /** Sets `updatedAt` to the database's current time. Returns the number of changed rows, 0 or 1. */
  touch(id: IdOf<C, K>): Promise<number> {
    return this.#writer.touch(id)
  }

  /** Deletes a row, or marks it as deleted if the model has `softDelete`. Returns the number of deleted rows, 0 or 1. */
  deleteById(id: IdOf<C, K>): Promise<number> {
    return this.#writer.delete(id)
  }

  refusals(error: unknown, values: PermittedValues): Promise<readonly FieldRefusal[] | undefined> {
    return findRefusals(this.#runner.table, this.#database, error, values)
  }
}

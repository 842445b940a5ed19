/** A model: a table's finders, and its writes, which take permitted values alone. */
import { FwError, HttpError } from '../base.ts'
import { currentDatabase, type StatementResult } from '../db.ts'
import type { ParamType, ParamValueOf, PermittedValues } from '../params.ts'
import { attributesOf, type Attributes } from './attributes.ts'
import type { Columns, NewRow, RowOfColumns, SomeFields } from './column.ts'
import * as finder from './finder-sql.ts'
import { ModelQuery, type PageRequest } from './model-query.ts'
import type { Included, Relations } from './relation.ts'
import { refusalsOf } from './refusals.ts'
import type { FieldRefusal, ResourceModel } from './resource-model.ts'
import { SqlCache } from './sql-cache.ts'
import { Table, type TableOptions } from './table.ts'
import { deleteSql, insertSql, updateSql } from './write-sql.ts'

/** Fields with a meaning of their own, and the database that holds the table. */
export interface ModelOptions<C extends Columns, K extends string> extends TableOptions {
  readonly primaryKey?: K
  readonly lockVersion?: keyof C & string
  readonly softDelete?: keyof C & string
  readonly columnNames?: { readonly [F in keyof C]?: string }
  /** A named database, as `useDatabase` knows it; `default` when absent. */
  readonly database?: string
}

/** The type of a model's primary key; `never` where it has none. */
export type IdOf<C extends Columns, K extends string = 'id'> = K extends keyof C
  ? ParamValueOf<C[K]>
  : never

type Row<C extends Columns> = RowOfColumns<C>

/**
 * `export const Member = model('members', { id: ParamType.Long, name: ParamType.String, countryId: ParamType.optional(ParamType.Long) })`
 * and `export type Member = RowOf<typeof Member>`. Fields are camel case, columns snake case. `createdAt` and `updatedAt`
 * are filled, on the database's clock, where they are declared.
 * @spec Resources › model
 */
export function model<
  const T extends string,
  const C extends Columns,
  const K extends keyof C & string = 'id' & keyof C,
>(table: T, columns: C, options: ModelOptions<C, K> = {}): FwModel<T, C, K> {
  return new FwModel<T, C, K>(table, columns, options)
}

/** The row type of a model. */
export type RowOf<M> = M extends FwModel<infer _T, infer C, infer _K> ? RowOfColumns<C> : never

/** Made by `model`. Rows are plain values; every query goes through the transaction it is called in. */
export class FwModel<
  T extends string,
  C extends Columns,
  K extends string = string,
> implements ResourceModel<Row<C>, IdOf<C, K>> {
  readonly table: T
  readonly primaryKey: string
  readonly #table: Table
  readonly #database: string
  readonly #cache: SqlCache

  constructor(table: T, columns: C, options: ModelOptions<C, K>) {
    this.table = table
    this.#table = new Table(table, columns, options)
    this.primaryKey = this.#table.primaryKey
    this.#database = options.database ?? 'default'
    this.#cache = new SqlCache(table)
  }

  /** Its fields and their types, as they were declared. */
  get columns(): C {
    return this.#table.columns as C
  }

  /** The field that a name means: its own, or its column's. @throws FwError `model.column-unknown` */
  fieldOf(name: string): string {
    return this.#table.fieldOf(name)
  }

  /** @throws FwError `model.definition-invalid` where the model has no primary key */
  get idType(): ParamType<IdOf<C, K>> {
    const type = this.#table.columns[this.primaryKey]
    if (type) return type as ParamType<IdOf<C, K>>
    throw new FwError(
      'model.definition-invalid',
      `The model of '${this.table}' declares no '${this.primaryKey}': name its primaryKey.`,
    )
  }

  idOf(row: Row<C>): IdOf<C, K> {
    return (row as Record<string, unknown>)[this.primaryKey] as IdOf<C, K>
  }

  /** Every row, by primary key. */
  findAll(): Promise<Row<C>[]> {
    return this.#rows('all', finder.allSql, [])
  }

  async findById(id: IdOf<C, K>): Promise<Row<C> | undefined> {
    const { rows } = await this.#run('id', finder.byIdSql, [id])
    return rows[0] && this.#table.row<Row<C>>(rows[0])
  }

  /** As `findById`, and nobody else changes the row until the transaction ends: call it inside one. */
  async findByIdForUpdate(id: IdOf<C, K>): Promise<Row<C> | undefined> {
    return (await this.#rows('lock', finder.lockByIdSql, [id]))[0]
  }

  /** Runs `work` in the transaction it is called in, else in one of its own. */
  inTransaction<T>(work: () => Promise<T>): Promise<T> {
    const database = currentDatabase(this.#database)
    return database.transactionHere() === undefined ? database.transaction(work) : work()
  }

  /** The first row, by primary key, whose fields equal the values given; `undefined` asks for NULL. */
  async findBy(values: SomeFields<C>): Promise<Row<C> | undefined> {
    const parameters: unknown[] = []
    let shape = 'by'
    for (const [key, value] of Object.entries(values)) {
      const field = this.#table.fieldOf(key)
      shape += value === undefined ? ` ${field}?` : ` ${field}`
      if (value !== undefined) parameters.push(this.#table.parameter(field, value))
    }
    return (await this.#rows(shape, (table) => finder.firstBySql(table, values), parameters))[0]
  }

  /** The rows whose field is any of `keys`, by primary key; one query. */
  findAllByAny(field: string, keys: readonly unknown[]): Promise<Row<C>[]> {
    const own = this.#table.fieldOf(field)
    return this.#rows(`any ${own}`, (table) => finder.byAnySql(table, own), [keys])
  }

  /** A page of all rows, by primary key. */
  async findPage({ page, size }: PageRequest): Promise<Row<C>[]> {
    const limit = Math.max(1, Math.trunc(size))
    const offset = (Math.max(1, Math.trunc(page)) - 1) * limit
    return Number.isSafeInteger(offset) ? this.#rows('page', finder.pageSql, [limit, offset]) : []
  }

  async count(): Promise<number> {
    const { rows } = await this.#run<{ count: number }>('count', finder.countSql, [])
    return rows[0]!.count
  }

  /** See ModelQuery: conditions, order, limits, relations, then a finder. */
  readonly where = ((...args: Parameters<ModelQuery<T, C>['where']>) =>
    this.query().where(...args)) as ModelQuery<T, C>['where']

  /** `Member.include({ country: memberCountry }).findAll()`: see ModelQuery. */
  include<R extends Relations<T>>(relations: R): ModelQuery<T, C, Included<R>> {
    return this.query().include(relations)
  }

  /** All rows, as the start of a question. */
  query(): ModelQuery<T, C> {
    return new ModelQuery<T, C>(this.#table, this.#database)
  }

  /**
   * Inserts a row and gives its primary key, where there is one.
   * @throws FwError `model.not-permitted` where the values did not come out of `permit`; QueryError
   * @spec Validation DSL › createWithPermittedAttributes
   */
  async createWithPermittedAttributes(
    attributes: PermittedValues & NewRow<C>,
  ): Promise<IdOf<C, K>> {
    const { fields, values, shape } = attributesOf(this.#table, attributes)
    const compose = (table: Table) => insertSql(table, fields)
    const { rows } = await this.#run<{ id: IdOf<C, K> }>(`insert${shape}`, compose, values)
    return rows[0]?.id as IdOf<C, K>
  }

  /** `Member.updateById(id).withPermittedAttributes(permitted)` gives the number of rows changed: 0 or 1. */
  updateById(id: IdOf<C, K>): {
    withPermittedAttributes(attributes: PermittedValues & SomeFields<C>): Promise<number>
  } {
    return {
      withPermittedAttributes: (attributes) =>
        this.#update(id, attributesOf(this.#table, attributes)),
    }
  }

  /** The number of rows deleted, 0 or 1; with `softDelete` the row is marked instead. */
  async deleteById(id: IdOf<C, K>): Promise<number> {
    return (await this.#run('delete', deleteSql, [id])).count
  }

  refusals(error: unknown, values: PermittedValues): Promise<readonly FieldRefusal[] | undefined> {
    return refusalsOf(this.#table, this.#database, error, values)
  }

  async #update(id: IdOf<C, K>, { fields, values, shape }: Attributes): Promise<number> {
    const { lockVersion } = this.#table
    const lockAt = lockVersion === undefined ? -1 : fields.indexOf(lockVersion)
    const locked = lockAt >= 0
    const version = locked ? values.splice(lockAt, 1) : []
    if (locked) fields.splice(lockAt, 1)
    const compose = (table: Table) => updateSql(table, fields, locked)
    const parameters = [id, ...values, ...version]
    const { count } = await this.#run(`update${shape}`, compose, parameters)
    if (count === 0 && locked && (await this.findById(id))) throw this.#changed()
    return count
  }

  #changed(): HttpError {
    return new HttpError(
      409,
      'model.row-changed',
      'Someone else has changed this meanwhile. Load it again, then repeat the change.',
    )
  }

  async #rows(shape: string, compose: Compose, parameters: readonly unknown[]): Promise<Row<C>[]> {
    const { rows } = await this.#run(shape, compose, parameters)
    for (let i = 0; i < rows.length; i++) this.#table.row(rows[i]!)
    return rows as Row<C>[]
  }

  /** The same shape has the same SQL: it is composed once. */
  #run<R = Record<string, unknown>>(
    shape: string,
    compose: Compose,
    parameters: readonly unknown[],
  ): Promise<StatementResult<R>> {
    const { sql, name } = this.#cache.get(shape, () => compose(this.#table))
    const statement = name === undefined ? { sql, parameters } : { sql, name, parameters }
    return currentDatabase(this.#database).query<R>(statement)
  }
}

type Compose = (table: Table) => string

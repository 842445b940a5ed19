/** A model: the finders of a table, and its writes, which accept only permitted values. */
import type { Kysely } from 'kysely'
import { FwError } from '../base.ts'
import type { Statement } from '../db.ts'
import type { ParamType, ParamValueOf, PermittedValues } from '../params.ts'
import type { CheckedConditions, Columns, Conditions, NewRow } from './column.ts'
import type { NumberFields, RowOfColumns, SomeFields } from './column.ts'
import type { ModelHooks } from './hooks.ts'
import { findRowsBySql, kyselyOf, type TablesOfModels } from './kysely-tables.ts'
import {
  type ModelQuery,
  type PageRequest,
  queryOf,
  type Relations,
  type Scope,
} from './model-query.ts'
import * as sql from './model-sql.ts'
import { RecordWriter } from './record-writer.ts'
import { findRefusals } from './refusals.ts'
import type { FieldRefusal, ResourceModel } from './resource-model.ts'
import { StatementRunner } from './statement-runner.ts'
import { Table, type TableOptions } from './table.ts'
import type { UniqueKey, UpsertOptions } from './upsert.ts'
import { ModelView, type ViewOf, type ViewOptions } from './view.ts'

/** The columns of a model with a special role, and its database. */
export interface ModelOptions<C extends Columns, K extends string> extends TableOptions {
  readonly primaryKey?: K
  readonly lockVersion?: keyof C & string
  readonly softDelete?: keyof C & string
  /** Fields that are in rows, and not in their JSON, XML, logs, inspection and copies: passwords, tokens. */
  readonly hidden?: readonly (keyof C & string)[]
  readonly columnNames?: { readonly [F in keyof C]?: string }
  /** The name of a database that `useDatabase` registered; default `default`. */
  readonly database?: string
  /** Functions that run when a record is saved. */
  readonly hooks?: ModelHooks<C>
}

/** The type of a model's primary key; `never` for a model without one. */
export type IdOf<C extends Columns, K extends string = 'id'> = K extends keyof C
  ? ParamValueOf<C[K]>
  : never

type Row<C extends Columns> = RowOfColumns<C>

/**
 * `export const Member = model('members', { id: ParamType.Long, name: ParamType.String, countryId: ParamType.optional(ParamType.Long) })`
 * and `export type Member = RowOf<typeof Member>`. Fields are camel case, columns snake case. The database's clock fills the
 * fields `createdAt` and `updatedAt`.
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

const runners = new WeakMap<object, StatementRunner>()
/** The statements of a model, for relations to it. */
export const runnerOf = (model: object): StatementRunner => runners.get(model)!

/** Created by `model`. Rows are plain objects; every query joins the current transaction. */
export class FwModel<
  T extends string,
  C extends Columns,
  K extends string = string,
> implements ResourceModel<Row<C>, IdOf<C, K>> {
  readonly table: T
  readonly primaryKey: string
  readonly #table: Table
  readonly #database: string
  readonly #runner: StatementRunner
  readonly #sql: sql.SqlCache
  readonly #recordWriter: RecordWriter

  constructor(table: T, columns: C, options: ModelOptions<C, K>) {
    this.table = table
    this.#table = new Table(table, columns, options)
    this.primaryKey = this.#table.primaryKey
    this.#database = options.database ?? 'default'
    this.#runner = new StatementRunner(this.#table, this.#database)
    this.#sql = this.#runner.sql
    this.#recordWriter = new RecordWriter(this.#runner, options.hooks)
    runners.set(this, this.#runner)
  }

  /**
   * Kysely with the tables of these models: `import * as models from './models.ts'`, then `FwModel.kysely(models)`. Fields are
   * its columns; NULL is `null`. Other exports of the module are left out.
   */
  static kysely<M extends object>(models: M, database = 'default'): Kysely<TablesOfModels<M>> {
    const known = Object.values(models).flatMap((model) => runners.get(model as object) ?? [])
    return kyselyOf<TablesOfModels<M>>(known, database)
  }

  /**
   * The rows of SQL with the types of `columns`: `FwModel.findBySql({ total: ParamType.Long }, { sql, parameters })`.
   * @throws FwError `model.query-invalid` for an absent column, and for NULL in a type that is not optional
   */
  static findBySql<const S extends Columns>(
    columns: S,
    statement: Statement,
    database = 'default',
  ): Promise<RowOfColumns<S>[]> {
    return findRowsBySql(columns, statement, database)
  }

  /** The declared fields and their types. */
  get columns(): C {
    return this.#table.columns as C
  }

  /** The fields that the option `hidden` names. */
  get hiddenFields(): ReadonlySet<string> {
    return this.#table.hidden
  }

  /**
   * The output of rows: fields, computed members with their types, and relations with the views of their rows. A hidden field
   * that is named is in the output.
   */
  view<const F extends keyof C & keyof Row<C> & string, X = object, const V = object>(
    options: ViewOptions<T, C, F, X, V>,
  ): ModelView<Row<C>, ViewOf<Row<C>, F, X, V>> {
    return new ModelView<Row<C>, ViewOf<Row<C>, F, X, V>>(this.#table, options as never)
  }

  /** Some fields with their types, for `permit` and forms: `params.permit(Member.pick('name', 'birthday'))`. */
  pick<const F extends keyof C & string>(...fields: readonly F[]): Pick<C, F> {
    const { columns } = this
    const entries = fields.map((field) => [field, columns[this.fieldOf(field) as F]] as const)
    return Object.fromEntries(entries) as unknown as Pick<C, F>
  }

  /** The field for its own name or its column's. @throws FwError `model.column-unknown` */
  fieldOf(name: string): string {
    return this.#table.fieldOf(name)
  }

  /** @throws FwError `model.definition-invalid` for a model without a primary key */
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

  /** All rows, by primary key. */
  findAll(): Promise<Row<C>[]> {
    return this.#find(this.#sql.get('all') ?? this.#sql.add('all', sql.allSql(this.#table)), [])
  }

  async findById(id: IdOf<C, K>): Promise<Row<C> | undefined> {
    const statement = this.#sql.get('id') ?? this.#sql.add('id', sql.byIdSql(this.#table))
    return (await this.#find(statement, [id]))[0]
  }

  /** As `findById`, and locks the row until the current transaction ends. */
  async findByIdForUpdate(id: IdOf<C, K>): Promise<Row<C> | undefined> {
    const statement = this.#sql.get('lock') ?? this.#sql.add('lock', sql.lockByIdSql(this.#table))
    return (await this.#find(statement, [id], false))[0]
  }

  /** Runs `work` in the current transaction, or else in a new one. */
  inTransaction<Result>(work: () => Promise<Result>): Promise<Result> {
    return this.#runner.inTransaction(work)
  }

  /**
   * The first row, by primary key, whose fields equal the values; `null` matches NULL.
   * @throws FwError `model.condition-undefined`, `model.column-unknown`
   */
  async findBy<V extends Conditions<C>>(
    values: V & CheckedConditions<C, V, object, T>,
  ): Promise<Row<C> | undefined> {
    const parameters: unknown[] = []
    let shape = 'by'
    for (const [key, value] of Object.entries(values)) {
      const field = this.#table.fieldOf(key)
      this.#table.checkCondition(field, value)
      shape += value === null ? ` ${field}?` : ` ${field}`
      if (value !== null) parameters.push(this.#table.toParameter(field, value))
    }
    const statement =
      this.#sql.get(shape) ?? this.#sql.add(shape, sql.firstBySql(this.#table, values))
    return (await this.#find(statement, parameters))[0]
  }

  /** The rows whose field equals one of `keys`, by primary key, with one query. */
  findAllByAny(name: string, keys: readonly unknown[]): Promise<Row<C>[]> {
    const field = this.#table.fieldOf(name)
    const shape = `any ${field}`
    const statement = this.#sql.get(shape) ?? this.#sql.add(shape, sql.byAnySql(this.#table, field))
    return this.#find(statement, [keys])
  }

  /** A page of all rows, by primary key. */
  async findPage({ page, size }: PageRequest): Promise<Row<C>[]> {
    const limit = Math.max(1, Math.trunc(size))
    const offset = (Math.max(1, Math.trunc(page)) - 1) * limit
    if (!Number.isSafeInteger(offset)) return []
    const statement = this.#sql.get('page') ?? this.#sql.add('page', sql.pageSql(this.#table))
    return this.#find(statement, [limit, offset])
  }

  /** See `ModelQuery.paginate`. */
  readonly paginate = ((request: never): Promise<unknown> =>
    this.query().paginate(request)) as ModelQuery<T, C>['paginate']

  async count(): Promise<number> {
    const statement = this.#sql.get('count') ?? this.#sql.add('count', sql.countSql(this.#table))
    return (await this.#runner.run<{ count: number }>(statement, [], true)).rows[0]!.count
  }

  /** See `ModelQuery.where`. */
  readonly where = ((...args: [never]) => this.query().where(...args)) as ModelQuery<T, C>['where']

  /** See `ModelQuery.include`: `Member.include({ country: memberCountry }).findAll()`. */
  include<R extends Relations<T>>(relations: R): ModelQuery<T, C, R> {
    return this.query().include(relations)
  }

  /**
   * Steps of a query with a name, for `ModelQuery.apply`: `Member.scope((members) => members.where({ isActive: true }))`. It
   * keeps the type of the query that it is applied to.
   */
  scope<R, Row>(steps: (query: ModelQuery<T, C>) => ModelQuery<T, C, R, Row>): Scope<T> {
    return { owner: this.table, steps: (query) => steps(query as never) as never }
  }

  /** A query for all rows, to which conditions, order, limits and relations can be added. */
  query(): ModelQuery<T, C> {
    return queryOf<T, C>(this.#runner)
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

  /** Inserts all rows or none with one statement, and returns them in the same order. */
  createAll(rows: readonly (PermittedValues & NewRow<C>)[]): Promise<Row<C>[]> {
    return this.#writer.insertAll(rows) as Promise<Row<C>[]>
  }

  /**
   * Inserts a row, or updates the one with the same unique key: `upsert(values, { by: 'email' })`. Returns the row.
   * @throws QueryError if no unique constraint has the fields of `by`
   */
  upsert(attributes: PermittedValues & NewRow<C>, options: UpsertOptions<C>): Promise<Row<C>> {
    return this.#writer.upsert(attributes, options) as Promise<Row<C>>
  }

  /** Inserts a row, unless one with the same unique key is there; returns the row in both cases. */
  createUnlessThere(
    attributes: PermittedValues & NewRow<C>,
    key: UniqueKey<C>,
  ): Promise<{ readonly row: Row<C>; readonly isNew: boolean }> {
    return this.#writer.insertUnlessThere(attributes, key) as never
  }

  /** `Member.updateById(id).withPermittedAttributes(permitted)` returns the number of changed rows, 0 or 1. */
  updateById(id: IdOf<C, K>): {
    withPermittedAttributes(attributes: PermittedValues & SomeFields<C>): Promise<number>
  } {
    return { withPermittedAttributes: (attributes) => this.#writer.update(id, attributes) }
  }

  /**
   * Adds to a number and returns the new value, `undefined` without such a row. Concurrent calls all count. Changes neither
   * `updatedAt` nor the lock version.
   */
  increment<const F extends NumberFields<C>>(
    id: IdOf<C, K>,
    field: F,
    by: ParamValueOf<C[F]> | 1 = 1,
  ): Promise<ParamValueOf<C[F]> | undefined> {
    return this.#writer.increment(id, field, by) as Promise<ParamValueOf<C[F]> | undefined>
  }

  /** Sets `updatedAt` to the time of the database. Returns the number of changed rows, 0 or 1. */
  touch(id: IdOf<C, K>): Promise<number> {
    return this.#writer.touch(id)
  }

  /** Returns the number of deleted rows, 0 or 1; with `softDelete` the row is marked instead. */
  deleteById(id: IdOf<C, K>): Promise<number> {
    return this.#writer.delete(id)
  }

  refusals(error: unknown, values: PermittedValues): Promise<readonly FieldRefusal[] | undefined> {
    return findRefusals(this.#table, this.#database, error, values)
  }

  /** @throws FwError `model.read-only` */
  get #writer(): RecordWriter {
    this.#table.checkWritable()
    return this.#recordWriter
  }

  #find(
    statement: sql.PreparedSql,
    parameters: readonly unknown[],
    isRead = true,
  ): Promise<Row<C>[]> {
    return this.#runner.find(statement, parameters, isRead) as Promise<Row<C>[]>
  }
}

/** A read-only model, which has the finders of a table but no writes. */
import { FwError } from '../base.ts'
import type { ParamType, ParamValueOf } from '../params.ts'
import type { CheckedConditions, Columns, Conditions, RowOfColumns } from './column.ts'
import { startQuery } from './compile-query.ts'
import type { ModelOptions } from './model-options.ts'
import { ModelQuery, type PageRequest, type Relations, type Scope } from './model-query.ts'
import * as sql from './model-sql.ts'
import type { ReadOnlyResourceModel } from './resource-model.ts'
import { type PreparedSql, StatementRunner } from './statement-runner.ts'
import { Table } from './table.ts'
import { ModelView, type PartsOf, type ViewOf, type ViewOptions } from './view.ts'

/** The type of a model's primary key; `never` for a model without one. */
export type IdOf<C extends Columns, K extends string = 'id'> = K extends keyof C
  ? ParamValueOf<C[K]>
  : never

type Row<C extends Columns> = RowOfColumns<C>
type Query<T extends string, C extends Columns, R = object> = ModelQuery<T, C, R, Row<C>, boolean>

/** The members that all models have, independent of the type of their primary key. */
export interface Described<T extends string, C extends Columns> {
  readonly table: T
  readonly columns: C
  readonly primaryKey: string
}

/** The row type of a model. */
export type RowOf<M> = M extends Described<string, infer C> ? RowOfColumns<C> : never

const runners = new WeakMap<object, StatementRunner>()
/** Returns the runner of a model's statements; `undefined` for other objects. */
export const findRunner = (model: object): StatementRunner | undefined => runners.get(model)
export const runnerOf = (model: object): StatementRunner => findRunner(model)!

/**
 * A model that has only finders, for example of a database view. `model` returns it for the option `readOnly`. Rows are plain
 * objects.
 */
export class ReadOnlyModel<
  T extends string,
  C extends Columns,
  K extends string = string,
  H extends string = string,
> implements ReadOnlyResourceModel<Row<C>, IdOf<C, K>, H> {
  readonly table: T
  readonly primaryKey: string
  readonly #table: Table
  readonly #runner: StatementRunner

  constructor(table: T, columns: C, options: ModelOptions<C, K, H>) {
    this.table = table
    this.#table = new Table(table, columns, options)
    this.primaryKey = this.#table.primaryKey
    this.#runner = new StatementRunner(this.#table, options.database ?? 'default')
    runners.set(this, this.#runner)
  }

  /** The declared fields and their types. */
  get columns(): C {
    return this.#table.columns as C
  }

  /** The field of the option `lockVersion`. */
  get lockVersion(): string | undefined {
    return this.#table.lockVersion
  }

  /** The fields that the option `hidden` names. */
  get hiddenFields(): ReadonlySet<H> {
    return this.#table.hidden as ReadonlySet<H>
  }

  /**
   * Defines the output of rows: fields, computed members with their types, and relations with the views of their rows. Listing
   * a hidden field includes it in the output.
   */
  view<const F extends keyof C & keyof Row<C> & string, X = object, const V = object>(
    options: ViewOptions<T, C, F, X, V>,
  ): ModelView<Row<C>, ViewOf<Row<C>, F, X, V>, PartsOf<Row<C>, F, X, V>> {
    return new ModelView(this.#table, options as never)
  }

  /** Returns some fields with their types, for `permit` and forms: `params.permit(Member.pick('name', 'birthday'))`. */
  pick<const F extends keyof C & string>(...fields: readonly F[]): Pick<C, F> {
    const { columns } = this
    const entries = fields.map((field) => [field, columns[this.fieldOf(field) as F]] as const)
    return Object.fromEntries(entries) as unknown as Pick<C, F>
  }

  /** Returns the field with this name or with this column name. @throws FwError `model.column-unknown` */
  fieldOf(name: string): string {
    return this.#table.fieldOf(name)
  }

  /**
   * The type of the primary key.
   * @throws FwError `model.definition-invalid` for a model without a primary key
   */
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

  /** Returns all rows, ordered by primary key. */
  findAll(): Promise<Row<C>[]> {
    return this.#find(this.#runner.prepare('all', sql.allSql), [])
  }

  async findById(id: IdOf<C, K>): Promise<Row<C> | undefined> {
    return (await this.#find(this.#runner.prepare('id', sql.byIdSql), [id]))[0]
  }

  /** Runs `work` in the current transaction, or else in a new one. */
  inTransaction<Result>(work: () => Promise<Result>): Promise<Result> {
    return this.#runner.inTransaction(work)
  }

  /**
   * Returns the first row, by primary key, whose fields equal the values; `null` matches NULL.
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
    const statement = this.#runner.prepare<object>(shape, sql.firstBySql, values)
    return (await this.#find(statement, parameters))[0]
  }

  /** Returns the rows whose field equals one of `keys`, ordered by primary key, with one query. */
  findAllByAny(name: string, keys: readonly unknown[]): Promise<Row<C>[]> {
    const field = this.#table.fieldOf(name)
    return this.#find(this.#runner.prepare(`any ${field}`, sql.byAnySql, field), [keys])
  }

  /** Returns a page of all rows, ordered by primary key. */
  async findPage({ page, size }: PageRequest): Promise<Row<C>[]> {
    const limit = Math.max(1, Math.trunc(size))
    const offset = (Math.max(1, Math.trunc(page)) - 1) * limit
    if (!Number.isSafeInteger(offset)) return []
    return this.#find(this.#runner.prepare('page', sql.pageSql), [limit, offset])
  }

  /** See `ModelQuery.paginate`. */
  readonly paginate = ((request: never): Promise<unknown> =>
    this.query().paginate(request)) as Query<T, C>['paginate']

  async count(): Promise<number> {
    const statement = this.#runner.prepare('count', sql.countSql)
    return (await this.#runner.run<{ count: number }>(statement, [], true)).rows[0]!.count
  }

  /** See `ModelQuery.where`. */
  readonly where = ((...args: [never]) => this.query().where(...args)) as Query<T, C>['where']

  /** See `ModelQuery.include`: `Member.include({ country: memberCountry }).findAll()`. */
  include<R extends Relations<T>>(relations: R): Query<T, C, R> {
    return this.query().include(relations)
  }

  /**
   * Defines reusable query steps for `ModelQuery.apply`: `Member.scope((members) => members.where({ isActive: true }))`.
   * Applying a scope does not change the query's type.
   */
  scope<R, Row>(steps: (query: ModelQuery<T, C>) => ModelQuery<T, C, R, Row>): Scope<T> {
    return { owner: this.table, steps: (query) => steps(query as never) as never }
  }

  /** Returns a query for all rows, to which conditions, an order, limits and relations can be added. */
  query(): Query<T, C> {
    return new ModelQuery(startQuery(this.#runner))
  }

  #find(statement: PreparedSql, parameters: readonly unknown[]): Promise<Row<C>[]> {
    return this.#runner.find(statement, parameters, true) as Promise<Row<C>[]>
  }
}

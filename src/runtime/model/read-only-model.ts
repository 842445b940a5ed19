/** A read-only model, which has the finders of a table but no writes. */
import type { CheckedConditions, Columns, Conditions, RowOfColumns } from './column.ts'
import { startQuery } from './compile-query.ts'
import { type IdOf, ModelDescription } from './model-description.ts'
import { ModelQuery, type PageRequest, type Relations } from './model-query.ts'
import * as sql from './model-sql.ts'
import type { ReadOnlyResourceModel } from './resource-model.ts'
import type { PreparedSql, StatementRunner } from './statement-runner.ts'

type Row<C extends Columns> = RowOfColumns<C>
type Query<T extends string, C extends Columns, R = object> = ModelQuery<T, C, R, Row<C>, boolean>

/**
 * A model that has only finders, for example of a database view. `model` returns it for the option `readOnly`. Rows are plain
 * objects.
 */
export class ReadOnlyModel<
  T extends string,
  C extends Columns,
  K extends string = string,
  H extends string = string,
>
  extends ModelDescription<T, C, K, H>
  implements ReadOnlyResourceModel<Row<C>, IdOf<C, K>, H>
{
  readonly #runner: StatementRunner

  constructor(runner: StatementRunner) {
    super(runner)
    this.#runner = runner
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
    const { table } = this.#runner
    const parameters: unknown[] = []
    let shape = 'by'
    for (const [key, value] of Object.entries(values)) {
      const field = table.fieldOf(key)
      table.checkCondition(field, value)
      shape += value === null ? ` ${field}?` : ` ${field}`
      if (value !== null) parameters.push(table.toParameter(field, value))
    }
    const statement = this.#runner.prepare<object>(shape, sql.firstBySql, values)
    return (await this.#find(statement, parameters))[0]
  }

  /** Returns the rows whose field equals one of `keys`, ordered by primary key, with one query. */
  findAllByAny(name: string, keys: readonly unknown[]): Promise<Row<C>[]> {
    const field = this.fieldOf(name)
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
    const runner = this.#runner
    const statement = runner.prepare('count', sql.countSql)
    return (await runner.run<{ count: number }>(statement, runner.owner, true)).rows[0]!.count
  }

  /** See `ModelQuery.where`. */
  readonly where = ((...args: [never]) => this.query().where(...args)) as Query<T, C>['where']

  /** See `ModelQuery.include`: `Member.include({ country: memberCountry }).findAll()`. */
  include<R extends Relations<T>>(relations: R): Query<T, C, R> {
    return this.query().include(relations)
  }

  /** Returns a query for all rows, to which conditions, an order, limits and relations can be added. */
  query(): Query<T, C> {
    return new ModelQuery(startQuery(this.#runner))
  }

  #find(statement: PreparedSql, parameters: readonly unknown[]): Promise<Row<C>[]> {
    const runner = this.#runner
    return runner.find(statement, [...parameters, ...runner.owner], true) as Promise<Row<C>[]>
  }
}

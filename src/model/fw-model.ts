/** A model: a table's finders, and its writes, which take permitted values alone. */
import { FwError, HttpError } from '../base.ts'
import { currentDatabase, type Statement } from '../db.ts'
import { isPermitted, ParamType, type ParamValueOf, type PermittedValues } from '../params.ts'
import type { Columns, NewRow, RowOfColumns, SomeFields } from './column.ts'
import { ModelQuery, type PageRequest } from './model-query.ts'
import type { Included, Relations } from './relation.ts'
import type { ResourceModel } from './resource-model.ts'
import { type CachedSql, SqlCache } from './sql-cache.ts'
import { Table, type TableOptions } from './table.ts'
import { insertSql, updateSql } from './write-sql.ts'

export interface ModelOptions<C extends Columns, K extends string> extends TableOptions {
  readonly primaryKey?: K
  readonly lockVersion?: keyof C & string
  readonly softDelete?: keyof C & string
  /** A named database, as `useDatabase` knows it; `default` when absent. */
  readonly database?: string
}

/** The type of a model's primary key; `never` where it has none. */
export type IdOf<C extends Columns, K extends string = 'id'> = K extends keyof C ? ParamValueOf<C[K]> : never

type Row<C extends Columns> = RowOfColumns<C>

/**
 * `export const Member = model('members', { id: ParamType.Long, name: ParamType.String, countryId: ParamType.optional(ParamType.Long) })`
 * and `export type Member = RowOf<typeof Member>`. Fields are camel case, columns snake case. `createdAt` and `updatedAt`
 * are filled, on the database's clock, where they are declared.
 * @spec Resources › model
 */
export function model<const T extends string, const C extends Columns, const K extends keyof C & string = 'id' & keyof C>(
  table: T,
  columns: C,
  options: ModelOptions<C, K> = {},
): FwModel<T, C, K> {
  return new FwModel<T, C, K>(table, columns, options)
}

/** The row type of a model. */
export type RowOf<M> = M extends FwModel<infer _T, infer C, infer _K> ? RowOfColumns<C> : never

export class FwModel<T extends string, C extends Columns, K extends string = string>
  implements ResourceModel<Row<C>, IdOf<C, K>>
 {
  readonly table: T
  readonly primaryKey: string
  readonly #table: Table
  readonly #database: string
  readonly #cache: SqlCache
  readonly #living: string

  constructor(table: T, columns: C, options: ModelOptions<C, K>) {
    this.table = table
    this.#table = new Table(table, columns, options)
    this.primaryKey = this.#table.primaryKey
    this.#database = options.database ?? 'default'
    this.#cache = new SqlCache(table)
    const { softDelete } = this.#table
    this.#living = softDelete === undefined ? '' : ` and ${this.#table.column(softDelete)} is null`
  }

  /** @throws FwError `model.definition-invalid` where the model has no primary key */
  get idType(): ParamType<IdOf<C, K>> {
    const type = this.#table.columns[this.primaryKey]
    if (type) return type as ParamType<IdOf<C, K>>
    throw new FwError('model.definition-invalid', `The model of '${this.table}' declares no '${this.primaryKey}': name its primaryKey.`)
  }

  idOf(row: Row<C>): IdOf<C, K> {
    return (row as Record<string, unknown>)[this.primaryKey] as IdOf<C, K>
  }

  /** Every row, by primary key. */
  async findAll(): Promise<Row<C>[]> {
    const order = this.#table.has(this.primaryKey) ? ` order by ${this.#table.column(this.primaryKey)}` : ''
    return this.#rows(this.#cache.get('all', () => `${this.#select()}${order}`), [])
  }

  async findById(id: IdOf<C, K>): Promise<Row<C> | undefined> {
    const cached = this.#cache.get('id', () => `${this.#select()} and ${this.#table.column(this.primaryKey)} = $1`)
    return (await this.#rows(cached, [id]))[0]
  }

  /** The first row, by primary key, whose fields equal the values given; `undefined` asks for NULL. */
  async findBy(values: SomeFields<C>): Promise<Row<C> | undefined> {
    const parameters: unknown[] = []
    let shape = ''
    for (const [key, value] of Object.entries(values)) {
      const field = this.#table.fieldOf(key)
      if (value === undefined) shape += `${field}?`
      else {
        shape += `${field}=`
        parameters.push(this.#table.parameter(field, value))
      }
    }
    return (await this.#rows(this.#cache.get(`by ${shape}`, () => this.#findBySql(values)), parameters))[0]
  }

  /** The rows whose field is any of `keys`, by primary key; one query. */
  async findAllByAny(field: string, keys: readonly unknown[]): Promise<Row<C>[]> {
    const column = this.#table.column(this.#table.fieldOf(field))
    const order = this.#table.has(this.primaryKey) ? ` order by ${this.#table.column(this.primaryKey)}` : ''
    return this.#rows(this.#cache.get(`any ${field}`, () => `${this.#select()} and ${column} = any($1)${order}`), [keys])
  }

  /** A page of all rows, by primary key. */
  async findPage({ page, size }: PageRequest): Promise<Row<C>[]> {
    const limit = Math.max(1, Math.trunc(size))
    const offset = (Math.max(1, Math.trunc(page)) - 1) * limit
    if (!Number.isSafeInteger(offset)) return []
    const order = this.#table.column(this.primaryKey)
    return this.#rows(this.#cache.get('page', () => `${this.#select()} order by ${order} limit $1 offset $2`), [limit, offset])
  }

  async count(): Promise<number> {
    const cached = this.#cache.get('count', () => `select count(*) as "count" from ${this.#table.quoted} where true${this.#living}`)
    const { rows } = await currentDatabase(this.#database).query<{ count: number }>(statement(cached, []))
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
   * Inserts a row and gives its primary key.
   * @throws FwError `model.not-permitted` where the values did not come out of `permit`; QueryError
   * @spec Validation DSL › createWithPermittedAttributes
   */
  async createWithPermittedAttributes(attributes: PermittedValues & NewRow<C>): Promise<IdOf<C, K>> {
    const entries = this.#permitted(attributes)
    const cached = this.#cache.get(`insert ${shapeOf(entries)}`, () => insertSql(this.#table, entries.map(([field]) => field)))
    const { rows } = await currentDatabase(this.#database).query<{ id: IdOf<C, K> }>(statement(cached, valuesOf(entries)))
    return rows[0]!.id
  }

  /** `Member.updateById(id).withPermittedAttributes(permitted)` gives the number of rows changed: 0 or 1. */
  updateById(id: IdOf<C, K>): { withPermittedAttributes(attributes: PermittedValues & SomeFields<C>): Promise<number> } {
    return { withPermittedAttributes: (attributes) => this.#update(id, this.#permitted(attributes)) }
  }

  /** The number of rows deleted, 0 or 1; with `softDelete` the row is marked instead. */
  async deleteById(id: IdOf<C, K>): Promise<number> {
    const { softDelete, quoted } = this.#table
    const key = `${this.#table.column(this.primaryKey)} = $1`
    const cached = this.#cache.get('delete', () =>
      softDelete === undefined
        ? `delete from ${quoted} where ${key}`
        : `update ${quoted} set ${this.#table.column(softDelete)} = clock_timestamp() where ${key}${this.#living}`,
    )
    return (await currentDatabase(this.#database).query(statement(cached, [id]))).count
  }

  async #update(id: IdOf<C, K>, entries: Entries): Promise<number> {
    const { lockVersion } = this.#table
    const expected = entries.find(([field]) => field === lockVersion)
    const written = entries.filter((entry) => entry !== expected)
    const locked = expected !== undefined
    const fields = written.map(([field]) => field)
    const cached = this.#cache.get(`update ${locked} ${shapeOf(written)}`, () => updateSql(this.#table, fields, locked, this.#living))
    const parameters = [id, ...valuesOf(written), ...(expected ? [expected[1]] : [])]
    const { count } = await currentDatabase(this.#database).query(statement(cached, parameters))
    if (count === 0 && locked && (await this.findById(id))) throw this.#changed()
    return count
  }

  #changed(): HttpError {
    return new HttpError(409, 'model.row-changed', 'Someone else has changed this meanwhile. Load it again, then repeat the change.')
  }

  #permitted(attributes: unknown): Entries {
    if (!isPermitted(attributes)) {
      throw new FwError(
        'model.not-permitted',
        `The model of '${this.table}' writes permitted values alone: give it what params.permit(…) or permitValues(…) returned, not a copy.`,
      )
    }
    return Object.entries(attributes).map(([key, value]) => {
      const field = this.#table.fieldOf(key)
      return [field, this.#table.parameter(field, value)] as const
    })
  }

  #findBySql(values: SomeFields<C>): string {
    let parameter = 0
    const conditions = Object.entries(values).map(([key, value]) => {
      const column = this.#table.column(this.#table.fieldOf(key))
      return value === undefined ? ` and ${column} is null` : ` and ${column} = $${++parameter}`
    })
    const order = this.#table.has(this.primaryKey) ? ` order by ${this.#table.column(this.primaryKey)}` : ''
    return `${this.#select()}${conditions.join('')}${order} limit 1`
  }

  #select(): string {
    return `select ${this.#table.selection} from ${this.#table.quoted} where true${this.#living}`
  }

  async #rows(cached: CachedSql, parameters: readonly unknown[]): Promise<Row<C>[]> {
    const { rows } = await currentDatabase(this.#database).query(statement(cached, parameters))
    for (let i = 0; i < rows.length; i++) this.#table.row(rows[i]!)
    return rows as Row<C>[]
  }
}

type Entries = readonly (readonly [field: string, value: unknown])[]

function shapeOf(entries: Entries): string {
  return entries.map(([field]) => field).join(' ')
}

function valuesOf(entries: Entries): unknown[] {
  return entries.map(([, value]) => value)
}

function statement({ sql, name }: CachedSql, parameters: readonly unknown[]): Statement {
  return name === undefined ? { sql, parameters } : { sql, name, parameters }
}

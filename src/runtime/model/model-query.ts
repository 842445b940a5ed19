/** A query of a model, built step by step and run by a finder: `Member.where('name', 'like', 'A%').findAll()`. */
import type {
  ColumnNode,
  IdentifierNode,
  ComparisonOperatorExpression,
  CompiledQuery,
  Expression,
  ExpressionBuilder,
  Kysely,
  OperandValueExpressionOrList,
  SelectQueryBuilder,
  SelectQueryNode,
  SqlBool,
} from 'kysely'
import {
  addCallSite,
  createKysely,
  currentDatabase,
  isPlainSelectBeforeLast,
  loadKysely,
} from '../db.ts'
import type { ParamValueOf } from '../params.ts'
import type { CheckedConditions, Columns, Conditions, RowOfColumns } from './column.ts'
import type { SortKey } from './key-order.ts'
import { keyListOf, type LooseBuilder, type LooseTables } from './key-list-query.ts'
import { findKeyPage, type KeyList, type KeyPage, type KeyPageRequest } from './key-page.ts'
import type { Table } from './table.ts'

/** A model's fields as Kysely's column types, in which NULL is `null`. */
export type KyselyTables<T extends string, C extends Columns> = {
  [K in T]: {
    [F in keyof C]: undefined extends RowOfColumns<C>[F & keyof RowOfColumns<C>]
      ? ParamValueOf<C[F]> | null
      : ParamValueOf<C[F]>
  }
}

type Builder<T extends string, C extends Columns> = SelectQueryBuilder<
  KyselyTables<T, C>,
  T,
  object
>

/** A page of rows by its number. */
export interface PageRequest {
  /** From 1; smaller numbers mean 1. */
  readonly page: number
  /** Rows per page; smaller numbers than 1 mean 1. */
  readonly size: number
}

/** The rows of a numbered page. */
export interface NumberedPage<Row> {
  readonly rows: readonly Row[]
  /** The number of all rows. */
  readonly total: number
  readonly totalPages: number
}

/** Loads related rows with one query. `T` is the table of the rows, `Value` the type of the loaded member. */
export interface Relation<T extends string, Value> {
  readonly owner: T
  /** Sets the member `name` of each row. */
  attach(rows: readonly Record<string, unknown>[], name: string): Promise<void>
  /** Exists only as a type. */
  readonly value?: Value
}

/** Member name to relation. */
export type Relations<T extends string> = Readonly<Record<string, Relation<T, unknown>>>

/** The members that `include` adds to a row. */
export type Included<R> = {
  readonly [K in keyof R]: R[K] extends Relation<string, infer Value> ? Value : never
}

interface QueryState<T extends string> {
  readonly builder: LooseBuilder
  readonly relations: Relations<T>
  readonly withDeleted: boolean
  readonly order: readonly SortKey[]
}

/** Immutable: each step returns a new query. Leaves softly deleted rows out, except after `withDeleted`. */
export class ModelQuery<T extends string, C extends Columns, Extra extends object = object> {
  readonly #table: Table
  readonly #database: string
  readonly #state: QueryState<T>

  constructor(table: Table, database: string, state?: QueryState<T>) {
    this.#table = table
    this.#database = database
    this.#state = state ?? {
      builder: compilerFor(table).selectFrom(kyselyName(table)),
      relations: {},
      withDeleted: false,
      order: [],
    }
  }

  /** Any condition of Kysely: `(eb) => eb.or([eb('a', '=', 1), eb('b', '=', 2)])`. */
  where(
    condition: (eb: ExpressionBuilder<KyselyTables<T, C>, T>) => Expression<SqlBool>,
  ): ModelQuery<T, C, Extra>
  /** One of Kysely's comparisons. `=` and `!=` with `null` match NULL; an empty list matches no row. */
  where<const F extends keyof C & string>(
    field: F,
    operator: ComparisonOperatorExpression,
    value: OperandValueExpressionOrList<KyselyTables<T, C>, T, F>,
  ): ModelQuery<T, C, Extra>
  // Keep this overload last: TypeScript reports the last overload's error, which here names the unknown field.
  /**
   * Fields that equal the values; `null` matches NULL.
   * @throws FwError `model.condition-undefined`, `model.column-unknown`
   */
  where<V extends Conditions<C>>(values: V & CheckedConditions<C, V>): ModelQuery<T, C, Extra>
  where(first: unknown, operator?: unknown, value?: unknown): ModelQuery<T, C, Extra> {
    let { builder } = this.#state
    if (typeof first === 'function') builder = builder.where(first as never)
    else if (typeof first === 'string') builder = this.#compare(builder, first, operator, value)
    else
      for (const [field, expected] of Object.entries(first as object))
        builder = this.#compare(builder, field, '=', expected)
    return this.#with({ builder })
  }

  // Without an alias for `keyof C & string`: a compiler error would show the alias instead of the fields.
  orderBy(field: keyof C & string, direction: 'asc' | 'desc' = 'asc'): ModelQuery<T, C, Extra> {
    const builder = this.#state.builder.orderBy(this.#reference(field), direction)
    return this.#with({ builder, order: [...this.#state.order, { field, direction }] })
  }

  limit(rows: number): ModelQuery<T, C, Extra> {
    return this.#with({ builder: this.#state.builder.limit(rows) })
  }

  offset(rows: number): ModelQuery<T, C, Extra> {
    return this.#with({ builder: this.#state.builder.offset(rows) })
  }

  /** Loads related rows into members of these names, with one more query per relation. */
  include<R extends Relations<T>>(relations: R): ModelQuery<T, C, Extra & Included<R>> {
    const all = { ...this.#state.relations, ...relations }
    return this.#with({ relations: all }) as unknown as ModelQuery<T, C, Extra & Included<R>>
  }

  /** Includes softly deleted rows. */
  withDeleted(): ModelQuery<T, C, Extra> {
    return this.#with({ withDeleted: true })
  }

  /** Changes Kysely's builder: joins, groups, locks (`(q) => q.forUpdate()`). */
  modify(change: (builder: Builder<T, C>) => Builder<T, C>): ModelQuery<T, C, Extra> {
    return this.#with({ builder: change(this.#state.builder) })
  }

  /** All rows, by primary key unless `orderBy` was called. */
  async findAll(): Promise<(RowOfColumns<C> & Extra)[]> {
    const { primaryKey } = this.#table
    let builder = this.#notDeleted()
    if (this.#state.order.length === 0 && this.#table.has(primaryKey))
      builder = builder.orderBy(this.#reference(primaryKey))
    return this.#attach(await this.#findRows(builder))
  }

  /** Loads the relations of `include` into the rows. */
  async #attach(rows: Record<string, unknown>[]): Promise<(RowOfColumns<C> & Extra)[]> {
    if (rows.length > 0)
      await Promise.all(
        Object.entries(this.#state.relations).map(([name, relation]) =>
          relation.attach(rows, name),
        ),
      )
    return rows as (RowOfColumns<C> & Extra)[]
  }

  async findFirst(): Promise<(RowOfColumns<C> & Extra) | undefined> {
    return (await this.limit(1).findAll())[0]
  }

  async findPage({ page, size }: PageRequest): Promise<(RowOfColumns<C> & Extra)[]> {
    const rows = Math.max(1, Math.trunc(size))
    const offset = (Math.max(1, Math.trunc(page)) - 1) * rows
    return Number.isSafeInteger(offset) ? this.limit(rows).offset(offset).findAll() : []
  }

  /**
   * A page with its number costs more the later it is, because the database reads all rows before it. A page by key costs
   * the same everywhere, if an index has the columns of the order and then the primary key.
   * @throws HttpError 400 `model.cursor-invalid`; FwError `model.order-invalid`
   */
  paginate(request: PageRequest): Promise<NumberedPage<RowOfColumns<C> & Extra>>
  paginate(request: KeyPageRequest): Promise<KeyPage<RowOfColumns<C> & Extra>>
  async paginate(request: PageRequest | KeyPageRequest): Promise<unknown> {
    if (!('page' in request)) return findKeyPage(this.#keyList(request), request)
    const [rows, total] = await Promise.all([this.findPage(request), this.count()])
    return { rows, total, totalPages: Math.ceil(total / Math.max(1, Math.trunc(request.size))) }
  }

  #keyList(request: KeyPageRequest): KeyList<RowOfColumns<C> & Extra> {
    const query = {
      table: this.#table,
      order: this.#state.order,
      builder: this.#notDeleted(),
      reference: (field: string) => this.#reference(field),
      compare: (builder: LooseBuilder, field: string, value: unknown) =>
        this.#compare(builder, field, '=', value),
      findRows: (builder: LooseBuilder) => this.#findRows(builder),
      attach: (rows: Record<string, unknown>[]) => this.#attach(rows),
      wrap: (builder: LooseBuilder) =>
        compilerFor(this.#table).selectFrom(builder.as('counted')) as LooseBuilder,
      count: (builder: LooseBuilder) => this.#countRows(builder),
    }
    return keyListOf(query, request)
  }

  async count(): Promise<number> {
    return this.#countRows(this.#notDeleted().clearOrderBy())
  }

  async #countRows(builder: LooseBuilder): Promise<number> {
    const counted = builder.select(loadKysely().sql`count(*) as "count"` as never)
    return (await this.#send<{ count: number }>(counted.compile()))[0]!.count
  }

  async exists(): Promise<boolean> {
    const builder = this.#notDeleted().clearOrderBy().limit(1)
    const found = builder.select(loadKysely().sql`1 as "one"` as never)
    return (await this.#send(found.compile())).length > 0
  }

  /** `modify` may have selected further columns; without names they could not be told apart. */
  async #findRows(builder: LooseBuilder): Promise<Record<string, unknown>[]> {
    const selection = loadKysely().sql.raw(this.#table.selection)
    const compiled = builder.select(selection as never).compile()
    const { selections } = compiled.query as SelectQueryNode
    if (selections?.length === 1)
      return this.#table.createRows(await this.#send<unknown[]>(compiled, true))
    const rows = await this.#send(compiled)
    for (const row of rows) this.#table.toRow(row)
    return rows
  }

  async #send<R = Record<string, unknown>>(
    { sql, parameters, query }: CompiledQuery,
    asArrays = false,
  ): Promise<R[]> {
    const database = currentDatabase(this.#database)
    const mayWait = database.currentTransaction()?.begun === false
    const isRead = mayWait && isPlainSelectBeforeLast(query)
    try {
      return (await database.query<R>({ sql, parameters, isRead, asArrays })).rows
    } catch (error) {
      throw addCallSite(error)
    }
  }

  #compare(builder: LooseBuilder, name: string, operator: unknown, value: unknown): LooseBuilder {
    const field = this.#reference(name)
    this.#table.checkCondition(name, value)
    if (value === null && operator === '=') return builder.where(field, 'is', null)
    if (value === null && operator === '!=') return builder.where(field, 'is not', null)
    return builder.where(field, operator as '=', value)
  }

  #notDeleted(): LooseBuilder {
    const { softDelete } = this.#table
    const { builder, withDeleted } = this.#state
    if (softDelete === undefined || withDeleted) return builder
    return builder.where(this.#reference(softDelete), 'is', null)
  }

  /** With the table's name, so that a join makes no column ambiguous. */
  #reference(field: string): string {
    return `${kyselyName(this.#table)}.${this.#table.fieldOf(field)}`
  }

  #with(change: Partial<QueryState<T>>): ModelQuery<T, C, Extra> {
    return new ModelQuery<T, C, Extra>(this.#table, this.#database, { ...this.#state, ...change })
  }
}

const compilers = new WeakMap<Table, Kysely<LooseTables>>()

/** Replaces a dot inside a name, because Kysely splits texts at dots. A private-use character. */
const dot = '\uE000'

const kyselyName = ({ path }: Table): string =>
  path.map((name) => name.replaceAll('.', dot)).join('.')

/** A Kysely that compiles queries with the field names of a table and never runs them. */
function compilerFor(table: Table): Kysely<LooseTables> {
  const known = compilers.get(table)
  if (known !== undefined) return known
  const { HandleEmptyInListsPlugin, OperationNodeTransformer, replaceWithNoncontingentExpression } =
    loadKysely()
  class ColumnTransformer extends OperationNodeTransformer {
    protected override transformColumn(node: ColumnNode): ColumnNode {
      const { column } = node
      return { ...node, column: { ...column, name: table.columnName(column.name) } }
    }
    protected override transformIdentifier(node: IdentifierNode): IdentifierNode {
      return node.name.includes(dot) ? { ...node, name: node.name.replaceAll(dot, '.') } : node
    }
  }
  const transformer = new ColumnTransformer()
  const compiler = createKysely<LooseTables>()
    .withPlugin({
      transformQuery: ({ node }) => transformer.transformNode(node),
      transformResult: async ({ result }) => result,
    })
    .withPlugin(new HandleEmptyInListsPlugin({ strategy: replaceWithNoncontingentExpression }))
  compilers.set(table, compiler)
  return compiler
}

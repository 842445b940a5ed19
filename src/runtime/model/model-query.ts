/** A query of a model, built step by step and run by a finder: `Member.where('name', 'like', 'A%').findAll()`. */
import type {
  ComparisonOperatorExpression,
  Expression,
  ExpressionBuilder,
  OperandValueExpressionOrList,
  SelectQueryBuilder,
  SqlBool,
} from 'kysely'
import type { ParamValueOf, PermittedValues } from '../params.ts'
import { aggregateRows, countRowsBy } from './aggregate.ts'
import { deleteRows, updateRows } from './bulk-write.ts'
import type {
  CheckedConditions,
  Columns,
  Conditions,
  NumericFields,
  RowOfColumns,
  SomeFields,
} from './column.ts'
import {
  compileSelect,
  isConditional,
  orderedRows,
  referenceOf,
  RowSelection,
  runSelect,
  startQuery,
  visibleRows,
  whereField,
  whereRelated,
  whereValues,
  type Attachable,
  type QueryState,
  type RelatedCondition,
} from './compile-query.ts'
import {
  attachRelated,
  relatedCondition,
  shareScope,
  type RelationParts,
  type WithRelated,
} from './include.ts'
import { countRows, findPageOf, type KeyPage, type KeyPageRequest } from './key-page.ts'
import { readRows, type CursorOptions } from './database-cursor.ts'
import type { StatementRunner } from './statement-runner.ts'
import { searchRows, type SearchOptions } from './text-search.ts'

/** The fields of a model as Kysely's column types, in which NULL is `null`. */
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

/** The request for a page by its number. */
export interface PageRequest {
  /** The page number, from 1; smaller numbers mean 1. */
  readonly page: number
  /** The number of rows per page; numbers below 1 mean 1. */
  readonly size: number
}

/** The rows of a numbered page. */
export interface NumberedPage<Row> {
  readonly rows: readonly Row[]
  /** The number of rows on all pages. */
  readonly total: number
  readonly totalPages: number
}

/** A relation of the table `T` to rows with the columns `D`. */
interface RelationOf<T extends string, D = unknown, U = unknown> extends Attachable {
  readonly owner: T
  readonly targetTable: U
  readonly targetColumns: D
}

/** Maps member names to relations. */
export type Relations<T extends string> = Readonly<Record<string, RelationOf<T>>>

/** Reusable steps for queries of the table `T`; created by `FwModel.scope`. */
export interface Scope<T extends string> {
  readonly owner: T
  readonly steps: <Q>(query: Q) => Q
}

/** The compiler's error shows this type with its argument, the table's name. */
interface TheModelIsReadOnly<_Table> {
  readonly message: 'The model has the option readOnly.'
}

/** The type of `this` in a write; the model's table must be writable. */
type Writable<W, T> = boolean extends W ? TheModelIsReadOnly<T> : unknown

let readState: (query: object) => QueryState

/**
 * An immutable query: each step returns a new query. Excludes softly deleted rows, except after `withDeleted`. `R` has the
 * included relations, `Row` the selected fields; `W` is `true` for a writable model.
 */
export class ModelQuery<
  T extends string,
  C extends Columns,
  R = object,
  Row = RowOfColumns<C>,
  W extends boolean = true,
> {
  static {
    readState = (query) => (query as ModelQuery<string, Columns>).#state
  }
  readonly #state: QueryState

  constructor(state: QueryState) {
    this.#state = state
  }

  /** Adds any condition of Kysely: `(eb) => eb.or([eb('a', '=', 1), eb('b', '=', 2)])`. */
  where(
    condition: (eb: ExpressionBuilder<KyselyTables<T, C>, T>) => Expression<SqlBool>,
  ): ModelQuery<T, C, R, Row, W>
  /** Adds the condition that a related row has these values: `Member.where(memberCountry, { name: 'Japan' })`. */
  where<D extends Columns, V extends Conditions<D>, U extends string>(
    relation: RelationOf<T, D, U>,
    values?: V & CheckedConditions<D, V, object, U>,
  ): ModelQuery<T, C, R, Row, W>
  /** Adds one of Kysely's comparisons. `=` and `!=` with `null` match NULL; `in` with an empty list matches no row. */
  where<const F extends keyof C & string>(
    field: F,
    operator: ComparisonOperatorExpression,
    value: OperandValueExpressionOrList<KyselyTables<T, C>, T, F>,
  ): ModelQuery<T, C, R, Row, W>
  // Keep this overload last: TypeScript reports the last overload's error, which here names the unknown field.
  /**
   * Adds the condition that fields equal the values; `null` matches NULL. The name of an included relation takes conditions on
   * its rows.
   * @throws FwError `model.condition-undefined`, `model.column-unknown`
   */
  where<V extends Conditions<C, R>>(
    values: V & CheckedConditions<C, V, R, T>,
  ): ModelQuery<T, C, R, Row, W>
  where(first: unknown, operator?: unknown, value?: unknown): ModelQuery<T, C, R, Row, W> {
    let { builder } = this.#state
    if (typeof first === 'function') builder = builder.where(first as never)
    else if (isConditional(first)) builder = whereRelated(builder, this.#state, first, operator)
    else if (typeof first === 'string')
      builder = whereField(builder, this.#state, [first, operator, value])
    else builder = whereValues(this.#state, first as object)
    return this.#with({ builder })
  }

  // Do not use an alias for `keyof C & string`: a compiler error would show the alias instead of the fields.
  orderBy(field: keyof C & string, direction: 'asc' | 'desc' = 'asc'): ModelQuery<T, C, R, Row, W> {
    const { builder, runner, order, isAllRows } = this.#state
    return this.#with({
      isAllRows,
      builder: builder.orderBy(referenceOf(runner.table, field), direction),
      order: [...order, { field, direction }],
      isOrdered: true,
    })
  }

  limit(rows: number): ModelQuery<T, C, R, Row, W> {
    return this.#with({ builder: this.#state.builder.limit(rows), isLimited: true })
  }

  offset(rows: number): ModelQuery<T, C, R, Row, W> {
    return this.#with({ builder: this.#state.builder.offset(rows), isLimited: true })
  }

  /** Selects only these fields of the rows. */
  select<const F extends keyof C & keyof Row & string>(
    ...fields: readonly F[]
  ): ModelQuery<T, C, R, Pick<Row, F>, W> {
    const known = fields.map((field) => this.#state.runner.table.fieldOf(field))
    return this.#with({ fields: known })
  }

  /** Removes duplicates: returns rows with equal selected fields only once. */
  distinct(): ModelQuery<T, C, R, Row, W> {
    return this.#with({ isDistinct: true })
  }

  /** Loads related rows into members with these names. Sends one more statement per relation and level. */
  include<S extends Relations<T>>(relations: S): ModelQuery<T, C, R & S, Row, W> {
    const all = { ...this.#state.relations, ...relations }
    const { isPlain, isAllRows } = this.#state
    return this.#with({ relations: all, isPlain, isAllRows }) as never
  }

  /** Adds the steps of scopes to the query: `Member.query().apply(adults, livingIn('Japan'))`. See `FwModel.scope`. */
  apply(...scopes: readonly Scope<T>[]): ModelQuery<T, C, R, Row, W> {
    return scopes.reduce<ModelQuery<T, C, R, Row, W>>((query, { steps }) => steps(query), this)
  }

  /**
   * Restricts the query to rows whose fields together contain the words of `text`, by PostgreSQL's full-text search. The best
   * matches come first, unless the query has an order.
   */
  search(
    fields: readonly (keyof C & string)[],
    text: string,
    options: SearchOptions = {},
  ): ModelQuery<T, C, R, Row, W> {
    return this.#with({ builder: searchRows(this.#state, fields, text, options), isOrdered: true })
  }

  /** Includes softly deleted rows. */
  withDeleted(): ModelQuery<T, C, R, Row, W> {
    return this.#with({ withDeleted: true })
  }

  /** Changes Kysely's builder: joins, groups, locks (`(q) => q.forUpdate()`). */
  modify(change: (builder: Builder<T, C>) => Builder<T, C>): ModelQuery<T, C, R, Row, W> {
    return this.#with({ builder: change(this.#state.builder) })
  }

  /** Returns all rows, ordered by primary key unless the query has an order. */
  async findAll(): Promise<WithRelated<Row, R>[]> {
    const selection = new RowSelection(this.#state)
    const rows = await selection.findComplete(selection.compile(orderedRows(this.#state)))
    return rows as WithRelated<Row, R>[]
  }

  async findFirst(): Promise<WithRelated<Row, R> | undefined> {
    return (await this.limit(1).findAll())[0]
  }

  async findPage({ page, size }: PageRequest): Promise<WithRelated<Row, R>[]> {
    const rows = Math.max(1, Math.trunc(size))
    const offset = (Math.max(1, Math.trunc(page)) - 1) * rows
    return Number.isSafeInteger(offset) ? this.limit(rows).offset(offset).findAll() : []
  }

  /**
   * Returns a page by number or by key. Later numbered pages are slower, because the database reads all rows before the page.
   * Pages by key are equally fast if an index has the order's columns followed by the primary key.
   * @throws HttpError 400 `model.cursor-invalid`; FwError `model.order-invalid`
   */
  paginate(request: PageRequest): Promise<NumberedPage<WithRelated<Row, R>>>
  paginate(request: KeyPageRequest): Promise<KeyPage<WithRelated<Row, R>>>
  async paginate(request: PageRequest | KeyPageRequest): Promise<unknown> {
    if (!('page' in request)) return findPageOf(this.#state, request)
    const [rows, total] = await Promise.all([this.findPage(request), this.count()])
    return { rows, total, totalPages: Math.ceil(total / Math.max(1, Math.trunc(request.size))) }
  }

  /**
   * Yields the rows one by one, for exports of any size. A database cursor reads them in batches; all rows come from the same
   * snapshot.
   */
  stream(options: CursorOptions = {}): AsyncGenerator<WithRelated<Row, R>, void, undefined> {
    return readRows(this.#state, options) as never
  }

  /** Returns the values of one field. */
  async pluck<const F extends keyof Row & keyof C & string>(field: F): Promise<Row[F][]> {
    const rows = (await this.#with({ fields: [field], relations: {} }).findAll()) as Row[]
    return rows.map((row) => row[field])
  }

  /** Returns the number of rows; after `distinct`, the number of different rows. */
  async count(): Promise<number> {
    const state = this.#state
    const builder = visibleRows(state).clearOrderBy()
    if (state.isDistinct !== true) return countRows(state, builder)
    const rows = new RowSelection({ ...state, relations: {} }).compile(builder)
    const sql = `select count(*) as "count" from (${rows.sql}) as "fw_rows"`
    return (await runSelect(state, { ...rows, sql }))[0]!['count'] as number
  }

  /** Returns a map from each value of a field to the number of rows with it, in the order of the values. */
  countBy<const F extends keyof Row & keyof C & string>(field: F): Promise<Map<Row[F], number>> {
    return countRowsBy(this.#state, field) as Promise<Map<Row[F], number>>
  }

  /** Returns the sum of a field; 0 without rows. @throws FwError `db.value-out-of-range` */
  sum<const F extends NumericFields<C>>(field: F): Promise<ParamValueOf<C[F]>> {
    return aggregateRows(this.#state, 'sum', field) as Promise<ParamValueOf<C[F]>>
  }

  /** Returns the mean of a field; `undefined` without values. */
  average(field: NumericFields<C>): Promise<number | undefined> {
    return aggregateRows(this.#state, 'avg', field) as Promise<number | undefined>
  }

  /** Returns the smallest value of a field; `undefined` without values. */
  min<const F extends keyof C & string>(field: F): Promise<ParamValueOf<C[F]> | undefined> {
    return aggregateRows(this.#state, 'min', field) as Promise<ParamValueOf<C[F]> | undefined>
  }

  /** Returns the largest value of a field; `undefined` without values. */
  max<const F extends keyof C & string>(field: F): Promise<ParamValueOf<C[F]> | undefined> {
    return aggregateRows(this.#state, 'max', field) as Promise<ParamValueOf<C[F]> | undefined>
  }

  async exists(): Promise<boolean> {
    const builder = visibleRows(this.#state).clearOrderBy().limit(1)
    const rows = await runSelect(this.#state, compileSelect(this.#state, builder, '1 as "one"'))
    return rows.length > 0
  }

  /**
   * Updates all rows of the query with one statement and returns the number of updated rows. Hooks do not run.
   * @throws FwError `model.not-permitted`
   */
  updateAll(this: Writable<W, T>, attributes: PermittedValues & SomeFields<C>): Promise<number> {
    return updateRows(readState(this as object), attributes)
  }

  /**
   * Deletes all rows of the query with one statement and returns the number of deleted rows. With `softDelete`, marks the rows
   * as deleted instead.
   */
  deleteAll(this: Writable<W, T>): Promise<number> {
    return deleteRows(readState(this as object))
  }

  #with(change: Partial<QueryState>): ModelQuery<T, C, R, Row, W> {
    return new ModelQuery<T, C, R, Row, W>({
      ...this.#state,
      isPlain: false,
      isAllRows: false,
      ...change,
    })
  }
}

/** The type of a relation's value after its row type is replaced. */
type Replaced<Value, Row> = Value extends readonly unknown[]
  ? readonly Row[]
  : Value extends undefined
    ? undefined
    : Row

/**
 * A relation from the table `T` to rows of the table `U`; `Value` is the type of the loaded member. Created by `belongsTo`,
 * `hasMany`, `hasOne` and `hasManyThrough`.
 */
export class Relation<
  T extends string,
  Value,
  U extends string = string,
  D extends Columns = Columns,
> implements RelationOf<T, D, U> {
  /** Exists only for TypeScript; has no value at run time. */
  declare readonly value: Value
  /** Exists only for TypeScript; has no value at run time. */
  declare readonly targetColumns: D
  /** Exists only for TypeScript; has no value at run time. */
  declare readonly targetTable: U
  readonly owner: T
  readonly #parts: RelationParts

  constructor(owner: T, parts: RelationParts) {
    this.owner = owner
    this.#parts = parts
  }

  get ownerField(): string {
    return this.#parts.owner.field
  }

  get isList(): boolean {
    return this.#parts.loads === 'rows'
  }

  /**
   * Returns the relation with conditions, an order, a limit or relations of its rows. A limit applies to each owner separately:
   * `countryMembers.with((members) => members.where({ isActive: true }).orderBy('birthday').limit(3))`.
   */
  with<R, Row>(
    build: (query: ModelQuery<U, D>) => ModelQuery<U, D, R, Row>,
  ): Relation<T, Replaced<Value, WithRelated<Row, R>>, U, D> {
    const { state = startQuery(this.#parts.target.runner) } = this.#parts
    const refined = build(new ModelQuery<U, D>(state))
    return new Relation<T, Replaced<Value, WithRelated<Row, R>>, U, D>(this.owner, {
      ...this.#parts,
      state: readState(refined),
    })
  }

  /** Returns a relation that loads the number of related rows. */
  count(): Relation<T, number, U, D> {
    return new Relation<T, number, U, D>(this.owner, { ...this.#parts, loads: 'count' })
  }

  /** Loads the related rows and sets the member `name` of each row to them. */
  attach(
    rows: readonly Record<string, unknown>[],
    name: string,
    from?: StatementRunner,
  ): Promise<void> {
    return attachRelated(shareScope(this.#parts, from), rows, name)
  }

  /** Returns the condition that at least one related row matches `refine`. */
  condition(
    refine: (state: QueryState) => QueryState,
    from: StatementRunner | undefined,
  ): RelatedCondition {
    return relatedCondition(shareScope(this.#parts, from), refine)
  }
}

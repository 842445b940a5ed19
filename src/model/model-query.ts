/** A question to a model, built step by step and asked by a finder: `Member.where('name', 'like', 'A%').findAll()`. */
import {
  type ComparisonOperatorExpression,
  DummyDriver,
  type Expression,
  type ExpressionBuilder,
  Kysely,
  type OperandValueExpressionOrList,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type SelectQueryBuilder,
  type SqlBool,
  sql,
} from 'kysely'
import { currentDatabase } from '../db.ts'
import type { ParamValueOf } from '../params.ts'
import { columnNames } from './column-names.ts'
import type { Columns, RowOfColumns, SomeFields } from './column.ts'
import { type Included, loadRelations, type Relations } from './relation.ts'
import type { Table } from './table.ts'

/** A model's fields as Kysely sees them; `is null` is asked with `null`, as in SQL. */
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
type Field<C> = keyof C & string

/** Which page, and how many rows it has. */
export interface PageRequest {
  /** From 1; less is 1. */
  readonly page: number
  /** Rows a page; less than 1 is 1. */
  readonly size: number
}

type LooseTables = Record<string, Record<string, unknown>>

const compiler = new Kysely<LooseTables>({
  dialect: {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (kysely) => new PostgresIntrospector(kysely),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  },
})

const compilers = new WeakMap<Table, typeof compiler>()

/** Kysely in the words of the table's fields. */
function compilerOf(table: Table): typeof compiler {
  const known = compilers.get(table) ?? compiler.withPlugin(columnNames(table))
  compilers.set(table, known)
  return known
}

/** Never changes: each step gives a new one. Rows that are softly deleted are left out unless `withDeleted`. */
export class ModelQuery<T extends string, C extends Columns, Extra extends object = object> {
  readonly #table: Table
  readonly #database: string
  readonly #builder: Builder<T, C>
  readonly #relations: Relations<T>
  readonly #deleted: boolean
  readonly #ordered: boolean

  constructor(table: Table, database: string, state?: Partial<QueryState<T, C>>) {
    this.#table = table
    this.#database = database
    this.#builder = state?.builder ?? compilerOf(table).selectFrom(table.name)
    this.#relations = state?.relations ?? {}
    this.#deleted = state?.deleted ?? false
    this.#ordered = state?.ordered ?? false
  }

  /** Fields that equal the values given; `undefined` asks for NULL. */
  where(values: SomeFields<C>): ModelQuery<T, C, Extra>
  /** A comparison as Kysely has it; a field's wrong value type does not compile. */
  where<F extends Field<C>>(
    field: F,
    operator: ComparisonOperatorExpression,
    value: OperandValueExpressionOrList<KyselyTables<T, C>, T, F>,
  ): ModelQuery<T, C, Extra>
  /** Any condition that Kysely can express: `(eb) => eb.or([eb('a', '=', 1), eb('b', '=', 2)])`. */
  where(
    condition: (eb: ExpressionBuilder<KyselyTables<T, C>, T>) => Expression<SqlBool>,
  ): ModelQuery<T, C, Extra>
  where(first: unknown, operator?: unknown, value?: unknown): ModelQuery<T, C, Extra> {
    const builder = this.#builder as unknown as SelectQueryBuilder<LooseTables, string, object>
    if (typeof first === 'string') {
      return this.#with({
        builder: builder.where(this.#reference(first), operator as '=', value),
      })
    }
    if (typeof first === 'function') return this.#with({ builder: builder.where(first as never) })
    let next = builder
    for (const [key, wanted] of Object.entries(first as object)) {
      const field = this.#reference(key)
      next = wanted === undefined ? next.where(field, 'is', null) : next.where(field, '=', wanted)
    }
    return this.#with({ builder: next })
  }

  orderBy(field: Field<C>, direction: 'asc' | 'desc' = 'asc'): ModelQuery<T, C, Extra> {
    return this.#with({
      builder: this.#builder.orderBy(this.#reference(field) as never, direction),
      ordered: true,
    })
  }

  limit(rows: number): ModelQuery<T, C, Extra> {
    return this.#with({ builder: this.#builder.limit(rows) })
  }

  offset(rows: number): ModelQuery<T, C, Extra> {
    return this.#with({ builder: this.#builder.offset(rows) })
  }

  /** Gives each row its related rows under the names chosen here, with one more query for each relation. */
  include<R extends Relations<T>>(relations: R): ModelQuery<T, C, Extra & Included<R>> {
    return this.#with({ relations: { ...this.#relations, ...relations } }) as unknown as ModelQuery<
      T,
      C,
      Extra & Included<R>
    >
  }

  /** Softly deleted rows too. */
  withDeleted(): ModelQuery<T, C, Extra> {
    return this.#with({ deleted: true })
  }

  /** Changes Kysely's builder itself: joins, groups, locks (`(q) => q.forUpdate()`). */
  modify(change: (builder: Builder<T, C>) => Builder<T, C>): ModelQuery<T, C, Extra> {
    return this.#with({ builder: change(this.#builder) })
  }

  /** All rows, by primary key unless `orderBy` says otherwise. */
  async findAll(): Promise<(RowOfColumns<C> & Extra)[]> {
    const { primaryKey } = this.#table
    const builder =
      this.#ordered || !this.#table.has(primaryKey)
        ? this.#living()
        : this.#living().orderBy(this.#reference(primaryKey) as never)
    const compiled = builder.select(this.#selection()).compile()
    const { rows } = await currentDatabase(this.#database).query(compiled)
    for (const row of rows) this.#table.row(row)
    await loadRelations(rows, this.#relations)
    return rows as (RowOfColumns<C> & Extra)[]
  }

  async findFirst(): Promise<(RowOfColumns<C> & Extra) | undefined> {
    return (await this.limit(1).findAll())[0]
  }

  findPage({ page, size }: PageRequest): Promise<(RowOfColumns<C> & Extra)[]> {
    const rows = Math.max(1, Math.trunc(size))
    const offset = (Math.max(1, Math.trunc(page)) - 1) * rows
    return Number.isSafeInteger(offset)
      ? this.limit(rows).offset(offset).findAll()
      : Promise.resolve([])
  }

  async count(): Promise<number> {
    const compiled = this.#living()
      .clearOrderBy()
      .select(sql<number>`count(*)`.as('count') as never)
      .compile()
    const { rows } = await currentDatabase(this.#database).query<{ count: number }>(compiled)
    return rows[0]!.count
  }

  async exists(): Promise<boolean> {
    const compiled = this.#living()
      .clearOrderBy()
      .select(sql`1`.as('one') as never)
      .limit(1)
      .compile()
    return (await currentDatabase(this.#database).query(compiled)).rows.length > 0
  }

  #living(): Builder<T, C> {
    const { softDelete } = this.#table
    if (softDelete === undefined || this.#deleted) return this.#builder
    return this.#builder.where(this.#reference(softDelete) as never, 'is', null as never)
  }

  /** Columns with their table's name, so that a join makes none ambiguous. */
  #selection(): never {
    return sql.raw(this.#table.selection) as never
  }

  #reference(field: string): string {
    return `${this.#table.name}.${this.#table.fieldOf(field)}`
  }

  #with(change: Partial<QueryState<T, C>>): ModelQuery<T, C, Extra> {
    const same = {
      builder: this.#builder,
      relations: this.#relations,
      deleted: this.#deleted,
      ordered: this.#ordered,
    }
    return new ModelQuery<T, C, Extra>(this.#table, this.#database, { ...same, ...change })
  }
}

interface QueryState<T extends string, C extends Columns> {
  readonly builder: Builder<T, C>
  readonly relations: Relations<T>
  readonly deleted: boolean
  readonly ordered: boolean
}

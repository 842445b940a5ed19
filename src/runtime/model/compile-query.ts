/** The state of a query that is built step by step, its conditions, and its compilation by Kysely with the table's columns. */
import type {
  BinaryOperationNode,
  ColumnNode,
  Expression,
  ExpressionWrapper,
  IdentifierNode,
  Kysely,
  OperationNodeSource,
  SelectQueryBuilder,
  SelectQueryNode,
} from 'kysely'
import { createKysely, isPlainSelectBeforeLast, loadKysely } from '../db.ts'
import { FoundRows } from './found-rows.ts'
import type { SortKey } from './key-order.ts'
import type { StatementRunner } from './statement-runner.ts'
import type { SelectedFields, Table } from './table.ts'

export type LooseTables = Record<string, Record<string, unknown>>
export type LooseBuilder = SelectQueryBuilder<LooseTables, string, object>
type AnyRow = Record<string, unknown>

/** A relation that loads related rows into the member `name` of each row. */
export interface Attachable {
  /** The field of the owner's rows that holds the relation's key. */
  readonly ownerField: string
  readonly isList?: boolean
  /** `from` is the runner that found the rows; related rows are restricted to its scope. */
  attach(rows: readonly AnyRow[], name: string, from?: StatementRunner): Promise<void>
}

export interface QueryState {
  readonly runner: StatementRunner
  /** Kysely's builder, which has no selected columns yet. */
  readonly builder: LooseBuilder
  readonly relations: Readonly<Record<string, Attachable>>
  /** The runner of the query that loads this one as a relation: its scope applies to the relations of these rows, too. */
  readonly from?: StatementRunner
  /** The selected fields; `undefined` selects all fields. */
  readonly fields?: readonly string[]
  readonly isDistinct?: boolean
  readonly withDeleted?: boolean
  readonly isOrdered?: boolean
  readonly isLimited?: boolean
  /** The sort keys from the calls of `orderBy`. */
  readonly order: readonly SortKey[]
  /** Whether the query has no steps except `include`. */
  readonly isPlain: boolean
  /** Whether the query has no steps except `orderBy` and `include`. */
  readonly isAllRows: boolean
}

export function startQuery(runner: StatementRunner): QueryState {
  const builder = compilerFor(runner.table).selectFrom(kyselyName(runner.table))
  return { runner, builder, relations: {}, order: [], isPlain: true, isAllRows: true }
}

/** Returns a field's reference with the table's name in front, so that the column is not ambiguous in a join. */
export const referenceOf = (table: Table, name: string): string =>
  `${kyselyName(table)}.${hideSeparators(table.fieldOf(name))}`

/** Returns the builder with the conditions that exclude softly deleted rows and the rows outside of the scope. */
export function visibleRows({ runner, builder, withDeleted }: QueryState): LooseBuilder {
  const { table, scope, owner } = runner
  const owned =
    scope === undefined ? builder : builder.where(referenceOf(table, scope.field), '=', owner[0])
  if (table.softDelete === undefined || withDeleted === true) return owned
  return owned.where(referenceOf(table, table.softDelete), 'is', null)
}

/** Returns the builder with an order: by primary key, unless the query has an order or `distinct`. */
export function orderedRows(state: QueryState, builder = visibleRows(state)): LooseBuilder {
  const { table } = state.runner
  if (state.isOrdered || state.isDistinct || !table.has(table.primaryKey)) return builder
  return builder.orderBy(referenceOf(table, table.primaryKey))
}

/** A relation that returns a condition on the rows of its owner. */
interface Conditional {
  condition(
    refine: (state: QueryState) => QueryState,
    from: StatementRunner | undefined,
  ): RelatedCondition
}

/** A condition that the field's value is among the values of a subquery. */
export interface RelatedCondition {
  readonly field: string
  readonly among: Expression<unknown>
}

/** Whether the value is a relation. Returns false for `where` values that contain a field named `condition`. */
export const isConditional = (value: unknown): value is Conditional =>
  typeof value === 'object' &&
  value !== null &&
  'condition' in value &&
  typeof value.condition === 'function'

/** The operators whose operands have the type of the field; the operand of `like` is a text. */
const comparisons: ReadonlySet<string> = new Set([
  '=',
  '!=',
  '<>',
  '<',
  '>',
  '<=',
  '>=',
  'in',
  'not in',
])

/** PostgreSQL accepts at most 65,535 parameters: from this length on, a list is one parameter, an array. */
const longList = 1000

/** Whether the operand is a long list of plain values. Lists, JSON, bytes and expressions need parameters of their own. */
const isLongList = (value: unknown, isJson = false): value is readonly unknown[] =>
  Array.isArray(value) &&
  value.length >= longList &&
  !isJson &&
  !value.some(
    (item) =>
      Array.isArray(item) ||
      ArrayBuffer.isView(item) ||
      (typeof item === 'object' && item !== null && 'toOperationNode' in item),
  )

/** Adds the condition of `in` or `not in` with the values in one array. */
function whereInArray(
  builder: LooseBuilder,
  field: string,
  operator: 'in' | 'not in',
  values: readonly unknown[],
): LooseBuilder {
  const { sql } = loadKysely()
  return operator === 'in'
    ? builder.where(field, '=', sql`any(${values})` as never)
    : builder.where(field, '!=', sql`all(${values})` as never)
}

export function whereField(
  builder: LooseBuilder,
  { runner: { table } }: QueryState,
  [name, operator, value]: readonly [name: string, operator: unknown, value: unknown],
): LooseBuilder {
  const field = referenceOf(table, name)
  table.checkCondition(name, value)
  if (value === null && operator === '=') return builder.where(field, 'is', null)
  if (value === null && operator === '!=') return builder.where(field, 'is not', null)
  const isCompared = typeof operator === 'string' && comparisons.has(operator)
  const compared = isCompared ? table.toCondition(table.fieldOf(name), value) : value
  const { isJson } = table.columns[name]?.definition ?? {}
  if ((operator === 'in' || operator === 'not in') && isLongList(compared, isJson))
    return whereInArray(builder, field, operator, compared)
  return builder.where(field, operator as '=', compared)
}

/** Adds the conditions that fields, and fields of included relations, equal the values. */
export function whereValues(state: QueryState, values: object): LooseBuilder {
  const { table } = state.runner
  let { builder } = state
  for (const [name, value] of Object.entries(values)) {
    const relation = table.knows(name) ? undefined : state.relations[name]
    builder = isConditional(relation)
      ? whereRelated(builder, state, relation, value)
      : whereField(builder, state, [name, '=', value])
  }
  return builder
}

export function whereRelated(
  builder: LooseBuilder,
  state: QueryState,
  relation: Conditional,
  values: unknown = {},
): LooseBuilder {
  const refine = (related: QueryState) => ({
    ...related,
    builder: whereValues(related, values as object),
  })
  const { field, among } = relation.condition(refine, scopeSource(state))
  return builder.where(referenceOf(state.runner.table, field), 'in', among as never)
}

/** The SQL text and parameters of a query; `isRead` has the same meaning as in `Statement`. */
export interface CompiledSelect {
  readonly sql: string
  readonly parameters: readonly unknown[]
  readonly isRead: boolean
  /** False if `modify` selected more columns. Rows are then objects, so that column names identify the values. */
  readonly isWhole: boolean
}

/** Compiles a builder with this selection, an SQL text that has no side effects. */
export function compileSelect(
  { runner }: QueryState,
  builder: LooseBuilder,
  selection: string,
): CompiledSelect {
  const raw = loadKysely().sql.raw(selection)
  const { sql, parameters, query } = builder.select(raw as never).compile()
  const mayWait = runner.database.currentTransaction()?.begun === false
  const isWhole = (query as SelectQueryNode).selections?.length === 1
  return { sql, parameters, isRead: mayWait && isPlainSelectBeforeLast(query), isWhole }
}

export async function runSelect(
  { runner }: QueryState,
  compiled: CompiledSelect,
): Promise<AnyRow[]> {
  return (await runner.run(compiled, compiled.parameters, compiled.isRead)).rows
}

/** Returns the runner whose scope restricts the relations of a query's rows. */
const scopeSource = ({ runner, from }: Partial<QueryState>): StatementRunner | undefined =>
  runner?.scope === undefined ? (from ?? runner) : runner

/** Loads the related rows of all relations concurrently, nested ones after their owners. Returns `rows` with them. */
export async function attachRelations(
  { relations, ...state }: Pick<QueryState, 'relations' | 'from'> & Partial<QueryState>,
  rows: AnyRow[],
): Promise<AnyRow[]> {
  const entries = rows.length === 0 ? [] : Object.entries(relations)
  if (entries.length > 0)
    await Promise.all(
      entries.map(([name, relation]) => relation.attach(rows, name, scopeSource(state))),
    )
  return rows
}

/** The columns that a query selects: all fields, or the selected fields and the keys that its relations need. */
export class RowSelection {
  readonly #state: QueryState
  /** `undefined` selects all fields. */
  readonly #selected: SelectedFields | undefined

  constructor(state: QueryState, ...keys: readonly string[]) {
    this.#state = state
    const asked = state.fields
    if (asked === undefined) return
    const needed = Object.values(state.relations).map(({ ownerField }) => ownerField)
    const fields = [...new Set([...asked, ...needed, ...keys])]
    const isHidden = (field: string) =>
      state.runner.table.hidden.has(field) && !asked.includes(field)
    // A hidden field that is only sorted by, or by which relations are found, stays hidden.
    this.#selected = { fields, hidden: new Set(fields.filter(isHidden)) }
  }

  compile(builder: LooseBuilder): CompiledSelect {
    const { runner, isDistinct } = this.#state
    const { table } = runner
    const columns =
      this.#selected === undefined ? table.selection : table.selectionOf(this.#selected.fields)
    return compileSelect(
      this.#state,
      builder,
      isDistinct === true ? `distinct ${columns}` : columns,
    )
  }

  /** Runs a query that was compiled with this selection, and returns its rows without their relations. */
  async find(compiled: CompiledSelect): Promise<FoundRows> {
    const { parameters, isRead, isWhole } = compiled
    const { rows } = await this.#state.runner.run(compiled, parameters, isRead, isWhole)
    return this.convert(rows, isWhole)
  }

  /** Converts the driver's rows to rows of the model. With `isWhole`, the driver's rows are arrays. */
  convert(rows: AnyRow[], isWhole: boolean): FoundRows {
    const { table } = this.#state.runner
    if (isWhole) return table.foundRows(rows as unknown as unknown[][], this.#selected)
    for (const row of rows) table.toRow(row, this.#selected)
    return new FoundRows(rows)
  }

  /** Runs a query that was compiled with this selection, and returns its rows with their relations. */
  async findComplete(compiled: CompiledSelect): Promise<AnyRow[]> {
    return attachRelations(this.#state, (await this.find(compiled)).rows)
  }
}

/** Returns a query as an expression, for a condition of another table's query: `id in (select …)`. */
export function subquery(state: QueryState, field: string): Expression<unknown> {
  const { table } = state.runner
  return nestedQuery(visibleRows(state).select(referenceOf(table, field) as never))
}

/**
 * Wraps a builder's query for use in another query. Marks its columns, because they already have the database's names and must
 * not be renamed again.
 */
export function nestedQuery(
  builder: OperationNodeSource,
): ExpressionWrapper<LooseTables, never, unknown> {
  const { ExpressionWrapper, OperationNodeTransformer } = loadKysely()
  class ColumnMarker extends OperationNodeTransformer {
    protected override transformColumn(node: ColumnNode): ColumnNode {
      const { name } = node.column
      return name.startsWith(mark) ? node : withName(node, mark + name)
    }
  }
  return new ExpressionWrapper(new ColumnMarker().transformNode(builder.toOperationNode()))
}

/** Whether the condition is `in ()` or `not in ()`, which are syntax errors in PostgreSQL. */
function isEmptyList({ operator, rightOperand }: BinaryOperationNode): boolean {
  const { operator: name } = operator as { operator?: unknown }
  if (name !== 'in' && name !== 'not in') return false
  const { values } = rightOperand as { values?: readonly unknown[] }
  return Array.isArray(values) && values.length === 0
}

/** Replaces a long list of plain values after `in` and `not in` by one parameter, an array. */
function listAsArray(node: BinaryOperationNode): BinaryOperationNode {
  const { operator } = node.operator as { operator?: unknown }
  if (operator !== 'in' && operator !== 'not in') return node
  const { kind, values } = node.rightOperand as { kind: string; values?: readonly unknown[] }
  if (kind !== 'PrimitiveValueListNode' || !isLongList(values)) return node
  const { sql } = loadKysely()
  const [compares, array] =
    operator === 'in'
      ? (['=', sql`any(${values})`] as const)
      : (['!=', sql`all(${values})`] as const)
  const changed = { kind: 'OperatorNode', operator: compares } as BinaryOperationNode['operator']
  return { ...node, operator: changed, rightOperand: array.toOperationNode() }
}

const compilers = new WeakMap<Table, Kysely<LooseTables>>()

/** Private-use characters that replace a dot and a blank inside a name, because Kysely splits its texts there. */
const [dot, blank] = ['\uE000', '\uE002']
const hidden = /[\uE000\uE002]/

const hideSeparators = (name: string): string => name.replaceAll('.', dot).replaceAll(' ', blank)
const showSeparators = (name: string): string => name.replaceAll(dot, '.').replaceAll(blank, ' ')
/** The prefix that marks a column name as the database's name, so that it is not renamed again. */
const mark = '\uE001'

export const kyselyName = ({ path }: Table): string => path.map(hideSeparators).join('.')

export const withName = (node: ColumnNode, name: string): ColumnNode => ({
  ...node,
  column: { ...node.column, name },
})

/** Returns a Kysely instance that compiles queries with the field names of a table and never runs them. */
export function compilerFor(table: Table): Kysely<LooseTables> {
  const known = compilers.get(table)
  if (known !== undefined) return known
  const { OperationNodeTransformer, replaceWithNoncontingentExpression } = loadKysely()
  class ColumnTransformer extends OperationNodeTransformer {
    // Handle empty lists in this transformer: Kysely's plugin for them would traverse every query a second time.
    protected override transformBinaryOperation(node: BinaryOperationNode): BinaryOperationNode {
      return super.transformBinaryOperation(
        isEmptyList(node) ? replaceWithNoncontingentExpression(node as never) : listAsArray(node),
      )
    }
    protected override transformColumn(node: ColumnNode): ColumnNode {
      const { name } = node.column
      if (name.startsWith(mark)) return withName(node, name.slice(1))
      return withName(node, table.columnName(showSeparators(name)))
    }
    protected override transformIdentifier(node: IdentifierNode): IdentifierNode {
      return hidden.test(node.name) ? { ...node, name: showSeparators(node.name) } : node
    }
  }
  const transformer = new ColumnTransformer()
  const compiler = createKysely<LooseTables>().withPlugin({
    transformQuery: ({ node }) => transformer.transformNode(node),
    transformResult: async ({ result }) => result,
  })
  compilers.set(table, compiler)
  return compiler
}

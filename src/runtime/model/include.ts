/** Loads the related rows of many owners with one statement, and builds conditions on related rows. */
import type { Expression } from 'kysely'
import { FwError, OutOfRangeValue } from '../base.ts'
import { loadKysely } from '../db.ts'
import {
  attachRelations,
  compileSelect,
  orderedRows,
  referenceOf,
  RowSelection,
  runSelect,
  startQuery,
  subquery,
  visibleRows,
  type CompiledSelect,
  type LooseBuilder,
  type QueryState,
  type RelatedCondition,
} from './compile-query.ts'
import { byAnySql } from './model-sql.ts'
import type { StatementRunner } from './statement-runner.ts'

type AnyRow = Record<string, unknown>
type Groups = ReadonlyMap<unknown, readonly AnyRow[]>

/** A field that a relation joins by, and the runner of its table. */
interface Key {
  readonly runner: StatementRunner
  readonly field: string
}

/** The fields and the query by which a relation finds its rows. */
export interface RelationParts {
  readonly owner: Key
  readonly target: Key
  /** The two fields of the link table that reference the owner and the target. */
  readonly link?: { readonly owner: Key; readonly target: Key }
  /** Whether the relation loads all related rows, the first row, or their number. */
  readonly loads: 'rows' | 'first' | 'count'
  /** The query that restricts the target's rows; `undefined` allows all rows. */
  readonly state?: QueryState
}

/**
 * Restricts the related rows to the scope of `from`, the runner that found the rows of the relation's owner. A row may reference
 * a row of somebody else, because a client may have sent any key.
 * @throws FwError `model.scope-missing` if the related rows have owners and nothing restricts them to one
 */
export function shareScope(parts: RelationParts, from: StatementRunner | undefined): RelationParts {
  const { target, link, state } = parts
  const shared = shareKey(target, from)
  // The rows of the link table are restricted by the key of the relation's owner.
  const share = (key: Key): Key => ({ ...key, runner: shareKey(link!.owner, from).runner })
  return {
    ...parts,
    target: shared,
    ...(link && { link: { owner: share(link.owner), target: share(link.target) } }),
    ...(state && { state: { ...state, runner: shared.runner, ...(from && { from }) } }),
  }
}

function shareKey(key: Key, from: StatementRunner | undefined): Key {
  const { runner, field } = key
  const { scopedBy, name } = runner.table
  if (scopedBy === undefined || runner.scope !== undefined) return key
  const scope = from?.scope
  if (scope?.field === scopedBy) return { ...key, runner: runner.scopedTo(scope.value) }
  // A relation by the owner's key, such as the notes of a user, has only rows of that owner.
  if (field === scopedBy) return key
  throw new FwError(
    'model.scope-missing',
    `The relation to '${name}' has rows of all owners. Load it from a model with the same scope, such as ` +
      `Note.scoped(user.id), or define it with the model's unscoped.`,
  )
}

/** Sets the member `name` of each row to its related rows, its first related row, or their number. */
export async function attachRelated(
  parts: RelationParts,
  rows: readonly AnyRow[],
  name: string,
): Promise<void> {
  const { field } = parts.owner
  const keys = [...new Set(rows.map((row) => keyIn(row, field)))].filter((key) => key !== undefined)
  if (parts.loads === 'count') {
    const counts = keys.length === 0 ? new Map() : await loadCounts(parts, keys)
    for (const row of rows) row[name] = counts.get(keyIn(row, field)) ?? 0
    return
  }
  const groups: Groups = keys.length === 0 ? new Map() : await loadGroups(parts, keys)
  for (const row of rows) {
    const found = groups.get(keyIn(row, field))
    row[name] = parts.loads === 'first' ? found?.[0] : (found ?? [])
  }
}

/** Returns the key of a row for maps. A key that JavaScript cannot represent is its text, because its object differs in each row. */
function keyIn(row: AnyRow, field: string): unknown {
  const key = row[field]
  return key instanceof OutOfRangeValue ? key.text : key
}

/** Returns a condition for owners: the values of `field` for which `refine` matches a related row. */
export function relatedCondition(
  { owner, target, link, state }: RelationParts,
  refine: (state: QueryState) => QueryState,
): RelatedCondition {
  const rows = refine(state ?? startQuery(target.runner))
  const among = subquery(rows, target.field)
  if (link === undefined) return { field: owner.field, among }
  const links = startQuery(link.target.runner)
  const { table } = link.target.runner
  const builder = links.builder.where(referenceOf(table, link.target.field), 'in', among as never)
  return { field: owner.field, among: subquery({ ...links, builder }, link.owner.field) }
}

/** The members that included relations add to a row. */
export type IncludedRows<R> = {
  readonly [K in keyof R]: R[K] extends { readonly value: infer Value } ? Value : never
}

/** A row with the members of its relations. */
export type WithRelated<Row, R> = [keyof R] extends [never] ? Row : Row & IncludedRows<R>

async function loadGroups(parts: RelationParts, keys: readonly unknown[]): Promise<Groups> {
  if (parts.link !== undefined) return loadLinked(parts, keys)
  const { target, state } = parts
  const groupByKey = (rows: AnyRow[]): Groups =>
    Map.groupBy(rows, (row) => keyIn(row, target.field))
  if (state === undefined || state.isPlain) return groupByKey(await loadByKey(target, keys, state))
  const isUnique = target.field === target.runner.table.primaryKey
  if (!isUnique && (state.isLimited || parts.loads === 'first'))
    return groupByKey(await loadLateral(parts, state, keys))
  const visible = isUnique ? visibleRows(state).clearLimit().clearOffset() : visibleRows(state)
  const builder = whereAny(visible, target, keys)
  const selection = new RowSelection(state, target.field)
  return groupByKey(await selection.findComplete(selection.compile(orderedRows(state, builder))))
}

/** Returns all rows whose field equals one of the keys, ordered by primary key. */
async function loadByKey(
  { runner, field }: Key,
  keys: readonly unknown[],
  state?: QueryState,
): Promise<AnyRow[]> {
  const statement = runner.prepare(`any ${field}`, byAnySql, field)
  const rows = await runner.find(statement, [keys, ...runner.owner], true)
  return state === undefined ? rows : attachRelations(state, rows)
}

const whereAny = (builder: LooseBuilder, { runner, field }: Key, keys: readonly unknown[]) =>
  builder.where(
    referenceOf(runner.table, field),
    '=',
    loadKysely().sql`any(${keys})` as Expression<unknown>,
  )

const ownerAlias = '"fw_owner"'

/** Adds the condition that a row is related to the current owner of the outer query. */
function ofOwner({ owner, target, link }: RelationParts, builder: LooseBuilder): LooseBuilder {
  const { sql } = loadKysely()
  const own = sql.raw(`${ownerAlias}.${owner.runner.table.column(owner.field)}`)
  const reference = referenceOf(target.runner.table, target.field)
  if (link === undefined) return builder.where(reference, '=', own)
  const links = startQuery(link.owner.runner)
  const { table } = link.owner.runner
  const linked = links.builder.where(referenceOf(table, link.owner.field), '=', own)
  const among = subquery({ ...links, builder: linked }, link.target.field)
  return builder.where(reference, 'in', among as never)
}

/** Applies the query's limit to each owner: a lateral join runs the target's query once per owner, in one statement. */
async function loadLateral(
  parts: RelationParts,
  state: QueryState,
  keys: readonly unknown[],
): Promise<AnyRow[]> {
  const { owner, target, loads } = parts
  const all = orderedRows(state, ofOwner(parts, visibleRows(state)))
  const builder = loads === 'first' ? all.limit(1) : all
  const selection = new RowSelection(state, target.field)
  const inner = selection.compile(builder)
  const { table } = owner.runner
  const sql =
    `select "fw_rows".* from ${table.quoted} as ${ownerAlias} cross join lateral (${inner.sql}) as "fw_rows" ` +
    `where ${ownerAlias}.${table.column(owner.field)} = any($${inner.parameters.length + 1})`
  return selection.findComplete({ ...inner, sql, parameters: [...inner.parameters, keys] })
}

/** Loads the rows of a many-to-many relation: one statement reads the link table, another the rows. */
async function loadLinked(parts: RelationParts, keys: readonly unknown[]): Promise<Groups> {
  const { target, state } = parts
  const isPlain = state === undefined || state.isPlain
  const lists = await (isPlain ? listLinked(parts, keys) : listOrdered(parts, state, keys))
  const wanted = [...new Set([...lists.values()].flat())]
  if (wanted.length === 0) return new Map()
  const rows = await loadWanted(target, wanted, state)
  const byKey = new Map(rows.map((row, at) => [keyIn(row, target.field), { row, at }] as const))
  const related = (list: readonly unknown[]): AnyRow[] => {
    const found = [...new Set(list)].flatMap((each) => byKey.get(each) ?? [])
    return (isPlain ? found.sort((a, b) => a.at - b.at) : found).map(({ row }) => row)
  }
  return new Map([...lists].map(([key, list]) => [key, related(list)]))
}

function loadWanted(target: Key, wanted: readonly unknown[], state: QueryState | undefined) {
  if (state?.fields === undefined) return loadByKey(target, wanted, state)
  const builder = whereAny(startQuery(target.runner).builder, target, wanted)
  const selection = new RowSelection(state, target.field)
  return selection.findComplete(selection.compile(builder))
}

/** Returns a map from each owner's key to the keys of its related rows. */
async function listLinked(
  { link }: RelationParts,
  keys: readonly unknown[],
): Promise<Map<unknown, unknown[]>> {
  const { owner, target } = link!
  const links = Map.groupBy(await loadByKey(owner, keys), (each) => keyIn(each, owner.field))
  return new Map(
    [...links].map(([key, own]) => [key, own.map((each) => keyIn(each, target.field))]),
  )
}

/** Returns a map from each owner's key to the keys of its related rows, in the order and within the limit of the query. */
function listOrdered(
  parts: RelationParts,
  state: QueryState,
  keys: readonly unknown[],
): Promise<Map<unknown, unknown[]>> {
  const { table } = state.runner
  const builder = orderedRows(state, ofOwner(parts, visibleRows(state)))
  const inner = compileSelect(state, builder, table.selectionOf([parts.target.field]))
  return queryOwners(parts, { state, inner, value: `array(${inner.sql})` }, keys)
}

/** Returns a map from each owner's key to the number of its related rows. */
function loadCounts(parts: RelationParts, keys: readonly unknown[]): Promise<Map<unknown, number>> {
  const { state = startQuery(parts.target.runner) } = parts
  const inner = compileSelect(state, ofOwner(parts, visibleRows(state)), '1 as "one"')
  const value = `(select count(*) from (${inner.sql}) as "fw_rows")`
  return queryOwners(parts, { state, inner, value }, keys)
}

/** Returns a map from each owner's key to the SQL expression `value`, which contains the query `inner`. */
async function queryOwners<Value>(
  { owner }: RelationParts,
  { state, inner, value }: { state: QueryState; inner: CompiledSelect; value: string },
  keys: readonly unknown[],
): Promise<Map<unknown, Value>> {
  const { table } = owner.runner
  const own = `${ownerAlias}.${table.column(owner.field)}`
  const sql =
    `select ${own} as "owner", ${value} as "value" from ${table.quoted} as ${ownerAlias} ` +
    `where ${own} = any($${inner.parameters.length + 1})`
  const rows = await runSelect(state, { ...inner, sql, parameters: [...inner.parameters, keys] })
  return new Map(rows.map((row) => [row['owner'], row['value'] as Value]))
}

/** The writes `updateAll` and `deleteAll`, which change all rows of a query with one statement. */
import type { DeleteQueryNode, UpdateQueryNode } from 'kysely'
import { FwError } from '../base.ts'
import { loadKysely } from '../db.ts'
import {
  compilerFor,
  kyselyName,
  nestedQuery,
  orderedRows,
  referenceOf,
  visibleRows,
  type QueryState,
} from './compile-query.ts'
import { nextTime, updateClock } from './model-sql.ts'

export async function updateRows(state: QueryState, permitted: unknown): Promise<number> {
  const { table } = state.runner
  table.checkWritable()
  const { fields, values } = state.runner.attributesOfChange(table.permittedAttributes(permitted))
  const sets = Object.fromEntries(fields.map((field, at) => [field, values[at]] as const))
  return setFields(state, sets)
}

export async function deleteRows(state: QueryState): Promise<number> {
  const { table } = state.runner
  table.checkWritable()
  const { sql } = loadKysely()
  if (table.softDelete !== undefined)
    return setFields(state, { [table.softDelete]: sql.raw(updateClock) })
  const { compiler, where } = targetOf(state)
  const node = compiler.deleteFrom(kyselyName(table)).toOperationNode()
  return run(state, { ...node, where: where! })
}

/** Updates the rows of the query. As for a single row, the update also sets `updatedAt` and increments the lock version. */
function setFields(state: QueryState, sets: Record<string, unknown>): Promise<number> {
  const { table } = state.runner
  const { sql } = loadKysely()
  const all: Record<string, unknown> = { ...sets }
  if (table.has('updatedAt'))
    all['updatedAt'] ??= sql.raw(nextTime(`${table.quoted}.${table.column('updatedAt')}`))
  if (table.lockVersion !== undefined)
    all[table.lockVersion] =
      sql`${sql.raw(`${table.quoted}.${table.column(table.lockVersion)}`)} + 1`
  if (Object.keys(all).length === 0) return Promise.resolve(0)
  const { compiler, where } = targetOf(state)
  const update = compiler.updateTable(kyselyName(table)).set(all as never)
  return run(state, { ...update.toOperationNode(), where: where! })
}

/**
 * Returns the WHERE clause of the write. For a query with a limit or joins, a subquery selects the primary keys and locks the
 * rows. The lock is needed because PostgreSQL rechecks only the statement's own condition for a row that a concurrent
 * transaction changed.
 */
function targetOf(state: QueryState) {
  const { table } = state.runner
  const compiler = compilerFor(table)
  const rows = visibleRows(state)
  const node = rows.toOperationNode()
  const isSimple = state.isLimited !== true && node.kind === 'SelectQueryNode' && !node.joins
  if (isSimple) return { compiler, where: node.where }
  if (!table.has(table.primaryKey))
    throw new FwError(
      'model.definition-invalid',
      `The model of '${table.name}' has no primary key, which a write of limited or joined rows needs.`,
    )
  const key = referenceOf(table, table.primaryKey)
  const keys = orderedRows(state)
    .select(key as never)
    .forUpdate(kyselyName(table))
  const limited = compiler
    .selectFrom(kyselyName(table))
    .where(key, 'in', nestedQuery(keys) as never)
  return { compiler, where: limited.toOperationNode().where }
}

async function run(
  { runner }: QueryState,
  node: UpdateQueryNode | DeleteQueryNode,
): Promise<number> {
  const executor = compilerFor(runner.table).getExecutor()
  const { sql, parameters } = executor.compileQuery(node, loadKysely().createQueryId())
  return (await runner.run({ sql }, parameters)).count
}

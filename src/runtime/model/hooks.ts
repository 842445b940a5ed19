/** The hooks of a model: functions that run when one of its records is saved. */
import type { Columns, RowOfColumns, SomeFields } from './column.ts'
import { attributesOf, checkPermitted, type Attributes } from './attributes.ts'
import type { StatementRunner } from './statement-runner.ts'

/** The information about a write that each hook receives. */
export interface SaveInfo {
  /** True for an insert. Also true for an upsert, because only the database decides whether it inserts or updates. */
  readonly isNew: boolean
}

/**
 * The hooks run for every insert, update or upsert of single records, but not for `updateAll`, `deleteAll`, `increment`,
 * `touch` or deletes.
 */
export interface ModelHooks<C extends Columns> {
  /**
   * Returns fields to add to the written values or to replace in them. They need no `permit`, because the application computes
   * them.
   */
  beforeSave?(
    values: SomeFields<C>,
    save: SaveInfo,
  ): SomeFields<C> | undefined | Promise<SomeFields<C> | undefined>
  /** Runs in the transaction of the write; an error rolls the write back. */
  afterSave?(row: RowOfColumns<C>, save: SaveInfo): unknown
  /** Runs after the commit, but not after a rollback; its errors are logged. */
  afterCommit?(row: RowOfColumns<C>, save: SaveInfo): unknown
}

type AnyRow = Record<string, unknown>
type AnyHooks = ModelHooks<Columns>

/** The arguments of `saveWithHooks`. */
export interface Save {
  readonly runner: StatementRunner
  readonly hooks: AnyHooks
  readonly permitted: readonly unknown[]
  readonly isNew: boolean
  readonly write: (attributes: readonly Attributes[]) => Promise<AnyRow[]>
}

/** Runs `beforeSave` for all permitted values, then `write`, then the other hooks for each written row. */
export function saveWithHooks({ runner, hooks, permitted, isNew, write }: Save): Promise<AnyRow[]> {
  const { table } = runner
  const info: SaveInfo = { isNew }
  return runner.inTransaction(async () => {
    const attributes: Attributes[] = []
    for (const values of permitted) {
      checkPermitted(table, values)
      const named = nameFields(runner, values)
      const more = await hooks.beforeSave?.(named, info)
      attributes.push(attributesOf(table, { ...named, ...more }))
    }
    const rows = await write(attributes)
    for (const row of rows) {
      await hooks.afterSave?.(row, info)
      if (hooks.afterCommit !== undefined)
        runner.database.currentTransaction()?.afterCommit(() => hooks.afterCommit?.(row, info))
    }
    return rows
  })
}

/** Returns the values by field name, because the keys of permitted values may be column names. */
function nameFields({ table }: StatementRunner, values: object): AnyRow {
  const named: AnyRow = {}
  for (const [key, value] of Object.entries(values)) named[table.fieldOf(key)] = value
  return named
}

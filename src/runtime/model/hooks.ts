/** Functions of a model that run when one of its records is saved. */
import type { Columns, RowOfColumns, SomeFields } from './column.ts'
import { attributesOf, checkPermitted, type Attributes } from './attributes.ts'
import type { StatementRunner } from './statement-runner.ts'

/** What a hook gets about the write. */
export interface SaveInfo {
  /** True for an insert, and for an upsert, whose outcome the database decides. */
  readonly isNew: boolean
}

/** Runs for every write of single records, and for no `updateAll`, `deleteAll`, `increment` or `touch`. */
export interface ModelHooks<C extends Columns> {
  /** Returns fields to add or to replace; needs no permission, because the application computes them. */
  beforeSave?(
    values: SomeFields<C>,
    save: SaveInfo,
  ): SomeFields<C> | undefined | Promise<SomeFields<C> | undefined>
  /** Runs in the transaction of the write: an error undoes the write. */
  afterSave?(row: RowOfColumns<C>, save: SaveInfo): unknown
  /** Runs after COMMIT, not after a rollback; its errors are logged. */
  afterCommit?(row: RowOfColumns<C>, save: SaveInfo): unknown
}

type AnyRow = Record<string, unknown>
type AnyHooks = ModelHooks<Columns>

/** A save of permitted values. */
export interface Save {
  readonly runner: StatementRunner
  readonly hooks: AnyHooks
  readonly permitted: readonly unknown[]
  readonly isNew: boolean
  readonly write: (attributes: readonly Attributes[]) => Promise<AnyRow[]>
}

/** Runs `write` with the attributes after `beforeSave`, then the other hooks for each written row. */
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

/** The values by field name: permitted values may have the names of columns. */
function nameFields({ table }: StatementRunner, values: object): AnyRow {
  const named: AnyRow = {}
  for (const [key, value] of Object.entries(values)) named[table.fieldOf(key)] = value
  return named
}

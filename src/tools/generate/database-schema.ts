/** Reads an existing database for the reverse generators. */
import {
  dumpSchema,
  readOtherRelations,
  readSchema,
  readViews,
  type Database,
  type OtherRelation,
  type TableSchema,
} from '../../runtime/db.ts'
import { splitTableName } from '../../runtime/model.ts'
import { findSamples } from './find-samples.ts'

/** A table with sample values that its columns accept, or a view. */
export interface SampledTable extends TableSchema {
  /** A value that the column accepts, as text, by column. */
  readonly samples: ReadonlyMap<string, string>
  /** The SQL of the checks of each domain, by domain. */
  readonly domains: ReadonlyMap<string, string>
  /** Whether it is a view or a materialized view, whose rows can only be read. */
  readonly isView?: boolean
}

/** The structure of a database, as the reverse generators read it. */
export interface DatabaseSchema {
  /** The tables, followed by the views. */
  readonly tables: readonly SampledTable[]
  /** The database's views, partitions and foreign tables. */
  readonly others: readonly OtherRelation[]
  /** The SQL that creates the whole structure. */
  readonly structure: string
}

const sessionTable = /^(?:fw_session|servlet_sessions$)/

/** Reads the schema without writing to the database. Omits Fw's session tables. */
export async function readDatabaseSchema(database: Database): Promise<DatabaseSchema> {
  const domains = await readDomainChecks(database)
  const tables: SampledTable[] = []
  for (const table of await readSchema(database))
    if (!sessionTable.test(table.name))
      tables.push({ ...table, samples: await findSamples(database, table, domains), domains })
  for (const view of await readViews(database)) {
    const primaryKey = await findViewKey(database, view)
    tables.push({ ...withKey(view, primaryKey), samples: new Map(), domains, isView: true })
  }
  return {
    tables,
    others: await readOtherRelations(database),
    structure: await dumpSchema(database, { withMigrations: false }),
  }
}

/** Returns a view with a primary key: the column that identifies its rows. */
export const withKey = <T extends TableSchema>(view: T, [key]: readonly string[]): T => ({
  ...view,
  primaryKey: key === undefined ? [] : [key],
  columns: view.columns.map((column) =>
    column.name === key ? { ...column, isNullable: false } : column,
  ),
})

/**
 * Finds the column that identifies a view's rows. It is the primary key of the view's table, or a column without NULL in a
 * materialized view's unique index.
 */
async function findViewKey(database: Database, view: TableSchema): Promise<readonly string[]> {
  if (view.primaryKey.length > 0) return view.primaryKey
  const quote = (name: string): string => `"${name.replaceAll('"', '""')}"`
  const table = splitTableName(view.name).map(quote).join('.')
  for (const [column, more] of view.uniqueKeys) {
    if (column === undefined || more !== undefined) continue
    const sql = `select 1 from ${table} where ${quote(column)} is null limit 1`
    // Ignore the error of a materialized view that was never refreshed, because it cannot be read.
    const nulls = await database.query({ sql, parameters: [] }).catch(() => ({ rows: [] }))
    if (nulls.rows.length === 0) return [column]
  }
  return []
}

async function readDomainChecks(database: Database): Promise<ReadonlyMap<string, string>> {
  const sql = `select format_type(contypid, null) as name, string_agg(pg_get_constraintdef(oid), ' ') as checks
    from pg_constraint where contypid <> 0 group by 1`
  const { rows } = await database.query<{ name: string; checks: string }>({ sql, parameters: [] })
  return new Map(rows.map(({ name, checks }) => [name, checks]))
}

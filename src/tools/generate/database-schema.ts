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
  /** The columns of each unique index that has an expression or a condition, such as `lower(email)`. */
  readonly conditionalKeys?: readonly (readonly string[])[]
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
  const keys = await readConditionalKeys(database)
  const tables: SampledTable[] = []
  for (const table of await readSchema(database)) {
    if (sessionTable.test(table.name)) continue
    const samples = await findSamples(database, table, domains)
    const conditionalKeys = keys.get(splitTableName(table.name).join('.')) ?? []
    const primaryKey = table.primaryKey.length > 0 ? table.primaryKey : findOnlyKey(table)
    tables.push({ ...table, primaryKey, samples, domains, conditionalKeys })
  }
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

/** Returns the first unique column without NULL, which identifies the rows of a table without a primary key. */
const findOnlyKey = ({ uniqueKeys, columns }: TableSchema): readonly string[] =>
  uniqueKeys.find(
    ([name, more]) =>
      more === undefined && columns.some((one) => one.name === name && !one.isNullable),
  ) ?? []

/**
 * Reads the columns whose values must differ for each row by other indexes than plain unique ones: those with an expression or
 * a condition (without the columns that only the condition has), with computed columns (the columns that these depend on),
 * with `nulls not distinct` (without references that may be NULL), and those of exclusion constraints.
 */
async function readConditionalKeys(
  database: Database,
): Promise<ReadonlyMap<string, readonly (readonly string[])[]>> {
  // The parse tree of an expression has the number of each column, while its SQL could contain a name also in a text.
  const sql = `with index_ as (
      select i.*, coalesce((to_jsonb(i) ->> 'indnullsnotdistinct')::bool, false) as "nullsConflict",
        (select string_agg(d.adbin::text, ' ') from pg_attrdef d join pg_attribute g on (g.attrelid, g.attnum) = (d.adrelid, d.adnum)
          where d.adrelid = i.indrelid and d.adnum = any(i.indkey) and g.attgenerated <> '') as computed
      from pg_index i where i.indisunique or i.indisexclusion)
    select i.indrelid::regclass::text as table, array_agg(a.attname::text order by a.attnum) as columns
    from index_ i join pg_attribute a on a.attrelid = i.indrelid and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
      and (a.attnum = any(i.indkey) or concat(i.indexprs, ' ', i.computed) like '%:varattno ' || a.attnum || ' %')
      and not (i."nullsConflict" and not a.attnotnull
        and exists (select from pg_constraint c where c.conrelid = i.indrelid and c.contype = 'f' and a.attnum = any(c.conkey)))
    where (i.indexprs is not null or i.indpred is not null or i.computed is not null or i."nullsConflict" or i.indisexclusion)
      and i.indrelid >= 16384
    group by i.indexrelid, 1`
  const { rows } = await database.query<{ table: string; columns: readonly string[] }>({
    sql,
    parameters: [],
  })
  const byTable = Map.groupBy(rows, ({ table }) => splitTableName(table).join('.'))
  return new Map([...byTable].map(([table, keys]) => [table, keys.map(({ columns }) => columns)]))
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

/** Reads the tables and other relations of a database from its catalog. */
import type { Database } from './database.ts'

/** A column, as described in the database's catalog. */
export interface ColumnSchema {
  readonly name: string
  /** The type without its length, such as `varchar`, `int8` or the name of an enum; for an array, the element type. */
  readonly type: string
  readonly isArray: boolean
  /** The complete SQL type: `numeric(4,2)`, `text[]`, the name of a domain. */
  readonly sqlType: string
  /** The length n of a `varchar(n)` or `char(n)`; otherwise undefined. */
  readonly length: number | undefined
  /** The precision of a `numeric(digits, decimals)`, whose scale is `decimals`; otherwise undefined. */
  readonly digits: number | undefined
  readonly decimals: number | undefined
  readonly isNullable: boolean
  /** The SQL of DEFAULT or GENERATED; `identity` for an identity column; undefined if an insert must provide the value. */
  readonly default: string | undefined
  /** True for GENERATED ALWAYS: an insert must not provide the value. */
  readonly isGenerated: boolean
  /** The values of an enum type, in the type's order; undefined for other types. */
  readonly labels: readonly string[] | undefined
}

/** A foreign key: `columns[i]` references the column `references[i]` of the other table. */
export interface ForeignKey {
  readonly columns: readonly string[]
  readonly table: string
  readonly references: readonly string[]
}

/** A CHECK constraint with the columns in its condition. */
export interface CheckSchema {
  readonly columns: readonly string[]
  /** The condition of the constraint as SQL. */
  readonly sql: string
}

/** A table with its columns, keys and checks. */
export interface TableSchema {
  /** The table's name, prefixed with its schema if that is not in the search path; quoted if it has a dot: `"order.items"`. */
  readonly name: string
  readonly columns: readonly ColumnSchema[]
  /** The columns of the primary key, in the key's order; empty without a primary key. */
  readonly primaryKey: readonly string[]
  readonly foreignKeys: readonly ForeignKey[]
  /** The columns of each unique constraint and unique index, without the primary key. */
  readonly uniqueKeys: readonly (readonly string[])[]
  readonly checks: readonly CheckSchema[]
}

const quoteDotted = (name: string) =>
  `case when ${name} ~ '[."]' then '"' || replace(${name}, '"', '""') || '"' else ${name} end`

const tableName = (of: string) =>
  `case when pg_table_is_visible(${of}.oid) then '' else ${quoteDotted(`${of}n.nspname::text`)} || '.' end || ${quoteDotted(`${of}.relname::text`)}`

/** An SQL condition that excludes the tables of system schemas and of extensions. Its table is `t_`, its schema `t_n`. */
export const isApplications = `t_n.nspname <> 'information_schema' and t_n.nspname not like 'pg\\_%'
    and not exists (select 1 from pg_depend x where x.objid = t_.oid and x.classid = 'pg_class'::regclass and x.deptype = 'e')`

const columnNames = (table: string, numbers: string) =>
  `(select json_agg(a.attname order by k.at) from unnest(${numbers}) with ordinality k (number, at)
    join pg_attribute a on a.attrelid = ${table} and a.attnum = k.number)`

/** The SQL of a CTE that resolves domains: a domain without a length or default inherits them from its base type. */
const domains = `with recursive base_ as (
    select oid as type, oid as base, -1 as typmod, false as is_filled, null collate "C" as fallback from pg_type where typtype <> 'd'
    union all
    select t.oid, b.base, case when t.typtypmod > 0 then t.typtypmod else b.typmod end,
      t.typnotnull or b.is_filled, coalesce(t.typdefault collate "C", b.fallback)
    from pg_type t join base_ b on b.type = t.typbasetype where t.typtype = 'd')`

const columns = `(select json_agg(json_build_object(
    'name', a.attname,
    'type', coalesce(e.typname, y.typname),
    'isArray', e.oid is not null,
    'sqlType', format_type(a.atttypid, a.atttypmod),
    'length', case when coalesce(e.typname, y.typname) in ('varchar', 'bpchar') and m.typmod > 4 then m.typmod - 4 end,
    'digits', case when coalesce(e.typname, y.typname) = 'numeric' and m.typmod > 4 then (m.typmod - 4) >> 16 end,
    'decimals', case when coalesce(e.typname, y.typname) = 'numeric' and m.typmod > 4 then (((m.typmod - 4) & 2047) # 1024) - 1024 end,
    'isNullable', not (a.attnotnull or b.is_filled),
    'default', case when a.attidentity <> '' then 'identity' else coalesce(pg_get_expr(d.adbin, d.adrelid), b.fallback) end,
    'isGenerated', a.attgenerated <> '' or a.attidentity = 'a',
    'labels', (select json_agg(l.enumlabel order by l.enumsortorder) from pg_enum l where l.enumtypid = coalesce(e.oid, y.oid))
  ) order by a.attnum)
  from pg_attribute a
  join base_ b on b.type = a.atttypid
  join pg_type y on y.oid = b.base
  left join pg_type e on e.typarray = y.oid
  left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
  cross join lateral (select case when a.atttypmod > 0 then a.atttypmod else b.typmod end as typmod) m
  where a.attrelid = t_.oid and a.attnum > 0 and not a.attisdropped)`

/** Returns the query for the relations that match the condition `where`. */
const tablesSql = (
  where: string,
) => `${domains} select ${tableName('t_')} as name, ${columns} as columns,
  coalesce((select ${columnNames('c.conrelid', 'c.conkey')} from pg_constraint c
    where c.conrelid = t_.oid and c.contype = 'p'), '[]') as "primaryKey",
  coalesce((select json_agg(json_build_object(
      'columns', ${columnNames('c.conrelid', 'c.conkey')},
      'table', ${tableName('f_')},
      'references', ${columnNames('c.confrelid', 'c.confkey')}
    ) order by c.conname)
    from pg_constraint c join pg_class f_ on f_.oid = c.confrelid join pg_namespace f_n on f_n.oid = f_.relnamespace
    where c.conrelid = t_.oid and c.contype = 'f' and c.conparentid = 0), '[]') as "foreignKeys",
  coalesce((select json_agg(${columnNames('i.indrelid', '(i.indkey::int2[])[0:i.indnkeyatts - 1]')} order by u.relname)
    from pg_index i join pg_class u on u.oid = i.indexrelid
    where i.indrelid = t_.oid and i.indisunique and not i.indisprimary and i.indexprs is null and i.indpred is null), '[]') as "uniqueKeys",
  coalesce((select json_agg(json_build_object(
      'columns', ${columnNames('c.conrelid', 'c.conkey')}, 'sql', pg_get_expr(c.conbin, c.conrelid)
    ) order by c.conname) from pg_constraint c where c.conrelid = t_.oid and c.contype = 'c' and c.conkey is not null), '[]') as checks
  from pg_class t_ join pg_namespace t_n on t_n.oid = t_.relnamespace
  where ${where} and t_.relname <> 'fw_schema_migrations' and ${isApplications}
  order by 1`

type RawColumn = { [K in keyof ColumnSchema]: ColumnSchema[K] | null }
interface RawTable extends Omit<TableSchema, 'columns'> {
  readonly columns: readonly RawColumn[] | null
}

/** Reads all tables, sorted by name, except the table of migrations and the tables of extensions. */
export function readSchema(database: Database): Promise<TableSchema[]> {
  return readRelations(database, "t_.relkind in ('r', 'p') and not t_.relispartition")
}

/**
 * The query that maps the columns of views to those of their table, for views of one table without DISTINCT, GROUP BY or LIMIT.
 * The view's rule in the catalog contains the origin of each column. A name that a subquery repeats is omitted.
 */
const viewColumns = `with recursive entries_ as (
    select r.ev_class as view, regexp_replace(x[1], '\\\\(.)', '\\1', 'g') as name, x[2]::oid as origin, x[3]::int2 as number
    from pg_rewrite r cross join lateral regexp_matches(r.ev_action::text,
      ':resname ((?:\\\\.|[^\\s\\\\])+) :ressortgroupref \\d+ :resorigtbl (\\d+) :resorigcol (\\d+)', 'g') x
    where r.rulename = '_RETURN' and r.ev_class >= 16384 and pg_relation_is_updatable(r.ev_class, false) & 16 = 16
      and not exists (select 1 from pg_rewrite o where o.ev_class = r.ev_class and o.rulename <> '_RETURN')),
  simple_ as (select view, name, min(origin) as origin, min(number) as number from entries_ group by 1, 2 having count(*) = 1),
  columns_ as (
    select * from simple_
    union all
    select s.view, s.name, c.origin, c.number from columns_ c
    join pg_attribute a on a.attrelid = c.view and a.attname = c.name
    join simple_ s on s.origin = a.attrelid and s.number = a.attnum)
  select ${tableName('t_')} as view, c.name,
    exists (select 1 from pg_constraint k where k.conrelid = c.origin and k.contype = 'p' and k.conkey = array[c.number]) as "isKey"
  from columns_ c join pg_class t_ on t_.oid = c.view join pg_namespace t_n on t_n.oid = t_.relnamespace
    join pg_class o on o.oid = c.origin and o.relkind in ('r', 'p')
    join pg_attribute a on a.attrelid = c.origin and a.attnum = c.number and a.attnotnull`

/**
 * Reads all views and materialized views, sorted by name, except those of extensions. A view of a single table has that table's
 * primary key and NOT NULL columns; the columns of other views may be NULL.
 */
export async function readViews(database: Database): Promise<TableSchema[]> {
  const views = await readRelations(database, "t_.relkind in ('v', 'm')")
  const statement = { sql: viewColumns, parameters: [] }
  const { rows } = await database.query<{ view: string; name: string; isKey: boolean }>(statement)
  return views.map((view) => {
    const own = new Map(rows.filter((row) => row.view === view.name).map((row) => [row.name, row]))
    const key = view.columns.find(({ name }) => own.get(name)?.isKey)
    const columns = view.columns.map((one) => ({ ...one, isNullable: !own.has(one.name) }))
    return { ...view, columns, primaryKey: key === undefined ? [] : [key.name] }
  })
}

async function readRelations(database: Database, where: string): Promise<TableSchema[]> {
  const { rows } = await database.query<RawTable>({ sql: tablesSql(where), parameters: [] })
  return rows.map(({ columns: raw, ...table }) => ({
    ...table,
    columns: (raw ?? []).map(nullToUndefined),
  }))
}

function nullToUndefined(column: RawColumn): ColumnSchema {
  const entries = Object.entries(column).map(([key, value]) => [key, value ?? undefined])
  return Object.fromEntries(entries) as ColumnSchema
}

/** A view, materialized view, foreign table or partition, all of which `readSchema` omits. */
export interface OtherRelation {
  /** The name, prefixed with its schema if that is not in the search path; quoted if it has a dot: `"order.items"`. */
  readonly name: string
  readonly kind: 'view' | 'materialized view' | 'foreign table' | 'partition'
}

const otherRelations = `select ${tableName('t_')} as name,
    case when t_.relispartition then 'partition' when t_.relkind = 'v' then 'view'
      when t_.relkind = 'm' then 'materialized view' else 'foreign table' end as kind
  from pg_class t_ join pg_namespace t_n on t_n.oid = t_.relnamespace
  where (t_.relkind in ('v', 'm', 'f') or t_.relkind in ('r', 'p') and t_.relispartition) and ${isApplications}
  order by 2, 1`

/** Reads the views, foreign tables and partitions, sorted by kind and name, except those of extensions. */
export async function readOtherRelations(database: Database): Promise<OtherRelation[]> {
  return (await database.query<OtherRelation>({ sql: otherRelations, parameters: [] })).rows
}

/** An existing database's tables as its catalogue describes them. */
import type { Database } from './database.ts'

/** One column. */
export interface ColumnSchema {
  readonly name: string
  /** The type without its length, such as `varchar`, `int8` or the name of an enum; of an array, of its elements. */
  readonly type: string
  readonly isArray: boolean
  /** The type in full, as SQL writes it: `numeric(4,2)`, `text[]`, the name of a domain. */
  readonly sqlType: string
  /** Of `varchar(n)` and `char(n)`. */
  readonly length: number | undefined
  /** Digits of a `numeric(digits, decimals)`, and those of them behind the point. */
  readonly digits: number | undefined
  readonly decimals: number | undefined
  readonly isNullable: boolean
  /** The SQL of DEFAULT, or of GENERATED; absent where a row must bring the value. An identity is `identity`. */
  readonly default: string | undefined
  /** The database alone writes it: GENERATED ALWAYS, as a value or as an identity. */
  readonly isGenerated: boolean
  /** What an enum may hold, in its order. */
  readonly labels: readonly string[] | undefined
}

/** Columns that point to those of another table, pair by pair. */
export interface ForeignKey {
  readonly columns: readonly string[]
  readonly table: string
  readonly references: readonly string[]
}

/** A CHECK of a table. */
export interface CheckSchema {
  readonly columns: readonly string[]
  /** A condition over the columns' names. */
  readonly sql: string
}

/** One table. */
export interface TableSchema {
  /** Its name, with its schema where the search path does not lead to it. */
  readonly name: string
  readonly columns: readonly ColumnSchema[]
  /** In their order in the key; none without a primary key. */
  readonly primaryKey: readonly string[]
  readonly foreignKeys: readonly ForeignKey[]
  /** Columns that no two rows have alike, the primary key left out. */
  readonly uniqueKeys: readonly (readonly string[])[]
  readonly checks: readonly CheckSchema[]
}

const tableName = (of: string) =>
  `case when pg_table_is_visible(${of}.oid) then ${of}.relname else ${of}n.nspname || '.' || ${of}.relname end`

const columnNames = (table: string, numbers: string) =>
  `(select json_agg(a.attname order by k.at) from unnest(${numbers}) with ordinality k (number, at)
    join pg_attribute a on a.attrelid = ${table} and a.attnum = k.number)`

/** A domain stands on another type, whose name, length and default hold where it says none of its own. */
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
  left join pg_type e on e.oid = y.typelem and y.typcategory = 'A'
  left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
  cross join lateral (select case when a.atttypmod > 0 then a.atttypmod else b.typmod end as typmod) m
  where a.attrelid = t_.oid and a.attnum > 0 and not a.attisdropped)`

const tables = `${domains} select ${tableName('t_')} as name, ${columns} as columns,
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
  where t_.relkind in ('r', 'p') and t_n.nspname <> 'information_schema' and t_n.nspname not like 'pg\\_%'
    and not t_.relispartition and t_.relname <> 'fw_schema_migrations'
    and not exists (select 1 from pg_depend x where x.objid = t_.oid and x.classid = 'pg_class'::regclass and x.deptype = 'e')
  order by 1`

type RawColumn = { [K in keyof ColumnSchema]: ColumnSchema[K] | null }
interface RawTable extends Omit<TableSchema, 'columns'> {
  readonly columns: readonly RawColumn[] | null
}

/** Every table of the application, in order of their names; that of the migrations and those of extensions are left out. */
export async function readSchema(database: Database): Promise<TableSchema[]> {
  const { rows } = await database.query<RawTable>({ sql: tables, parameters: [] })
  return rows.map(({ columns: raw, ...table }) => ({ ...table, columns: (raw ?? []).map(present) }))
}

/** JSON says `null` where nothing is. */
function present(column: RawColumn): ColumnSchema {
  const entries = Object.entries(column).map(([key, value]) => [key, value ?? undefined])
  return Object.fromEntries(entries) as ColumnSchema
}

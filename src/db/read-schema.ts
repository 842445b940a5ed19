/** An existing database's tables as its catalogue describes them. */
import type { Database } from './database.ts'

/** One column. */
export interface ColumnSchema {
  readonly name: string
  /** The type without its length, such as `varchar`, `int8` or the name of an enum; of an array, of its elements. */
  readonly type: string
  readonly isArray: boolean
  /** Of `varchar(n)` and `char(n)`. */
  readonly length: number | undefined
  readonly isNullable: boolean
  /** The SQL of DEFAULT, or of GENERATED; absent where a row must bring the value. An identity is `identity`. */
  readonly default: string | undefined
  /** What an enum may hold, in its order. */
  readonly labels: readonly string[] | undefined
}

/** Columns that point to those of another table, pair by pair. */
export interface ForeignKey {
  readonly columns: readonly string[]
  readonly table: string
  readonly references: readonly string[]
}

/** One table. */
export interface TableSchema {
  /** Its name, with its schema where the search path does not lead to it. */
  readonly name: string
  readonly columns: readonly ColumnSchema[]
  /** In their order in the key; none without a primary key. */
  readonly primaryKey: readonly string[]
  readonly foreignKeys: readonly ForeignKey[]
}

const tableName = (of: string) =>
  `case when pg_table_is_visible(${of}.oid) then ${of}.relname else ${of}n.nspname || '.' || ${of}.relname end`

const columnNames = (table: string, numbers: string) =>
  `(select json_agg(a.attname order by k.at) from unnest(${numbers}) with ordinality k (number, at)
    join pg_attribute a on a.attrelid = ${table} and a.attnum = k.number)`

const columns = `(select json_agg(json_build_object(
    'name', a.attname,
    'type', coalesce(e.typname, y.typname),
    'isArray', e.oid is not null,
    'length', case when coalesce(e.typname, y.typname) in ('varchar', 'bpchar') and a.atttypmod > 4 then a.atttypmod - 4 end,
    'isNullable', not (a.attnotnull or y.typnotnull),
    'default', case when a.attidentity <> '' then 'identity' else pg_get_expr(d.adbin, d.adrelid) end,
    'labels', (select json_agg(l.enumlabel order by l.enumsortorder) from pg_enum l where l.enumtypid = coalesce(e.oid, y.oid))
  ) order by a.attnum)
  from pg_attribute a
  join pg_type t on t.oid = a.atttypid
  join pg_type y on y.oid = coalesce(nullif(t.typbasetype, 0), t.oid)
  left join pg_type e on e.oid = y.typelem and y.typcategory = 'A'
  left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
  where a.attrelid = t_.oid and a.attnum > 0 and not a.attisdropped)`

const tables = `select ${tableName('t_')} as name, ${columns} as columns,
  coalesce((select ${columnNames('c.conrelid', 'c.conkey')} from pg_constraint c
    where c.conrelid = t_.oid and c.contype = 'p'), '[]') as "primaryKey",
  coalesce((select json_agg(json_build_object(
      'columns', ${columnNames('c.conrelid', 'c.conkey')},
      'table', ${tableName('f_')},
      'references', ${columnNames('c.confrelid', 'c.confkey')}
    ) order by c.conname)
    from pg_constraint c join pg_class f_ on f_.oid = c.confrelid join pg_namespace f_n on f_n.oid = f_.relnamespace
    where c.conrelid = t_.oid and c.contype = 'f'), '[]') as "foreignKeys"
  from pg_class t_ join pg_namespace t_n on t_n.oid = t_.relnamespace
  where t_.relkind in ('r', 'p') and t_n.nspname <> 'information_schema' and t_n.nspname not like 'pg\\_%'
    and not t_.relispartition and t_.relname <> 'fw_schema_migrations'
  order by 1`

type RawColumn = { [K in keyof ColumnSchema]: ColumnSchema[K] | null }
interface RawTable extends Omit<TableSchema, 'columns'> {
  readonly columns: readonly RawColumn[] | null
}

/** Every table of the application, in order of their names; that of the migrations is left out. */
export async function readSchema(database: Database): Promise<TableSchema[]> {
  const { rows } = await database.query<RawTable>({ sql: tables, parameters: [] })
  return rows.map(({ columns: raw, ...table }) => ({ ...table, columns: (raw ?? []).map(present) }))
}

/** JSON says `null` where nothing is. */
function present(column: RawColumn): ColumnSchema {
  const entries = Object.entries(column).map(([key, value]) => [key, value ?? undefined])
  return Object.fromEntries(entries) as ColumnSchema
}

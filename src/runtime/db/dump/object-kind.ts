/** What a dump knows about one kind of database objects, and SQL that the kinds share. */

/** A kind of database objects: the query that reads them, and their place in the order of a dump. */
export interface ObjectKind {
  /** The system catalog whose oids the rows have. */
  readonly catalog: string
  /** A query with the columns `oid`, `sql` and perhaps others of `DumpRow`; it orders its rows. */
  readonly query: string
}

export interface DumpRow {
  readonly oid: number
  /** The statement that creates the object, or several statements. A NULL row is omitted. */
  readonly sql: string | readonly string[] | null
  /** Distinguishes a second statement about an object, which follows the statements of its `needs`. */
  readonly step?: string | null
  /** Further objects that must exist: `catalog/oid`. */
  readonly needs?: readonly string[] | null | undefined
  /** The roles that the statement names. */
  readonly roles?: readonly string[] | null
  /** The columns of a table, which the dump adds to the statement. */
  readonly table?: TableRow | null
  /** The part of a statement that the dump can also write in the column of a table: `default 1`. */
  readonly column?: { readonly table: string; readonly name: string; readonly sql: string } | null
}

export interface TableRow {
  /** The text before and after the columns in parentheses. In a column, a default goes between `sql` and `end`. */
  readonly head: string
  readonly tail: string
  readonly columns: readonly { readonly name: string; readonly sql: string; readonly end: string }[]
}

/** An SQL condition: the schema `n` belongs to the application. */
export const own = "n.nspname <> 'information_schema' and n.nspname not like 'pg\\_%'"

/** The first oid of objects that `initdb` has not created. */
export const firstOwn = 16384

/** An SQL condition: an extension has created the object. */
export const isExtensions = (catalog: string, oid: string): string =>
  `exists (select 1 from pg_depend x where x.classid = '${catalog}'::regclass and x.objid = ${oid} and x.deptype = 'e')`

/** An SQL condition: no extension has created the object. */
export const unowned = (catalog: string, oid: string): string => `not ${isExtensions(catalog, oid)}`

/** An SQL condition: the object is not part of another one, such as the sequence of an identity column. */
export const independent = (catalog: string, oid: string): string =>
  `not exists (select 1 from pg_depend x where x.classid = '${catalog}'::regclass and x.objid = ${oid} and x.objsubid = 0 and x.deptype in ('i', 'e'))`

/**
 * The SQL of a statement that drops a part of the table `c` if an extension has created the table; else NULL. The extension may
 * also have created the part, such as `rule "x"`.
 */
export const dropFromExtensions = (part: string): string =>
  `case when ${isExtensions('pg_class', 'c.oid')} then 'drop ' || ${part} || ' on ' || c.oid::regclass end`

/** The SQL of an object's quoted name, with its schema unless that is `public`. */
export const named = (name: string, schema = 'n.nspname'): string =>
  `case when ${schema} = 'public' then '' else quote_ident(${schema}) || '.' end || quote_ident(${name})`

/** The SQL of ` collate name` for a collation that differs from that of the type. */
export const collate = (collation: string, ofType: string): string =>
  `case when ${collation} <> 0 and ${collation} is distinct from ${ofType} then ' collate ' || ${collation}::regcollation else '' end`

/**
 * The SQL of ` with (name='value', …)` for the options of a table or view; empty without options. `more` are the options of the TOAST table,
 * which get the prefix `toast.`.
 */
export const withOptions = (options: string, more = "'{}'::text[]"): string =>
  `coalesce((select ' with (' || string_agg(o.name || '=' || quote_literal(o.value), ', ') || ')' from (
     select quote_ident(option_name) as name, option_value as value from pg_options_to_table(${options})
     union all select 'toast.' || quote_ident(option_name), option_value from pg_options_to_table(${more})) o), '')`

/** The SQL of ` options (name 'value', …)` for the options of a foreign object; empty without options. */
export const foreignOptions = (options: string): string =>
  `coalesce((select ' options (' || string_agg(quote_ident(option_name) || ' ' || quote_literal(option_value), ', ') || ')'
     from pg_options_to_table(${options})), '')`

/**
 * The SQL of an array of the settings of the column `a`, of the type `y`, that CREATE statements cannot contain, such as
 * ` set storage main`. Leaves out the version that newer minor releases of PostgreSQL add to the options.
 */
export const columnSettings = `array_remove(array[
    case when a.attstorage <> y.typstorage then ' set storage ' ||
      case a.attstorage when 'p' then 'plain' when 'e' then 'external' when 'm' then 'main' else 'extended' end end,
    case a.attcompression when 'p' then ' set compression pglz' when 'l' then ' set compression lz4' end,
    case when coalesce(a.attstattarget, -1) <> -1 then ' set statistics ' || a.attstattarget end,
    ' set (' || (select string_agg(o, ', ') from unnest(a.attoptions) o where o not like 'pg\\_attver=%') || ')'], null)`

/** The SQL of a function's option in a CREATE statement; empty without the function. */
export const functionOption = (name: string, column: string): string =>
  `case when ${column} = 0 then '' else ', ${name} = ' || ${column} end`

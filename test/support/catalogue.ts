/** Reads the system catalogs of a database with names instead of oids, to compare the structure of two databases. */
import type { Database } from '../../src/runtime/db.ts'

interface CatalogColumn {
  readonly catalog: string
  readonly column: string
  readonly type: string
}
interface CatalogKey {
  readonly catalog: string
  readonly columns: readonly string[]
  readonly target: string
  readonly isArray: boolean
}

/** Catalogs without structure: rows, statistics, and what belongs to the server. */
const omitted = [
  'pg_statistic',
  'pg_statistic_ext_data',
  'pg_largeobject',
  'pg_largeobject_metadata',
  'pg_init_privs',
]

/** Columns that depend on the history of the objects, on owners, or on dropped columns. */
const historical = new Set([
  'oid',
  'connoinherit',
  'attnum',
  'attcacheoff',
  'atthasmissing',
  'attmissingval',
  'attlen',
  'enumsortorder',
  'stxowner',
  'relfilenode',
  'relpages',
  'reltuples',
  'relallvisible',
  'relallfrozen',
  'relfrozenxid',
  'relminmxid',
  'relnatts',
  'relhasindex',
  'relhassubclass',
  'relhastriggers',
  'reltablespace',
  'reltoastrelid',
  'relhasrules',
  'indcheckxmin',
  'partattrs',
  'extversion',
  'extconfig',
  'typdefault',
  'typowner',
  'prooptions',
])

/** What the catalogs store as parse trees, as SQL. */
const definitions: Readonly<Record<string, string>> = {
  pg_attrdef: 'pg_get_expr(t.adbin, t.adrelid)',
  pg_class: 'concat(pg_get_viewdef(t.oid), pg_get_expr(t.relpartbound, t.oid))',
  pg_constraint: 'pg_get_constraintdef(t.oid)',
  pg_index: 'pg_get_indexdef(t.indexrelid)',
  pg_partitioned_table: 'pg_get_partkeydef(t.partrelid)',
  pg_policy:
    "concat(pg_get_expr(t.polqual, t.polrelid), ' / ', pg_get_expr(t.polwithcheck, t.polrelid))",
  pg_proc:
    "case when t.prokind = 'a' then pg_get_function_arguments(t.oid) else pg_get_functiondef(t.oid) end",
  pg_publication_rel: 'pg_get_expr(t.prqual, t.prrelid)',
  pg_rewrite: 'pg_get_ruledef(t.oid)',
  pg_statistic_ext: 'pg_get_statisticsobjdef(t.oid)',
  pg_trigger: "case when t.tgisinternal then '' else pg_get_triggerdef(t.oid) end",
  pg_type: "pg_get_expr(t.typdefaultbin, 'pg_type'::regclass)",
  pg_enum:
    '(select count(*) from pg_enum e where e.enumtypid = t.enumtypid and e.enumsortorder < t.enumsortorder)::text',
  pg_attribute:
    "case when t.attnum > 0 and c.relkind <> 'i' then (select count(*) from pg_attribute e where e.attrelid = t.attrelid and e.attnum between 1 and t.attnum and not e.attisdropped)::text end",
}

const aclTypes: Readonly<Record<string, string>> = {
  pg_class: "(case t.relkind when 'S' then 's' else 'r' end)::\"char\", t.relowner",
  pg_proc: "'f', t.proowner",
  pg_type: "'T', t.typowner",
  pg_namespace: "'n', t.nspowner",
  pg_language: "'l', t.lanowner",
  pg_foreign_data_wrapper: "'F', t.fdwowner",
  pg_foreign_server: "'S', t.srvowner",
}

const identity = (catalog: string, oid: string, column = '0'): string =>
  `(select identity from pg_identify_object(${catalog}, ${oid}, ${column}))`

const columnsQuery = `select c.relname as catalog, a.attname as column, format_type(a.atttypid, null) as type
  from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0
  where c.relnamespace = 'pg_catalog'::regnamespace and c.relkind = 'r' and not c.relisshared and c.oid < 16384
    and c.relname <> all('{${omitted.join(',')}}') order by c.relname, a.attnum`
const keysQuery = `select fktable::text as catalog, fkcols as columns, pktable::text as target, is_array as "isArray" from pg_get_catalog_foreign_keys()`

function expression(
  { catalog, column, type }: CatalogColumn,
  keys: readonly CatalogKey[],
): string | undefined {
  const value = `t.${column}`
  if (historical.has(column) || type === 'pg_node_tree' || type === 'anyarray') return undefined
  if (type === 'aclitem[]' || type === 'aclitem') {
    const initial = aclTypes[catalog]
    const list = initial === undefined ? value : `coalesce(${value}, acldefault(${initial}))`
    return `(select array_agg(x::text order by x::text) from aclexplode(${list}) x)`
  }
  const pair = keys.find(({ columns }) => columns.length === 2 && columns[1] === column)
  if (pair !== undefined) {
    const relation = `t.${pair.columns[0]}`
    const name = (number: string) =>
      `(select attname from pg_attribute where attrelid = ${relation} and attnum = ${number})`
    return pair.isArray
      ? `(select array_agg(coalesce(${name('u.x')}, u.x::text) order by u.at) from unnest(${value}::int2[]) with ordinality u (x, at))`
      : name(value)
  }
  const key = keys.find(({ columns }) => columns.length === 1 && columns[0] === column)
  if (key?.target === 'pg_authid' && !['defaclrole', 'polroles'].includes(column)) return undefined
  if (key?.target === 'pg_authid')
    return key.isArray
      ? `(select array_agg(x::regrole::text order by 1) from unnest(${value}) x)`
      : `${value}::regrole::text`
  if (key === undefined) return `to_jsonb(${value})`
  const target = `'${key.target}'::regclass`
  return key.isArray
    ? `(select array_agg(${identity(target, 'u.x')} order by u.at) from unnest(${value}::oid[]) with ordinality u (x, at))`
    : identity(target, `${value}::oid`)
}

/** References to an object of any catalog. */
const polymorphic: Readonly<Record<string, string>> = {
  pg_depend: `jsonb_build_object('object', ${identity('t.classid', 't.objid', 't.objsubid')}, 'needs', ${identity('t.refclassid', 't.refobjid', 't.refobjsubid')}, 'type', t.deptype)`,
  pg_description: `jsonb_build_object('object', ${identity('t.classoid', 't.objoid', 't.objsubid')}, 'text', t.description)`,
}

function catalogQuery(
  catalog: string,
  columns: readonly CatalogColumn[],
  keys: readonly CatalogKey[],
): string {
  const own = keys.filter((key) => key.catalog === catalog)
  const pairs = columns.flatMap((column) => {
    const sql = expression(column, own)
    return sql === undefined ? [] : [`'${column.column}', ${sql}`]
  })
  const definition = definitions[catalog]
  if (definition !== undefined) pairs.push(`'definition', ${definition}`)
  const row = polymorphic[catalog] ?? `jsonb_build_object(${pairs.join(', ')})`
  const first = catalog === 'pg_depend' ? 'objid' : columns[0]!.column
  const join = catalog === 'pg_attribute' ? 'join pg_class c on c.oid = t.attrelid' : ''
  const kept = catalog === 'pg_attribute' ? 'and not t.attisdropped and t.attnum > 0' : ''
  return `select ${row}::text as row from ${catalog} t ${join} where t.${first}::oid::int8 >= 16384 ${kept}`
}

/** Returns the rows of each catalog as sorted JSON texts. */
export async function readCatalogue(database: Database): Promise<Record<string, string[]>> {
  const read = async <Row>(sql: string) => (await database.query<Row>({ sql, parameters: [] })).rows
  return database.transaction(async () => {
    await read(
      "select set_config('search_path', 'public', true), set_config('datestyle', 'ISO', true)",
    )
    const columns = await read<CatalogColumn>(columnsQuery)
    const keys = await read<CatalogKey>(keysQuery)
    const catalogue: Record<string, string[]> = {}
    for (const [catalog, own] of Map.groupBy(columns, (column) => column.catalog)) {
      const rows = await read<{ row: string }>(catalogQuery(catalog, own, keys))
      const texts = rows.map(({ row }) =>
        row
          .replaceAll(/(RI_ConstraintTrigger_\w|Unique_ConstraintTrigger)_\d+/g, '$1')
          .replaceAll(/"pg_attver=\d+"(, )?/g, '')
          .replaceAll('"attoptions": []', '"attoptions": null'),
      )
      // ALTER DOMAIN records some dependencies twice.
      const distinct = new Set(texts.filter((text) => !/pg_toast[._]|"pg_toast"/.test(text)))
      catalogue[catalog] = [...distinct].toSorted()
    }
    const [open] = await read<{ acl: string }>(
      "select nspacl::text as acl from pg_namespace where nspname = 'public'",
    )
    return { ...catalogue, public: [String(open?.acl)] }
  })
}

/** Dumps the schema of a database as SQL that recreates it, for review, diffs, and databases without migrations. */
import { FwError } from '../base.ts'
import type { Database } from './database.ts'
import { constraintKinds } from './dump/constraints.ts'
import { functionKinds } from './dump/functions.ts'
import type { DumpRow, ObjectKind } from './dump/object-kind.ts'
import {
  Dependencies,
  orderObjects,
  type Dependency,
  type DumpObject,
} from './dump/order-objects.ts'
import { attachedKinds, defaultPrivilegeKinds } from './dump/privileges.ts'
import { refusedObjects } from './dump/refused-objects.ts'
import { publicationKinds, serverKinds } from './dump/servers.ts'
import { tableKinds } from './dump/tables.ts'
import { textSearchKinds } from './dump/text-search.ts'
import { eventTriggerKinds, triggerKinds } from './dump/triggers.ts'
import { typeKinds } from './dump/schemas-and-types.ts'
import { ruleKinds, viewKinds } from './dump/views.ts'

/** All kinds of objects in the order of the dump, which dependencies of objects change. */
const kinds: readonly ObjectKind[] = [
  ...typeKinds,
  ...functionKinds,
  ...textSearchKinds,
  ...serverKinds,
  ...tableKinds,
  ...constraintKinds,
  ...viewKinds,
  ...ruleKinds,
  ...triggerKinds,
  ...publicationKinds,
  ...attachedKinds,
  ...eventTriggerKinds,
  ...defaultPrivilegeKinds,
]

const dependencyQuery = `select classid::regclass || '/' || objid as "from", refclassid::regclass || '/' || refobjid as "to", deptype::text as type
  from pg_depend where objid >= 16384 and refobjid >= 16384 and not (deptype = 'a' and refobjsubid > 0
    and classid = 'pg_class'::regclass and exists (select 1 from pg_sequence s where s.seqrelid = objid))
  order by 1, 2`

/** Settings on which the texts of the catalog depend. With this path, the names of all schemas except \`public\` have a prefix. */
const settings = `select set_config(name, value, true) from (values ('search_path', 'public'), ('datestyle', 'ISO'),
  ('intervalstyle', 'postgres'), ('timezone', 'UTC'), ('extra_float_digits', '3'), ('bytea_output', 'hex'), ('quote_all_identifiers', 'off')) s (name, value)`

/** The table of migrations, which the search path of the connection finds, and whether that path is the usual one. */
const contextQuery = `select current_schemas(false) = '{public}' as "hasUsualPath", to_regclass('fw_schema_migrations')::oid::int8 as migrations`

export interface DumpOptions {
  /**
   * Whether the dump includes the table of migrations and its rows; default true. Without them it is a baseline, whose settings
   * end with its transaction.
   */
  readonly withMigrations?: boolean
}

/**
 * Returns SQL that creates every object of the database, but no rows except those of the applied migrations. The role that runs
 * the SQL owns the objects. Roles with privileges are created without login if they are missing.
 * @throws FwError `db.dump-refused` for an object that SQL cannot create anew
 */
export function dumpSchema(
  database: Database,
  { withMigrations = true }: DumpOptions = {},
): Promise<string> {
  return database.transaction(() => readDump(database, withMigrations), {
    isolation: 'repeatable read',
    readOnly: true,
  })
}

interface Context {
  readonly hasUsualPath: boolean
  readonly migrations: number | null
}

async function readDump(database: Database, withMigrations: boolean): Promise<string> {
  const [context] = await read<Context>(database, contextQuery)
  const { hasUsualPath, migrations } = context!
  await read(database, settings)
  await refuse(database)
  const objects = await readObjects(database)
  const dependencies = new Dependencies(objects, await read<Dependency>(database, dependencyQuery))
  if (!withMigrations) deleteTable(objects, dependencies, `pg_class/${migrations}`)
  const set = withMigrations ? 'set' : 'set local'
  const texts = [
    `${set} check_function_bodies = off`,
    ...(hasUsualPath ? [] : [`${set} search_path = public`]),
    ...createRoles(objects.values()),
    ...orderObjects(objects, dependencies),
    ...(withMigrations && migrations !== null ? await readMigrationRows(database, migrations) : []),
    ...(withMigrations || hasUsualPath ? [] : ['set local search_path = default']),
  ]
  return `${texts.join(';\n\n')};\n`
}

/** Deletes a table with its keys, indexes, comments and privileges, but not the views and functions that use it. */
function deleteTable(
  objects: Map<string, DumpObject>,
  dependencies: Dependencies,
  table: string,
): void {
  const deleted = new Set([table])
  // A set visits the items that are added during the iteration.
  for (const one of deleted)
    for (const { key, statements } of objects.values())
      if (dependencies.of(key).includes(one) && !statements.some((sql) => definesOther.test(sql)))
        deleted.add(key)
  for (const key of deleted) objects.delete(key)
}

const definesOther =
  /^create (?:or replace )?(?:materialized |foreign )?(?:view|table|function|procedure)\b/i

async function readObjects(database: Database): Promise<Map<string, DumpObject>> {
  const objects = new Map<string, DumpObject>()
  for (const { catalog, query } of kinds)
    for (const row of await read<DumpRow>(database, query)) {
      const whole = `${catalog}/${row.oid}`
      const key = row.step == null ? whole : `${whole}/${row.step}`
      const needs = row.step == null ? row.needs : [whole, ...(row.needs ?? [])]
      const statements = [row.sql ?? []].flat().map((sql) => sql.trimEnd())
      objects.set(key, { ...row, key, needs, statements })
    }
  return objects
}

/** @throws FwError `db.dump-refused` */
async function refuse(database: Database): Promise<void> {
  const refused = await read<{ object: string; remedy: string }>(database, refusedObjects)
  if (refused.length === 0) return
  const lines = refused.map(({ object, remedy }) => `${object}: ${remedy}`)
  throw new FwError(
    'db.dump-refused',
    `The dump cannot contain ${lines.join('; and ')}. Run the command on a database without it.`,
  )
}

/** Returns statements that create the missing ones of the roles that other statements name. */
function createRoles(objects: Iterable<DumpObject>): string[] {
  const roles = new Set([...objects].flatMap((object) => object.roles ?? []))
  const names = [...roles].filter((role) => !role.startsWith('pg_')).toSorted()
  return names.map((name) => {
    const quoted = `"${name.replaceAll('"', '""')}"`
    const block = `begin
  if not exists (select from pg_roles where rolname = ${quoteLiteral(name)}) then create role ${quoted} nologin; end if;
exception when duplicate_object or unique_violation then null;
end`
    return `do ${quoteLiteral(block)}`
  })
}

const quoteLiteral = (text: string): string => `'${text.replaceAll("'", "''")}'`

async function readMigrationRows(database: Database, table: number): Promise<string[]> {
  const [named] = await read<{ name: string }>(database, `select ${table}::regclass::text as name`)
  const sql = `select 'insert into ${named!.name} (version, name, checksum) values' || chr(10) ||
    string_agg(format('  (%s, %L, %L)', version, name, checksum), ',' || chr(10) order by version) as sql from ${named!.name}`
  const rows = await read<{ sql: string | null }>(database, sql)
  return rows.flatMap((row) => row.sql ?? [])
}

async function read<Row>(database: Database, sql: string): Promise<readonly Row[]> {
  return (await database.query<Row>({ sql, parameters: [] })).rows
}

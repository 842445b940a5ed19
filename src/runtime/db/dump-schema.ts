/** Dumps the schema of a database as SQL that recreates it, for review, diffs, and databases without migrations. */
import type { Database } from './database.ts'

const own = "n.nspname <> 'information_schema' and n.nspname not like 'pg\\_%'"
/** An SQL condition that excludes the objects that belong to extensions. */
const unowned = (oid: string): string =>
  `not exists (select 1 from pg_depend x where x.objid = ${oid} and x.deptype = 'e')`

/** An SQL condition: a parameter or the result of the function has the row type of a table. */
const hasRowType = `exists (select 1 from pg_type y left join pg_type e on e.oid = y.typelem
  join pg_class r on r.oid = coalesce(nullif(y.typrelid, 0), e.typrelid) and r.relkind <> 'c'
  where y.oid = any(p.proargtypes::oid[] || coalesce(p.proallargtypes, '{}') || p.prorettype))`

/** An SQL condition: the function needs tables for its signature, or for its SQL body, which is parsed at creation. */
const needsTable = `p.oid in (with recursive late as (
  select p.oid from pg_proc p where p.oid >= 16384 and (${hasRowType} or exists (
    select 1 from pg_depend x join pg_class r on r.oid = x.refobjid and r.relkind in ('r', 'p')
    where x.classid = 'pg_proc'::regclass and x.objid = p.oid and x.refclassid = 'pg_class'::regclass))
  union select x.objid from pg_depend x join late l on l.oid = x.refobjid
    where x.classid = 'pg_proc'::regclass and x.refclassid = 'pg_proc'::regclass
) select oid from late)`

/** An SQL condition: the function is a constructor of a range type, which CREATE TYPE creates automatically. */
const ofType = "exists (select 1 from pg_depend x where x.objid = p.oid and x.deptype = 'i')"

// Order by oid, the order of creation: a function can only call functions that existed when it was created.
const functions = (which: string): string =>
  `select pg_get_functiondef(p.oid) as sql from pg_proc p join pg_namespace n on n.oid = p.pronamespace
   where p.prokind in ('f', 'p') and ${which} and ${own} and ${unowned('p.oid')} and not ${ofType} order by p.oid`

/** Queries whose only column `sql` contains CREATE statements. Run the statements in the order of this list. */
const parts: readonly string[] = [
  `select 'create schema if not exists ' || quote_ident(n.nspname) as sql from pg_namespace n
   where ${own} and n.nspname <> 'public' and ${unowned('n.oid')} order by n.nspname`,
  `select 'create extension if not exists ' || quote_ident(e.extname) as sql from pg_extension e
   where e.extname <> 'plpgsql' order by e.extname`,
  // Order by oid, the order of creation: a type is created after the types that it contains.
  `select case t.typtype
     when 'e' then 'create type ' || t.oid::regtype || ' as enum (' ||
       (select string_agg(quote_literal(l.enumlabel), ', ' order by l.enumsortorder) from pg_enum l where l.enumtypid = t.oid) || ')'
     when 'c' then 'create type ' || t.oid::regtype || ' as (' ||
       (select string_agg(quote_ident(a.attname) || ' ' || format_type(a.atttypid, a.atttypmod), ', ' order by a.attnum)
        from pg_attribute a where a.attrelid = t.typrelid and a.attnum > 0 and not a.attisdropped) || ')'
     when 'r' then 'create type ' || t.oid::regtype || ' as range (subtype = ' ||
       (select format_type(r.rngsubtype, null) from pg_range r where r.rngtypid = t.oid) || ')'
     else 'create domain ' || t.oid::regtype || ' as ' || format_type(t.typbasetype, t.typtypmod) ||
       coalesce(' default ' || t.typdefault, '') || case when t.typnotnull then ' not null' else '' end ||
       coalesce((select string_agg(' constraint ' || quote_ident(k.conname) || ' ' || pg_get_constraintdef(k.oid), '' order by k.conname)
         from pg_constraint k where k.contypid = t.oid and k.contype = 'c'), '') end as sql
   from pg_type t join pg_namespace n on n.oid = t.typnamespace
   where (t.typtype in ('e', 'd', 'r') or t.typtype = 'c' and (select c.relkind from pg_class c where c.oid = t.typrelid) = 'c')
     and ${own} and ${unowned('t.oid')} order by t.oid`,
  `select 'create sequence ' || c.oid::regclass || ' as ' || format_type(s.seqtypid, null) ||
     ' increment ' || s.seqincrement || ' minvalue ' || s.seqmin || ' maxvalue ' || s.seqmax || ' start ' || s.seqstart ||
     case when s.seqcycle then ' cycle' else '' end as sql
   from pg_sequence s join pg_class c on c.oid = s.seqrelid join pg_namespace n on n.oid = c.relnamespace
   where ${own} and not exists (select 1 from pg_depend d where d.objid = c.oid and d.deptype = 'i') and ${unowned('c.oid')}
   order by c.oid::regclass::text`,
  functions(`not ${needsTable}`),
  `select 'create aggregate ' || p.oid::regprocedure || ' (sfunc = ' || g.aggtransfn || ', stype = ' || format_type(g.aggtranstype, null) ||
     case when g.aggfinalfn <> 0 then ', finalfunc = ' || g.aggfinalfn else '' end ||
     coalesce(', initcond = ' || quote_literal(g.agginitval), '') || ')' as sql
   from pg_aggregate g join pg_proc p on p.oid = g.aggfnoid join pg_namespace n on n.oid = p.pronamespace
   where g.aggkind = 'n' and ${own} and ${unowned('p.oid')} order by p.proname, p.oid`,
  `select 'create table ' || c.oid::regclass || ' (' || chr(10) || coalesce((
     select string_agg('  ' || quote_ident(a.attname) || ' ' || format_type(a.atttypid, a.atttypmod) ||
       case when a.attgenerated <> '' then ' generated always as (' || pg_get_expr(d.adbin, d.adrelid) ||
              case a.attgenerated when 's' then ') stored' else ')' end
            when a.attidentity = 'a' then ' generated always as identity'
            when a.attidentity = 'd' then ' generated by default as identity'
            when d.adbin is not null then ' default ' || pg_get_expr(d.adbin, d.adrelid) else '' end ||
       case when a.attnotnull then ' not null' else '' end, ',' || chr(10) order by a.attnum)
     from pg_attribute a left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
     where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped) || chr(10), '') || ')' ||
     case when c.relkind = 'p' then ' partition by ' || pg_get_partkeydef(c.oid) else '' end as sql
   from pg_class c join pg_namespace n on n.oid = c.relnamespace
   where c.relkind in ('r', 'p') and not c.relispartition and ${own} and ${unowned('c.oid')} order by c.oid::regclass::text`,
  `select 'create table ' || c.oid::regclass || ' partition of ' || i.inhparent::regclass || ' ' ||
     pg_get_expr(c.relpartbound, c.oid) || case when c.relkind = 'p' then ' partition by ' || pg_get_partkeydef(c.oid) else '' end as sql
   from pg_class c join pg_inherits i on i.inhrelid = c.oid join pg_namespace n on n.oid = c.relnamespace
   where c.relispartition and c.relkind in ('r', 'p') and ${own} order by c.oid`,
  functions(needsTable),
  `select 'alter sequence ' || c.oid::regclass || ' owned by ' || d.refobjid::regclass || '.' || quote_ident(a.attname) as sql
   from pg_class c join pg_namespace n on n.oid = c.relnamespace
   join pg_depend d on d.objid = c.oid and d.deptype = 'a' and d.refobjsubid > 0
   join pg_attribute a on a.attrelid = d.refobjid and a.attnum = d.refobjsubid
   where c.relkind = 'S' and ${own} order by c.oid::regclass::text`,
  // Create keys before the foreign keys that reference them. NOT NULL constraints are already part of the columns.
  `select 'alter table ' || k.conrelid::regclass || ' add constraint ' || quote_ident(k.conname) || ' ' || pg_get_constraintdef(k.oid) as sql
   from pg_constraint k join pg_namespace n on n.oid = k.connamespace join pg_class c on c.oid = k.conrelid
   where k.contype in ('p', 'u', 'c', 'x', 'f') and k.conparentid = 0 and k.coninhcount = 0 and ${own} and ${unowned('c.oid')}
   order by array_position(array['p', 'u', 'c', 'x', 'f'], k.contype::text), k.conrelid::regclass::text, k.conname`,
  `select pg_get_indexdef(i.indexrelid) as sql from pg_index i join pg_class c on c.oid = i.indexrelid
   join pg_namespace n on n.oid = c.relnamespace join pg_class t on t.oid = i.indrelid
   where ${own} and not t.relispartition and t.relkind in ('r', 'p') and ${unowned('t.oid')}
     and not exists (select 1 from pg_constraint k where k.conindid = i.indexrelid and k.contype in ('p', 'u', 'x'))
   order by t.relname, c.relname`,
  `select 'create ' || case c.relkind when 'm' then 'materialized ' else '' end || 'view ' || c.oid::regclass ||
     ' as' || chr(10) || rtrim(pg_get_viewdef(c.oid), ';') as sql
   from pg_class c join pg_namespace n on n.oid = c.relnamespace
   where c.relkind in ('v', 'm') and ${own} and ${unowned('c.oid')} order by c.oid`,
  `select pg_get_indexdef(i.indexrelid) as sql from pg_index i join pg_class c on c.oid = i.indexrelid
   join pg_namespace n on n.oid = c.relnamespace join pg_class t on t.oid = i.indrelid
   where ${own} and t.relkind = 'm' order by t.relname, c.relname`,
  `select pg_get_triggerdef(g.oid) as sql from pg_trigger g join pg_class c on c.oid = g.tgrelid
   join pg_namespace n on n.oid = c.relnamespace where not g.tgisinternal and g.tgparentid = 0 and ${own} order by c.relname, g.tgname`,
]

const migrationTable = "select to_regclass('fw_schema_migrations')::text as sql"
const migrations = `select 'insert into fw_schema_migrations (version, name, checksum) values' || chr(10) ||
  string_agg(format('  (%s, %L, %L)', version, name, checksum), ',' || chr(10) order by version) as sql from fw_schema_migrations`

export interface DumpOptions {
  /** Whether the dump includes the table of migrations and its rows; default true. */
  readonly withMigrations?: boolean
}

/** Matches a statement that creates the table of migrations, its key or its index. */
const createsMigrations = /^[^(]*\bfw_schema_migrations\b/

/**
 * Returns SQL that creates the types, sequences, functions, tables, keys, indexes, views and triggers of every schema, and
 * records the applied migrations. Use `pg_dump` for rows, privileges, owners, comments and row policies.
 */
export async function dumpSchema(
  database: Database,
  { withMigrations = true }: DumpOptions = {},
): Promise<string> {
  const texts: string[] = ['set check_function_bodies = off']
  await database.transaction(
    async () => {
      for (const part of parts) texts.push(...(await statements(database, part)))
      if (withMigrations && (await statements(database, migrationTable)).length > 0)
        texts.push(...(await statements(database, migrations)))
    },
    { isolation: 'repeatable read', readOnly: true },
  )
  const dumped = withMigrations ? texts : texts.filter((text) => !createsMigrations.test(text))
  return `${dumped.join(';\n\n')};\n`
}

async function statements(database: Database, sql: string): Promise<string[]> {
  const { rows } = await database.query<{ sql: string | null }>({ sql, parameters: [] })
  return rows.flatMap((row) => (row.sql === null ? [] : [row.sql.trimEnd()]))
}

/** Dumps views, materialized views and rules. */
import {
  columnSettings,
  dropFromExtensions,
  own,
  unowned,
  withOptions,
  type ObjectKind,
} from './object-kind.ts'

const views = (kind: 'v' | 'm', word: string): ObjectKind => ({
  catalog: 'pg_class',
  query: `select c.oid, 'create ${word}view ' || c.oid::regclass ||
     coalesce((select ' using ' || quote_ident(m.amname) from pg_am m where m.oid = c.relam and m.amname <> 'heap'), '') ||
     ${withOptions('c.reloptions')} || ' as' || chr(10) || rtrim(pg_get_viewdef(c.oid), ';') ||
     case when c.relispopulated then '' else chr(10) || ' with no data' end as sql
   from pg_class c join pg_namespace n on n.oid = c.relnamespace
   where c.relkind = '${kind}' and ${own} and ${unowned('pg_class', 'c.oid')} order by n.nspname, c.relname`,
})

const viewSettings: ObjectKind = {
  catalog: 'pg_class',
  query: `select c.oid, 'settings' as step, array['pg_class/' || c.oid] as needs, array(
     select 'alter materialized view ' || c.oid::regclass || ' alter column ' || quote_ident(a.attname) || step
     from pg_attribute a join pg_type y on y.oid = a.atttypid cross join lateral unnest(${columnSettings}) step
     where a.attrelid = c.oid and a.attnum > 0 order by a.attnum) as sql
   from pg_class c join pg_namespace n on n.oid = c.relnamespace
   where c.relkind = 'm' and ${own} and ${unowned('pg_class', 'c.oid')} order by n.nspname, c.relname`,
}

const rules: ObjectKind = {
  catalog: 'pg_rewrite',
  query: `select r.oid, array_remove(array[${dropFromExtensions("'rule if exists ' || quote_ident(r.rulename)")}, rtrim(pg_get_ruledef(r.oid), ';'), 'alter table ' || c.oid::regclass ||
     case r.ev_enabled when 'D' then ' disable' when 'R' then ' enable replica' when 'A' then ' enable always' end || ' rule ' || quote_ident(r.rulename)], null) as sql
   from pg_rewrite r join pg_class c on c.oid = r.ev_class join pg_namespace n on n.oid = c.relnamespace
   where r.rulename <> '_RETURN' and ${own} order by n.nspname, c.relname, r.rulename`,
}

export const viewKinds: readonly ObjectKind[] = [
  views('v', ''),
  views('m', 'materialized '),
  viewSettings,
]
export const ruleKinds: readonly ObjectKind[] = [rules]

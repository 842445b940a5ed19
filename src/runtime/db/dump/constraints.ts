/** Dumps keys, checks, indexes and extended statistics. */
import { own, unowned, type ObjectKind } from './object-kind.ts'

const alterTable = (only: string): string =>
  `'alter table ${only}' || k.conrelid::regclass || ' add constraint ' || quote_ident(k.conname) || ' ' || pg_get_constraintdef(k.oid)`

/** The constraints of a kind. NOT NULL constraints are part of the columns unless they are not validated. */
const constraints = (only: string, condition: string): ObjectKind => ({
  catalog: 'pg_constraint',
  query: `select k.oid, ${alterTable(only)} as sql
   from pg_constraint k join pg_class c on c.oid = k.conrelid join pg_namespace n on n.oid = c.relnamespace
   where ${condition} and ${own} and ${unowned('pg_class', 'c.oid')}
   order by array_position(array['p', 'u', 'x', 'c', 'n', 'f'], k.contype::text), n.nspname, c.relname, k.conname`,
})

/** Statements about an index that exists: what CREATE INDEX and ADD CONSTRAINT cannot contain. */
const indexSteps = `array_remove(array[
    case when i.indisclustered then 'alter table ' || i.indrelid::regclass || ' cluster on ' || quote_ident(c.relname) end,
    case when i.indisreplident then 'alter table only ' || i.indrelid::regclass || ' replica identity using index ' || quote_ident(c.relname) end,
    case when k.oid is not null then 'alter index ' || c.oid::regclass || ' set (' || array_to_string(c.reloptions, ', ') || ')' end]
  || array(select 'alter index ' || c.oid::regclass || ' alter column ' || a.attnum || ' set statistics ' || a.attstattarget
    from pg_attribute a where a.attrelid = c.oid and coalesce(a.attstattarget, -1) <> -1 order by a.attnum), null)`

const fromIndexes = `from pg_index i join pg_class c on c.oid = i.indexrelid join pg_namespace n on n.oid = c.relnamespace
   left join pg_constraint k on k.conindid = c.oid and k.conrelid = i.indrelid and k.contype in ('p', 'u', 'x')`

// A foreign key refers to the oldest unique index of its columns, so that the index of a foreign key comes first.
const indexes: ObjectKind = {
  catalog: 'pg_class',
  query: `select c.oid, pg_get_indexdef(c.oid) as sql ${fromIndexes}
   where k.oid is null and ${own} and ${unowned('pg_class', 'i.indrelid')} order by n.nspname, i.indrelid::regclass::text,
     not exists (select 1 from pg_constraint f where f.contype = 'f' and f.conindid = c.oid), c.relname`,
}

const indexSettings: ObjectKind = {
  catalog: 'pg_class',
  query: `select c.oid, 'settings' as step, array[case when k.oid is null then 'pg_class/' || c.oid else 'pg_constraint/' || k.oid end] as needs, ${indexSteps} as sql
   ${fromIndexes} where ${own} and ${unowned('pg_class', 'i.indrelid')} order by n.nspname, c.relname`,
}

const indexPartitions: ObjectKind = {
  catalog: 'pg_class',
  query: `select c.oid, 'attach' as step, 'alter index ' || h.inhparent::regclass || ' attach partition ' || c.oid::regclass as sql,
     array(select case when k.oid is null then 'pg_class/' || x.oid else 'pg_constraint/' || k.oid end
       from (values (c.oid), (h.inhparent)) x (oid) left join pg_constraint k on k.conindid = x.oid and k.contype in ('p', 'u', 'x')) as needs
   from pg_class c join pg_inherits h on h.inhrelid = c.oid join pg_namespace n on n.oid = c.relnamespace
   where c.relkind in ('i', 'I') and ${own} order by n.nspname, c.relname`,
}

const statistics: ObjectKind = {
  catalog: 'pg_statistic_ext',
  query: `select s.oid, array_remove(array[pg_get_statisticsobjdef(s.oid),
     case when coalesce(s.stxstattarget, -1) <> -1 then 'alter statistics ' || quote_ident(n.nspname) || '.' || quote_ident(s.stxname) ||
       ' set statistics ' || s.stxstattarget end], null) as sql
   from pg_statistic_ext s join pg_namespace n on n.oid = s.stxnamespace
   where ${own} and ${unowned('pg_statistic_ext', 's.oid')} order by n.nspname, s.stxname`,
}

/** Indexes follow their tables; foreign keys follow every unique index that they may refer to. */
export const constraintKinds: readonly ObjectKind[] = [
  constraints('only ', "k.contype in ('p', 'u', 'x')"),
  constraints('', "k.conislocal and (k.contype = 'c' or k.contype = 'n' and not k.convalidated)"),
  indexes,
  indexPartitions,
  indexSettings,
  constraints('', "k.contype = 'f' and k.conparentid = 0"),
  statistics,
]

/** Finds the objects that a dump cannot keep. */
import { own, unowned } from './object-kind.ts'

/** A query for objects that a dump cannot keep: what each is, and why or what to do. */
export const refusedObjects = `
  select 'the base type ' || t.oid::regtype as object, 'its functions are written in C: create it by an extension' as remedy
  from pg_type t join pg_namespace n on n.oid = t.typnamespace
  where t.typtype = 'b' and not exists (select 1 from pg_type e where e.typarray = t.oid) and ${own} and ${unowned('pg_type', 't.oid')}
  union all
  select 'the index ' || i.indexrelid::regclass, 'it is invalid: run reindex index ' || i.indexrelid::regclass || ', or drop it'
  from pg_index i join pg_class c on c.oid = i.indexrelid join pg_namespace n on n.oid = c.relnamespace
  where c.relkind = 'i' and not (i.indisvalid and i.indisready) and ${own}
  union all
  select 'the constraint ' || quote_ident(k.conname) || ' of ' || k.conrelid::regclass,
    'its trigger on ' || g.tgrelid::regclass || ' is disabled, so that it is not enforced: run alter table ' || g.tgrelid::regclass || ' enable trigger all'
  from pg_trigger g join pg_constraint k on k.oid = g.tgconstraint join pg_namespace n on n.oid = k.connamespace
  where g.tgisinternal and g.tgenabled <> 'O' and ${own}
  union all
  select 'the user mapping of ' || usename || ' for the server ' || quote_ident(srvname), 'it contains a password: create it in each environment'
  from pg_user_mappings
  union all
  select 'the subscription ' || quote_ident(s.subname), 'it contains the password of another server: create it in each environment'
  from pg_subscription s join pg_database d on d.oid = s.subdbid where d.datname = current_database()
  union all
  select 'the security label of ' || s.objtype || ' ' || s.objname, 'it needs the module ' || s.provider || ' of the server: set it in each environment'
  from pg_seclabels s where s.objtype not in ('role', 'database', 'tablespace', 'large object')
  order by 1`

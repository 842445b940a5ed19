/** Dumps triggers, row policies and event triggers. */
import { firstOwn, own, unowned, type ObjectKind } from './object-kind.ts'

const enables = (column: string): string =>
  `case ${column} when 'D' then ' disable' when 'R' then ' enable replica' when 'A' then ' enable always' else ' enable' end`

/** The trigger of a partition is a copy of its parent's, which may be enabled otherwise. */
const triggers: ObjectKind = {
  catalog: 'pg_trigger',
  query: `select g.oid, array_remove(array[
     case when g.tgparentid = 0 then pg_get_triggerdef(g.oid) end,
     case when g.tgenabled <> coalesce(p.tgenabled, 'O') then 'alter table only ' || c.oid::regclass || ${enables('g.tgenabled')} || ' trigger ' || quote_ident(g.tgname) end], null) as sql
   from pg_trigger g join pg_class c on c.oid = g.tgrelid join pg_namespace n on n.oid = c.relnamespace
   left join pg_trigger p on p.oid = g.tgparentid
   where not g.tgisinternal and ${own} and ${unowned('pg_class', 'c.oid')} order by n.nspname, c.relname, g.tgname`,
}

const policies: ObjectKind = {
  catalog: 'pg_policy',
  query: `select p.oid, array(select r.rolname::text from pg_roles r where r.oid = any(p.polroles)) as roles,
     'create policy ' || quote_ident(p.polname) || ' on ' || c.oid::regclass || case when p.polpermissive then '' else ' as restrictive' end ||
     case p.polcmd when 'r' then ' for select' when 'a' then ' for insert' when 'w' then ' for update' when 'd' then ' for delete' else '' end ||
     case when p.polroles = '{0}' then '' else ' to ' || (select string_agg(quote_ident(r.rolname), ', ' order by r.rolname) from pg_roles r where r.oid = any(p.polroles)) end ||
     coalesce(' using (' || pg_get_expr(p.polqual, p.polrelid) || ')', '') ||
     coalesce(' with check (' || pg_get_expr(p.polwithcheck, p.polrelid) || ')', '') as sql
   from pg_policy p join pg_class c on c.oid = p.polrelid join pg_namespace n on n.oid = c.relnamespace
   where ${own} and ${unowned('pg_class', 'c.oid')} order by n.nspname, c.relname, p.polname`,
}

const eventTriggers: ObjectKind = {
  catalog: 'pg_event_trigger',
  query: `select e.oid, array_remove(array['create event trigger ' || quote_ident(e.evtname) || ' on ' || e.evtevent ||
     coalesce(' when tag in (' || (select string_agg(quote_literal(t), ', ') from unnest(e.evttags) t) || ')', '') || ' execute function ' || e.evtfoid::regproc || '()',
     case when e.evtenabled <> 'O' then 'alter event trigger ' || quote_ident(e.evtname) || ${enables('e.evtenabled')} end], null) as sql
   from pg_event_trigger e where e.oid >= ${firstOwn} and ${unowned('pg_event_trigger', 'e.oid')} order by e.evtname`,
}

export const triggerKinds: readonly ObjectKind[] = [triggers, policies]
/** Create event triggers last, so that they do not run for the other statements of the dump. */
export const eventTriggerKinds: readonly ObjectKind[] = [eventTriggers]

/** Dumps triggers, row policies and event triggers. */
import { dropFromExtensions, firstOwn, own, unowned, type ObjectKind } from './object-kind.ts'

const enables = (column: string): string =>
  `case ${column} when 'D' then ' disable' when 'R' then ' enable replica' when 'A' then ' enable always' else ' enable' end`

/** An SQL condition: the extension that has created the table `c` has not created the function of the trigger `g`. */
const isOwnTrigger = `not exists (select 1 from pg_depend x join pg_depend f on f.refobjid = x.refobjid and f.deptype = 'e'
     where x.classid = 'pg_class'::regclass and x.objid = c.oid and x.deptype = 'e' and f.classid = 'pg_proc'::regclass and f.objid = g.tgfoid)`

/** The trigger of a partition is a copy of its parent's, which may be enabled otherwise. */
const triggers: ObjectKind = {
  catalog: 'pg_trigger',
  query: `select g.oid, array_remove(array[
     case when g.tgparentid = 0 then ${dropFromExtensions("'trigger if exists ' || quote_ident(g.tgname)")} end,
     case when g.tgparentid = 0 then pg_get_triggerdef(g.oid) end,
     case when g.tgenabled <> coalesce(p.tgenabled, 'O') then 'alter table only ' || c.oid::regclass || ${enables('g.tgenabled')} || ' trigger ' || quote_ident(g.tgname) end], null) as sql
   from pg_trigger g join pg_class c on c.oid = g.tgrelid join pg_namespace n on n.oid = c.relnamespace
   left join pg_trigger p on p.oid = g.tgparentid
   where not g.tgisinternal and ${own} and ${isOwnTrigger} order by n.nspname, c.relname, g.tgname`,
}

const policies: ObjectKind = {
  catalog: 'pg_policy',
  query: `select p.oid, array(select r.rolname::text from pg_roles r where r.oid = any(p.polroles)) as roles,
     array_remove(array[${dropFromExtensions("'policy if exists ' || quote_ident(p.polname)")}, 'create policy ' || quote_ident(p.polname) || ' on ' || c.oid::regclass || case when p.polpermissive then '' else ' as restrictive' end ||
     case p.polcmd when 'r' then ' for select' when 'a' then ' for insert' when 'w' then ' for update' when 'd' then ' for delete' else '' end ||
     case when p.polroles = '{0}' then '' else ' to ' || (select string_agg(quote_ident(r.rolname), ', ' order by r.rolname) from pg_roles r where r.oid = any(p.polroles)) end ||
     coalesce(' using (' || pg_get_expr(p.polqual, p.polrelid) || ')', '') ||
     coalesce(' with check (' || pg_get_expr(p.polwithcheck, p.polrelid) || ')', '')], null) as sql
   from pg_policy p join pg_class c on c.oid = p.polrelid join pg_namespace n on n.oid = c.relnamespace
   where ${own} order by n.nspname, c.relname, p.polname`,
}

const rowSecurity: ObjectKind = {
  catalog: 'pg_class',
  query: `select c.oid, 'row security' as step, array_remove(array[
     case when c.relrowsecurity then 'alter table ' || c.oid::regclass || ' enable row level security' end,
     case when c.relforcerowsecurity then 'alter table only ' || c.oid::regclass || ' force row level security' end], null) as sql
   from pg_class c join pg_namespace n on n.oid = c.relnamespace
   where (c.relrowsecurity or c.relforcerowsecurity) and ${own} order by n.nspname, c.relname`,
}

const eventTriggers: ObjectKind = {
  catalog: 'pg_event_trigger',
  query: `select e.oid, array_remove(array['create event trigger ' || quote_ident(e.evtname) || ' on ' || e.evtevent ||
     coalesce(' when tag in (' || (select string_agg(quote_literal(t), ', ') from unnest(e.evttags) t) || ')', '') || ' execute function ' || e.evtfoid::regproc || '()',
     case when e.evtenabled <> 'O' then 'alter event trigger ' || quote_ident(e.evtname) || ${enables('e.evtenabled')} end], null) as sql
   from pg_event_trigger e where e.oid >= ${firstOwn} and ${unowned('pg_event_trigger', 'e.oid')} order by e.evtname`,
}

export const triggerKinds: readonly ObjectKind[] = [triggers, policies, rowSecurity]
/** Create event triggers last, so that they do not run for the other statements of the dump. */
export const eventTriggerKinds: readonly ObjectKind[] = [eventTriggers]

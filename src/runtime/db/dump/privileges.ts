/** Dumps what is attached to objects of any kind: comments, privileges, and dependencies on extensions. */
import { firstOwn, isExtensions, type ObjectKind } from './object-kind.ts'

const comments: ObjectKind = {
  catalog: 'pg_description',
  query: `select d.objoid as oid, d.classoid::regclass || '/' || d.objsubid as step, array[d.classoid::regclass || '/' || d.objoid] as needs,
     'comment on ' || case
       when o.type like '% column' then 'column ' || o.identity
       when o.type = 'table constraint' then 'constraint ' || o.identity
       when o.type = 'domain constraint' then 'constraint ' || quote_ident(k.conname) || ' on domain ' || k.contypid::regtype
       when o.type = 'foreign-data wrapper' then 'foreign data wrapper ' || o.identity
       when o.type = 'statistics object' then 'statistics ' || o.identity
       when o.type = 'transform' then 'transform ' || replace(o.identity, ' on language ', ' language ')
       else o.type || ' ' || o.identity end || ' is ' || quote_literal(d.description) as sql
   from pg_description d left join pg_index i on d.classoid = 'pg_class'::regclass and i.indexrelid = d.objoid
   left join pg_constraint k on d.classoid = 'pg_constraint'::regclass and k.oid = d.objoid
   cross join lateral pg_identify_object(d.classoid, d.objoid, d.objsubid) o
   where (d.objoid >= ${firstOwn} or d.classoid = 'pg_namespace'::regclass and o.name = 'public' and d.description <> 'standard public schema')
     and o.type <> 'large object' and coalesce(o.schema, case o.type when 'schema' then o.identity end, '') !~ '^(pg_|information_schema$)'
     and not exists (select 1 from pg_depend x where x.classid = d.classoid and x.objid = d.objoid and x.deptype = 'e')
     and not ${isExtensions('pg_class', 'coalesce(i.indrelid, k.conrelid)')}
     and not exists (select 1 from pg_extension e join pg_available_extensions v on v.name = e.extname
       where d.classoid = 'pg_extension'::regclass and e.oid = d.objoid and v.comment = d.description)
   order by o.type, o.identity`,
}

const dependencies: ObjectKind = {
  catalog: 'pg_depend',
  query: `select d.objid as oid, d.classid::regclass || '/' || d.refobjid as step,
     array[d.classid::regclass || '/' || d.objid, d.refclassid::regclass || '/' || d.refobjid] as needs,
     'alter ' || o.type || ' ' || o.identity || ' depends on extension ' || quote_ident(e.extname) as sql
   from pg_depend d join pg_extension e on e.oid = d.refobjid cross join lateral pg_identify_object(d.classid, d.objid, d.objsubid) o
   where d.deptype = 'x' and d.refclassid = 'pg_extension'::regclass order by o.type, o.identity`,
}

/** Every object that can have privileges, with its access control list and the list that it has from the start. */
const lists = `select catalog, oid, sub, on_what, owner, acl,
    coalesce((select p.initprivs from pg_init_privs p where p.classoid = catalog::regclass and p.objoid = oid and p.objsubid = sub),
      case when type <> 'c' then acldefault(type, owner) end) as initial
  from (
    select 'pg_class' as catalog, c.oid, 0 as sub, ' on ' || case c.relkind when 'S' then 'sequence ' else 'table ' end || c.oid::regclass as on_what,
      c.relowner as owner, c.relacl as acl, case c.relkind when 'S' then 's' else 'r' end::"char" as type from pg_class c
    union all select 'pg_class', a.attrelid, a.attnum, ' (' || quote_ident(a.attname) || ') on table ' || a.attrelid::regclass, c.relowner, a.attacl, 'c'
      from pg_attribute a join pg_class c on c.oid = a.attrelid where not a.attisdropped
    union all select 'pg_proc', p.oid, 0, ' on routine ' || p.oid::regprocedure, p.proowner, p.proacl, 'f' from pg_proc p
    union all select 'pg_type', t.oid, 0, ' on type ' || t.oid::regtype, t.typowner, t.typacl, 'T' from pg_type t
    union all select 'pg_namespace', n.oid, 0, ' on schema ' || quote_ident(n.nspname), n.nspowner, n.nspacl, 'n' from pg_namespace n
    union all select 'pg_language', l.oid, 0, ' on language ' || quote_ident(l.lanname), l.lanowner, l.lanacl, 'l' from pg_language l
    union all select 'pg_foreign_data_wrapper', w.oid, 0, ' on foreign data wrapper ' || quote_ident(w.fdwname), w.fdwowner, w.fdwacl, 'F' from pg_foreign_data_wrapper w
    union all select 'pg_foreign_server', s.oid, 0, ' on foreign server ' || quote_ident(s.srvname), s.srvowner, s.srvacl, 'S' from pg_foreign_server s
  ) o where acl is not null`

/** The SQL of rows with the privileges that differ between two lists; only the columns of `l` are visible. */
const changes = `select 'revoke ' as verb, grantee, privilege_type, false as is_grantable from aclexplode(l.initial)
    where (grantee, privilege_type) not in (select grantee, privilege_type from aclexplode(l.acl))
  union all select 'grant ', grantee, privilege_type, is_grantable from (
    select grantee, privilege_type, is_grantable from aclexplode(l.acl)
    except select grantee, privilege_type, is_grantable from aclexplode(l.initial)) added`

/** The SQL of a role. An object belongs to the role that runs the dump, so this role replaces the owner. */
const roleName = `case grantee when 0 then 'public' when l.owner then 'current_user' else quote_ident(pg_get_userbyid(grantee)) end`

const grouped = (column: string): string =>
  `select c.verb, c.grantee, c.is_grantable, string_agg(lower(c.privilege_type) || ${column}, ', ' order by c.privilege_type) as privileges
   from (${changes}) c group by 1, 2, 3`

const toRoles = `case c.verb when 'grant ' then ' to ' else ' from ' end || ${roleName} || case when c.is_grantable then ' with grant option' else '' end`
const namedRoles = `case when grantee in (0, l.owner) then '{}' else array[pg_get_userbyid(grantee)::text] end`

const privileges: ObjectKind = {
  catalog: 'pg_init_privs',
  query: `select l.oid, concat_ws('/', l.catalog, l.sub, c.verb, c.grantee, c.is_grantable) as step, array[l.catalog || '/' || l.oid] as needs,
     ${namedRoles} as roles,
     c.verb || case when l.sub = 0 then c.privileges else regexp_replace(c.privileges, '(,|$)', split_part(l.on_what, ' on table ', 1) || '\\1', 'g') end ||
       case when l.sub = 0 then l.on_what else ' on table ' || l.oid::regclass end || ${toRoles} as sql
   from (${lists}) l cross join lateral (${grouped("''")}) c
   where l.on_what !~ '^ on \\w+ information_schema\\M' and not (l.catalog = 'pg_namespace' and l.on_what = ' on schema public' and (c.grantee = l.owner or pg_get_userbyid(c.grantee) = 'pg_database_owner'))
   order by l.catalog, l.on_what, c.verb desc, ${roleName}, c.is_grantable`,
}

const defaultPrivileges: ObjectKind = {
  catalog: 'pg_default_acl',
  query: `select l.oid, concat_ws('/', c.verb, c.grantee, c.is_grantable) as step, ${namedRoles} || case when l.is_own then '{}' else array[pg_get_userbyid(l.owner)::text] end as roles,
     'alter default privileges' || case when l.is_own then '' else ' for role ' || quote_ident(pg_get_userbyid(l.owner)) end ||
     case when l.namespace = 0 then '' else ' in schema ' || l.namespace::regnamespace end || ' ' || c.verb || c.privileges || ' on ' || l.objects || ${toRoles} as sql
   from (select d.oid, d.defaclrole as owner, d.defaclrole = current_user::regrole as is_own, d.defaclnamespace as namespace, d.defaclacl as acl,
       case when d.defaclnamespace = 0 then acldefault(case d.defaclobjtype when 'S' then 's' else d.defaclobjtype end, d.defaclrole) end as initial,
       case d.defaclobjtype when 'r' then 'tables' when 'S' then 'sequences' when 'f' then 'routines' when 'T' then 'types' when 'n' then 'schemas' else 'large objects' end as objects
     from pg_default_acl d) l cross join lateral (${grouped("''")}) c
   order by l.namespace::regnamespace::text, l.objects, c.verb desc, ${roleName}`,
}

export const attachedKinds: readonly ObjectKind[] = [comments, dependencies, privileges]
/** Set default privileges last, so that they do not change the privileges of the dump's objects. */
export const defaultPrivilegeKinds: readonly ObjectKind[] = [defaultPrivileges]

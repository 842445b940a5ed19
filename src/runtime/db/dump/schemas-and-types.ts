/** Dumps schemas, extensions, languages, collations, conversions and types. */
import {
  collate,
  firstOwn,
  independent,
  named,
  own,
  unowned,
  type ObjectKind,
} from './object-kind.ts'

const schemas: ObjectKind = {
  catalog: 'pg_namespace',
  query: `select n.oid, 'create schema if not exists ' || quote_ident(n.nspname) as sql from pg_namespace n
   where ${own} and n.nspname <> 'public' and ${unowned('pg_namespace', 'n.oid')} order by n.nspname`,
}

const extensions: ObjectKind = {
  catalog: 'pg_extension',
  query: `select e.oid, 'create extension if not exists ' || quote_ident(e.extname) ||
     case when n.nspname = 'public' then '' else ' with schema ' || quote_ident(n.nspname) end as sql
   from pg_extension e join pg_namespace n on n.oid = e.extnamespace
   where e.oid >= ${firstOwn} order by e.extname`,
}

const collations: ObjectKind = {
  catalog: 'pg_collation',
  query: `select c.oid, 'create collation ' || c.oid::regcollation || ' (provider = ' ||
     case c.collprovider when 'i' then 'icu' when 'b' then 'builtin' else 'libc' end ||
     case when c.collprovider = 'c' then ', lc_collate = ' || quote_literal(c.collcollate) || ', lc_ctype = ' || quote_literal(c.collctype)
       else ', locale = ' || quote_literal(coalesce(to_jsonb(c)->>'colllocale', to_jsonb(c)->>'colliculocale')) end ||
     case when c.collisdeterministic then '' else ', deterministic = false' end ||
     coalesce(', rules = ' || quote_literal(to_jsonb(c)->>'collicurules'), '') || ')' as sql
   from pg_collation c join pg_namespace n on n.oid = c.collnamespace
   where ${own} and ${unowned('pg_collation', 'c.oid')} order by n.nspname, c.collname`,
}

const attributes = `select string_agg(quote_ident(a.attname) || ' ' || format_type(a.atttypid, a.atttypmod) ||
    ${collate('a.attcollation', 'y.typcollation')}, ', ' order by a.attnum)
  from pg_attribute a join pg_type y on y.oid = a.atttypid
  where a.attrelid = t.typrelid and a.attnum > 0 and not a.attisdropped`

const range = `select 'subtype = ' || format_type(r.rngsubtype, null) ||
    case when o.opcdefault then '' else ', subtype_opclass = ' || (select ${named('o.opcname', 'm.nspname')} from pg_namespace m where m.oid = o.opcnamespace) end ||
    case when r.rngcollation in (0, s.typcollation) then '' else ', collation = ' || r.rngcollation::regcollation end ||
    case when r.rngcanonical = 0 then '' else ', canonical = ' || r.rngcanonical end ||
    case when r.rngsubdiff = 0 then '' else ', subtype_diff = ' || r.rngsubdiff end ||
    ', multirange_type_name = ' || r.rngmultitypid::regtype
  from pg_range r join pg_opclass o on o.oid = r.rngsubopc join pg_type s on s.oid = r.rngsubtype where r.rngtypid = t.oid`

const types: ObjectKind = {
  catalog: 'pg_type',
  query: `select t.oid, 'create ' || case t.typtype
     when 'e' then 'type ' || t.oid::regtype || ' as enum (' ||
       coalesce((select string_agg(quote_literal(l.enumlabel), ', ' order by l.enumsortorder) from pg_enum l where l.enumtypid = t.oid), '') || ')'
     when 'c' then 'type ' || t.oid::regtype || ' as (' || coalesce((${attributes}), '') || ')'
     when 'r' then 'type ' || t.oid::regtype || ' as range (' || (${range}) || ')'
     when 'p' then 'type ' || t.oid::regtype
     else 'domain ' || t.oid::regtype || ' as ' || format_type(t.typbasetype, t.typtypmod) ||
       ${collate('t.typcollation', '(select b.typcollation from pg_type b where b.oid = t.typbasetype)')} ||
       coalesce(' default ' || coalesce(pg_get_expr(t.typdefaultbin, 'pg_type'::regclass), quote_literal(t.typdefault)), '') ||
       case when t.typnotnull then coalesce((select ' constraint ' || quote_ident(k.conname) from pg_constraint k
         where k.contypid = t.oid and k.contype = 'n'), '') || ' not null' else '' end end as sql
   from pg_type t join pg_namespace n on n.oid = t.typnamespace
   where (t.typtype in ('e', 'd', 'r') or t.typtype = 'p' and not t.typisdefined
       or t.typtype = 'c' and (select c.relkind from pg_class c where c.oid = t.typrelid) = 'c')
     and ${own} and ${unowned('pg_type', 't.oid')} order by n.nspname, t.typname`,
}

const domainChecks: ObjectKind = {
  catalog: 'pg_constraint',
  query: `select k.oid, 'alter domain ' || k.contypid::regtype || ' add constraint ' || quote_ident(k.conname) || ' ' || pg_get_constraintdef(k.oid) as sql
   from pg_constraint k join pg_namespace n on n.oid = k.connamespace
   where k.contypid <> 0 and k.contype = 'c' and ${own} and ${unowned('pg_type', 'k.contypid')}
   order by n.nspname, k.contypid::regtype::text, k.conname`,
}

const languages: ObjectKind = {
  catalog: 'pg_language',
  query: `select l.oid, 'create ' || case when l.lanpltrusted then 'trusted ' else '' end || 'language ' || quote_ident(l.lanname) ||
     ' handler ' || l.lanplcallfoid::regproc ||
     case when l.laninline = 0 then '' else ' inline ' || l.laninline::regproc end ||
     case when l.lanvalidator = 0 then '' else ' validator ' || l.lanvalidator::regproc end as sql
   from pg_language l where l.lanispl and l.oid >= ${firstOwn} and ${independent('pg_language', 'l.oid')} order by l.lanname`,
}

const conversions: ObjectKind = {
  catalog: 'pg_conversion',
  query: `select c.oid, 'create ' || case when c.condefault then 'default ' else '' end || 'conversion ' || ${named('c.conname')} ||
     ' for ' || quote_literal(pg_encoding_to_char(c.conforencoding)) || ' to ' || quote_literal(pg_encoding_to_char(c.contoencoding)) ||
     ' from ' || c.conproc as sql
   from pg_conversion c join pg_namespace n on n.oid = c.connamespace
   where ${own} and ${unowned('pg_conversion', 'c.oid')} order by n.nspname, c.conname`,
}

export const typeKinds: readonly ObjectKind[] = [
  schemas,
  extensions,
  languages,
  collations,
  conversions,
  types,
  domainChecks,
]

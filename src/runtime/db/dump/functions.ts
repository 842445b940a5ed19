/** Dumps functions, procedures and aggregates, and the operators, casts, transforms and access methods that use them. */
import {
  firstOwn,
  functionOption,
  independent,
  named,
  own,
  unowned,
  type ObjectKind,
} from './object-kind.ts'

const functions: ObjectKind = {
  catalog: 'pg_proc',
  query: `select p.oid, pg_get_functiondef(p.oid) as sql from pg_proc p join pg_namespace n on n.oid = p.pronamespace
   where p.prokind in ('f', 'p', 'w') and ${own} and ${independent('pg_proc', 'p.oid')}
   order by n.nspname, p.proname, pg_get_function_identity_arguments(p.oid)`,
}

const modifies = (column: string): string =>
  `case ${column} when 'r' then 'read_only' when 's' then 'shareable' else 'read_write' end`

const operatorName = (oid: string): string =>
  `(select quote_ident(m.nspname) || '.' || q.oprname from pg_operator q join pg_namespace m on m.oid = q.oprnamespace where q.oid = ${oid})`

const aggregates: ObjectKind = {
  catalog: 'pg_proc',
  query: `select p.oid, 'create aggregate ' || ${named('p.proname')} || '(' || coalesce(nullif(pg_get_function_arguments(p.oid), ''), '*') || ') (sfunc = ' ||
     g.aggtransfn || ', stype = ' || format_type(g.aggtranstype, null) ||
     case when g.aggtransspace = 0 then '' else ', sspace = ' || g.aggtransspace end ||
     ${functionOption('finalfunc', 'g.aggfinalfn')} ||
     case when g.aggfinalextra then ', finalfunc_extra' else '' end ||
     case when g.aggfinalfn = 0 then '' else ', finalfunc_modify = ' || ${modifies('g.aggfinalmodify')} end ||
     ${functionOption('combinefunc', 'g.aggcombinefn')} ||
     ${functionOption('serialfunc', 'g.aggserialfn')} ||
     ${functionOption('deserialfunc', 'g.aggdeserialfn')} ||
     coalesce(', initcond = ' || quote_literal(g.agginitval), '') ||
     ${functionOption('msfunc', 'g.aggmtransfn')} ||
     ${functionOption('minvfunc', 'g.aggminvtransfn')} ||
     case when g.aggmtranstype = 0 then '' else ', mstype = ' || format_type(g.aggmtranstype, null) end ||
     case when g.aggmtransspace = 0 then '' else ', msspace = ' || g.aggmtransspace end ||
     ${functionOption('mfinalfunc', 'g.aggmfinalfn')} ||
     case when g.aggmfinalextra then ', mfinalfunc_extra' else '' end ||
     case when g.aggmfinalfn = 0 then '' else ', mfinalfunc_modify = ' || ${modifies('g.aggmfinalmodify')} end ||
     coalesce(', minitcond = ' || quote_literal(g.aggminitval), '') ||
     case when g.aggsortop = 0 then '' else ', sortop = operator(' || ${operatorName('g.aggsortop')} || ')' end ||
     case p.proparallel when 's' then ', parallel = safe' when 'r' then ', parallel = restricted' else '' end ||
     case when g.aggkind = 'h' then ', hypothetical' else '' end || ')' as sql
   from pg_aggregate g join pg_proc p on p.oid = g.aggfnoid join pg_namespace n on n.oid = p.pronamespace
   where ${own} and ${unowned('pg_proc', 'p.oid')} order by n.nspname, p.proname, pg_get_function_identity_arguments(p.oid)`,
}

const operators: ObjectKind = {
  catalog: 'pg_operator',
  query: `select o.oid, 'create operator ' || quote_ident(n.nspname) || '.' || o.oprname || ' (function = ' || o.oprcode ||
     case when o.oprleft = 0 then '' else ', leftarg = ' || format_type(o.oprleft, null) end ||
     ', rightarg = ' || format_type(o.oprright, null) ||
     case when o.oprcom = 0 then '' else ', commutator = operator(' || ${operatorName('o.oprcom')} || ')' end ||
     case when o.oprnegate = 0 then '' else ', negator = operator(' || ${operatorName('o.oprnegate')} || ')' end ||
     ${functionOption('restrict', 'o.oprrest')} ||
     ${functionOption('join', 'o.oprjoin')} ||
     case when o.oprcanhash then ', hashes' else '' end ||
     case when o.oprcanmerge then ', merges' else '' end || ')' as sql
   from pg_operator o join pg_namespace n on n.oid = o.oprnamespace
   where o.oprcode <> 0 and ${own} and ${unowned('pg_operator', 'o.oid')}
   order by n.nspname, o.oprname, o.oprleft::regtype::text, o.oprright::regtype::text`,
}

const familyName = (oid: string): string =>
  `(select ${named('f.opfname', 'm.nspname')} from pg_opfamily f join pg_namespace m on m.oid = f.opfnamespace where f.oid = ${oid})`

/** The SQL of the operators and functions in a class or family, as CREATE OPERATOR CLASS and ALTER OPERATOR FAMILY list them. */
const members = (family: string, condition: (catalog: string, oid: string) => string): string =>
  `(select string_agg(m.sql, ', ' order by m.sql) from (
     select 'operator ' || a.amopstrategy || ' ' || a.amopopr::regoperator ||
       case when a.amopsortfamily = 0 then '' else ' for order by ' || ${familyName('a.amopsortfamily')} end as sql
     from pg_amop a where a.amopfamily = ${family} and ${condition('pg_amop', 'a.oid')}
     union all
     select 'function ' || a.amprocnum || ' (' || a.amproclefttype::regtype || ', ' || a.amprocrighttype::regtype || ') ' || a.amproc::regprocedure
     from pg_amproc a where a.amprocfamily = ${family} and ${condition('pg_amproc', 'a.oid')}) m)`

const inClass = (catalog: string, oid: string): string =>
  `exists (select 1 from pg_depend x where x.classid = '${catalog}'::regclass and x.objid = ${oid}
     and x.refclassid = 'pg_opclass'::regclass and x.deptype in ('a', 'i'))`

const families: ObjectKind = {
  catalog: 'pg_opfamily',
  query: `select f.oid, 'create operator family ' || ${named('f.opfname')} || ' using ' || quote_ident(m.amname) as sql
   from pg_opfamily f join pg_am m on m.oid = f.opfmethod join pg_namespace n on n.oid = f.opfnamespace
   where ${own} and ${unowned('pg_opfamily', 'f.oid')} order by n.nspname, f.opfname, m.amname`,
}

const classes: ObjectKind = {
  catalog: 'pg_opclass',
  query: `select c.oid, 'create operator class ' || ${named('c.opcname')} || case when c.opcdefault then ' default' else '' end ||
     ' for type ' || format_type(c.opcintype, null) || ' using ' || quote_ident(m.amname) || ' family ' || ${familyName('c.opcfamily')} || ' as ' ||
     concat_ws(', ', case when c.opckeytype = 0 then null else 'storage ' || format_type(c.opckeytype, null) end,
       coalesce(${members(
         'c.opcfamily',
         (catalog, oid) =>
           `${inClass(catalog, oid)} and exists (select 1 from pg_depend x where x.classid = '${catalog}'::regclass and x.objid = ${oid}
             and x.refclassid = 'pg_opclass'::regclass and x.refobjid = c.oid)`,
       )}, case when c.opckeytype = 0 then 'storage ' || format_type(c.opcintype, null) end)) as sql
   from pg_opclass c join pg_am m on m.oid = c.opcmethod join pg_namespace n on n.oid = c.opcnamespace
   where ${own} and ${unowned('pg_opclass', 'c.oid')} order by n.nspname, c.opcname, m.amname`,
}

const looseMembers: ObjectKind = {
  catalog: 'pg_opfamily',
  query: `select f.oid, 'members' as step, 'alter operator family ' || ${named('f.opfname')} || ' using ' || quote_ident(m.amname) || ' add ' ||
     ${members('f.oid', (catalog, oid) => `not ${inClass(catalog, oid)}`)} as sql,
     array(select x.refclassid::regclass || '/' || x.refobjid from pg_depend x
       where x.classid = 'pg_amop'::regclass and x.objid in (select a.oid from pg_amop a where a.amopfamily = f.oid)
         or x.classid = 'pg_amproc'::regclass and x.objid in (select a.oid from pg_amproc a where a.amprocfamily = f.oid)) as needs
   from pg_opfamily f join pg_am m on m.oid = f.opfmethod join pg_namespace n on n.oid = f.opfnamespace
   where ${own} and ${unowned('pg_opfamily', 'f.oid')} order by n.nspname, f.opfname, m.amname`,
}

const casts: ObjectKind = {
  catalog: 'pg_cast',
  query: `select c.oid, 'create cast (' || format_type(c.castsource, null) || ' as ' || format_type(c.casttarget, null) || ') ' ||
     case c.castmethod when 'f' then 'with function ' || c.castfunc::regprocedure when 'i' then 'with inout' else 'without function' end ||
     case c.castcontext when 'a' then ' as assignment' when 'i' then ' as implicit' else '' end as sql
   from pg_cast c where c.oid >= ${firstOwn} and ${independent('pg_cast', 'c.oid')}
   order by c.castsource::regtype::text, c.casttarget::regtype::text`,
}

const transforms: ObjectKind = {
  catalog: 'pg_transform',
  query: `select t.oid, 'create transform for ' || format_type(t.trftype, null) || ' language ' || quote_ident(l.lanname) || ' (' ||
     concat_ws(', ', case when t.trffromsql = 0 then null else 'from sql with function ' || t.trffromsql::regprocedure end,
       case when t.trftosql = 0 then null else 'to sql with function ' || t.trftosql::regprocedure end) || ')' as sql
   from pg_transform t join pg_language l on l.oid = t.trflang
   where t.oid >= ${firstOwn} and ${unowned('pg_transform', 't.oid')} order by t.trftype::regtype::text, l.lanname`,
}

const accessMethods: ObjectKind = {
  catalog: 'pg_am',
  query: `select m.oid, 'create access method ' || quote_ident(m.amname) || ' type ' ||
     case m.amtype when 't' then 'table' else 'index' end || ' handler ' || m.amhandler as sql
   from pg_am m where m.oid >= ${firstOwn} and ${unowned('pg_am', 'm.oid')} order by m.amname`,
}

export const functionKinds: readonly ObjectKind[] = [
  functions,
  aggregates,
  operators,
  families,
  classes,
  looseMembers,
  casts,
  transforms,
  accessMethods,
]

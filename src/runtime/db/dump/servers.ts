/** Dumps foreign data wrappers and their servers, and the publications of logical replication. */
import { firstOwn, foreignOptions, unowned, type ObjectKind } from './object-kind.ts'

const wrappers: ObjectKind = {
  catalog: 'pg_foreign_data_wrapper',
  query: `select w.oid, 'create foreign data wrapper ' || quote_ident(w.fdwname) ||
     case when w.fdwhandler = 0 then '' else ' handler ' || w.fdwhandler::regproc end ||
     case when w.fdwvalidator = 0 then '' else ' validator ' || w.fdwvalidator::regproc end || ${foreignOptions('w.fdwoptions')} as sql
   from pg_foreign_data_wrapper w where w.oid >= ${firstOwn} and ${unowned('pg_foreign_data_wrapper', 'w.oid')} order by w.fdwname`,
}

const servers: ObjectKind = {
  catalog: 'pg_foreign_server',
  query: `select s.oid, 'create server ' || quote_ident(s.srvname) || coalesce(' type ' || quote_literal(s.srvtype), '') ||
     coalesce(' version ' || quote_literal(s.srvversion), '') || ' foreign data wrapper ' || quote_ident(w.fdwname) || ${foreignOptions('s.srvoptions')} as sql
   from pg_foreign_server s join pg_foreign_data_wrapper w on w.oid = s.srvfdw
   where ${unowned('pg_foreign_server', 's.oid')} order by s.srvname`,
}

const publications: ObjectKind = {
  catalog: 'pg_publication',
  query: `select p.oid, 'create publication ' || quote_ident(p.pubname) || case when p.puballtables then ' for all tables' else '' end || ' with (publish = ' ||
     quote_literal(concat_ws(', ', case when p.pubinsert then 'insert' end, case when p.pubupdate then 'update' end,
       case when p.pubdelete then 'delete' end, case when p.pubtruncate then 'truncate' end)) ||
     case when p.pubviaroot then ', publish_via_partition_root = true' else '' end ||
     case when to_jsonb(p)->>'pubgencols' = 's' then ', publish_generated_columns = stored' else '' end || ')' as sql
   from pg_publication p where ${unowned('pg_publication', 'p.oid')} order by p.pubname`,
}

const publishedTables: ObjectKind = {
  catalog: 'pg_publication_rel',
  query: `select r.oid, 'alter publication ' || quote_ident(p.pubname) || ' add table only ' || r.prrelid::regclass ||
     coalesce(' (' || (select string_agg(quote_ident(a.attname), ', ' order by a.attnum) from pg_attribute a
       where a.attrelid = r.prrelid and a.attnum = any(r.prattrs::int2[])) || ')', '') ||
     coalesce(' where (' || pg_get_expr(r.prqual, r.prrelid) || ')', '') as sql
   from pg_publication_rel r join pg_publication p on p.oid = r.prpubid order by p.pubname, r.prrelid::regclass::text`,
}

const publishedSchemas: ObjectKind = {
  catalog: 'pg_publication_namespace',
  query: `select r.oid, 'alter publication ' || quote_ident(p.pubname) || ' add tables in schema ' || quote_ident(n.nspname) as sql
   from pg_publication_namespace r join pg_publication p on p.oid = r.pnpubid join pg_namespace n on n.oid = r.pnnspid order by p.pubname, n.nspname`,
}

export const serverKinds: readonly ObjectKind[] = [wrappers, servers]
export const publicationKinds: readonly ObjectKind[] = [
  publications,
  publishedTables,
  publishedSchemas,
]

/** What a database holds beside its tables, and what reads like a table. */
import type { Database } from './database.ts'

/** A relation that `readSchema` leaves out. */
export interface OtherRelation {
  /** Its name, with its schema where the search path does not lead to it. */
  readonly name: string
  readonly kind: 'view' | 'materialized view' | 'foreign table' | 'partition'
}

const sql = `select case when pg_table_is_visible(c.oid) then c.relname else n.nspname || '.' || c.relname end as name,
    case when c.relispartition then 'partition' when c.relkind = 'v' then 'view'
      when c.relkind = 'm' then 'materialized view' else 'foreign table' end as kind
  from pg_class c join pg_namespace n on n.oid = c.relnamespace
  where (c.relkind in ('v', 'm', 'f') or c.relkind in ('r', 'p') and c.relispartition)
    and n.nspname <> 'information_schema' and n.nspname not like 'pg\\_%'
    and not exists (select 1 from pg_depend x where x.objid = c.oid and x.classid = 'pg_class'::regclass and x.deptype = 'e')
  order by 2, 1`

/** Views, foreign tables and partitions, sorted by kind and name; those of extensions are left out. */
export async function readOtherRelations(database: Database): Promise<OtherRelation[]> {
  return (await database.query<OtherRelation>({ sql, parameters: [] })).rows
}

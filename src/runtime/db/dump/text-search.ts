/** Dumps the parsers, templates, dictionaries and configurations of full-text search. */
import { functionOption, named, own, unowned, type ObjectKind } from './object-kind.ts'

const parsers: ObjectKind = {
  catalog: 'pg_ts_parser',
  query: `select p.oid, 'create text search parser ' || ${named('p.prsname')} || ' (start = ' || p.prsstart || ', gettoken = ' || p.prstoken ||
     ', end = ' || p.prsend || ', lextypes = ' || p.prslextype || ${functionOption('headline', 'p.prsheadline')} || ')' as sql
   from pg_ts_parser p join pg_namespace n on n.oid = p.prsnamespace
   where ${own} and ${unowned('pg_ts_parser', 'p.oid')} order by n.nspname, p.prsname`,
}

const templates: ObjectKind = {
  catalog: 'pg_ts_template',
  query: `select t.oid, 'create text search template ' || ${named('t.tmplname')} || ' (lexize = ' || t.tmpllexize ||
     ${functionOption('init', 't.tmplinit')} || ')' as sql
   from pg_ts_template t join pg_namespace n on n.oid = t.tmplnamespace
   where ${own} and ${unowned('pg_ts_template', 't.oid')} order by n.nspname, t.tmplname`,
}

const dictionaries: ObjectKind = {
  catalog: 'pg_ts_dict',
  query: `select d.oid, 'create text search dictionary ' || d.oid::regdictionary || ' (template = ' || ${named('t.tmplname', 'm.nspname')} ||
     coalesce(', ' || d.dictinitoption, '') || ')' as sql
   from pg_ts_dict d join pg_namespace n on n.oid = d.dictnamespace
   join pg_ts_template t on t.oid = d.dicttemplate join pg_namespace m on m.oid = t.tmplnamespace
   where ${own} and ${unowned('pg_ts_dict', 'd.oid')} order by n.nspname, d.dictname`,
}

const mappings = `select array_agg(m.sql order by m.sql) from (
    select 'alter text search configuration ' || c.oid::regconfig || ' add mapping for ' || k.alias || ' with ' ||
      string_agg(m.mapdict::regdictionary::text, ', ' order by m.mapseqno) as sql
    from pg_ts_config_map m join ts_token_type(c.cfgparser) k on k.tokid = m.maptokentype
    where m.mapcfg = c.oid group by k.alias) m`

const configurations: ObjectKind = {
  catalog: 'pg_ts_config',
  query: `select c.oid, to_json('create text search configuration ' || c.oid::regconfig || ' (parser = ' || ${named('p.prsname', 'm.nspname')} || ')' ||
     coalesce((${mappings}), '{}')) as sql
   from pg_ts_config c join pg_namespace n on n.oid = c.cfgnamespace
   join pg_ts_parser p on p.oid = c.cfgparser join pg_namespace m on m.oid = p.prsnamespace
   where ${own} and ${unowned('pg_ts_config', 'c.oid')} order by n.nspname, c.cfgname`,
}

export const textSearchKinds: readonly ObjectKind[] = [
  parsers,
  templates,
  dictionaries,
  configurations,
]

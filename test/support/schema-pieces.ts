/** Statements that create objects of every kind that PostgreSQL 15 to 18 has, to combine them at random. */

export interface SchemaPiece {
  readonly sql: string
  /** The names of pieces that must run before; none of them by default. */
  readonly needs?: readonly string[]
  /** The first major version that accepts the statements. */
  readonly from?: number
  /** Whether the embedded engine lacks the feature. */
  readonly isForServers?: boolean
}

const pieces = {
  schema: {
    sql: `create schema "Odd ""One"""; create schema app; comment on schema app is 'It''s \\ one'`,
  },
  extension: {
    sql: 'create schema ext; create extension citext with schema ext',
    isForServers: true,
  },
  useOfExtension: {
    needs: ['extension'],
    sql: `create table mails (mail ext.citext primary key default 'A@b', other text check (other::ext.citext <> 'x'));
      create index on mails ((mail || 'x')); create function mail_of(ext.citext) returns bool language sql begin atomic select $1 = 'a'; end;
      alter function mail_of depends on extension citext`,
  },
  enumType: {
    sql: `create type mood as enum ('sad', 'it''s "fine"', '\${x}', 'a\\b'); alter type mood add value 'early' before 'sad'; create type empty_enum as enum ()`,
  },
  composite: {
    needs: ['enumType'],
    sql: `create type pair as (a mood, "B c" varchar(3)[], d text collate "C"); create type nothing as (); comment on column pair."B c" is 'two'`,
  },
  domain: {
    sql: `create domain mail as varchar(80) collate "C" default 'x@y' constraint filled not null check (value like '%@%');
      create domain work_mail as mail constraint long check (length(value) > 2); alter domain work_mail add constraint later check (value <> '') not valid;
      comment on domain mail is 'a mail'; comment on constraint long on domain work_mail is 'long enough'`,
  },
  range: {
    sql: `create function span_diff(float8, float8) returns float8 language sql immutable return $1 - $2;
      create type span as range (subtype = float8, subtype_diff = span_diff, multirange_type_name = spans); create type words as range (subtype = text, collation = "C")`,
  },
  collation: {
    sql: `create collation plain (provider = libc, locale = 'C'); create table collated (a text collate plain, b varchar(9) collate "C"); create index on collated (a collate "C" desc nulls last, b text_pattern_ops)`,
  },
  icuCollation: {
    sql: `create collation folded (provider = icu, locale = 'und-u-ks-level2', deterministic = false); create table folds (a text collate folded unique)`,
    isForServers: true,
  },
  icuRules: {
    sql: `create collation ruled (provider = icu, locale = 'und', rules = '&a < g')`,
    from: 16,
    isForServers: true,
  },
  builtinCollation: {
    sql: `create collation built (provider = builtin, locale = 'C.UTF-8')`,
    from: 17,
  },
  conversion: {
    sql: `create conversion odd_conversion for 'UTF8' to 'LATIN1' from utf8_to_iso8859_1; comment on conversion odd_conversion is 'odd'`,
  },
  functions: {
    sql: `create function plus(a int, b int default 2, variadic c int[] default '{}') returns int language sql immutable strict parallel safe cost 3 as 'select 1';
      create function body(text) returns text language sql stable security definer set search_path = pg_catalog, pg_temp begin atomic select $1; select upper($1); end;
      create procedure run(inout a int) language plpgsql as $f$ begin a := a; end $f$;
      create function rows_of(int) returns table (a int, "B" text) language plpgsql rows 5 leakproof as $f$ begin end $f$;
      create function over_all(int) returns bigint language internal window as 'window_row_number';
      comment on function plus is 'adds'; comment on procedure run is 'runs'; revoke execute on function body from public`,
  },
  aggregates: {
    sql: `create function pick(text, text) returns text language sql immutable as 'select coalesce($1, $2)';
      create aggregate first_of(text) (sfunc = pick, stype = text, initcond = 'a''b', parallel = safe, combinefunc = pick);
      create aggregate moving(int) (sfunc = int4pl, stype = int, msfunc = int4pl, minvfunc = int4mi, mstype = int, minitcond = '0', sspace = 9);
      create function nth(internal, int) returns int language internal as 'mode_final';
      create aggregate ordered(order by int) (sfunc = ordered_set_transition, stype = internal, finalfunc = nth, finalfunc_extra);
      create aggregate counted(*) (sfunc = int8inc, stype = int8, initcond = '0'); comment on aggregate first_of(text) is 'first'`,
  },
  operators: {
    needs: ['composite'],
    sql: `create schema ops; create function ops.same(pair, pair) returns bool language sql immutable return $1.a = $2.a;
      create function ops.other(pair, pair) returns bool language sql immutable return $1.a <> $2.a;
      create operator ops.=== (function = ops.same, leftarg = pair, rightarg = pair, commutator = operator(ops.===), negator = operator(ops.!==), restrict = eqsel, join = eqjoinsel);
      create operator ops.!== (function = ops.other, leftarg = pair, rightarg = pair, commutator = operator(ops.!==), negator = operator(ops.===));
      create function ops.minus(pair) returns int language sql immutable return 1; create operator ops.!! (function = ops.minus, rightarg = pair);
      comment on operator ops.=== (pair, pair) is 'same'; create view compared as select p operator(ops.===) p as same from (select null::pair as p) x`,
  },
  operatorClass: {
    sql: `create function back(int, int) returns int language sql immutable strict return btint4cmp($2, $1);
      create operator class backwards for type int using btree as operator 1 >, operator 2 >=, operator 3 =, operator 4 <=, operator 5 <, function 1 back(int, int);
      create operator family loose using btree; alter operator family loose using btree add operator 1 < (int, bigint), function 1 (int, bigint) btint48cmp(int, bigint);
      create operator class of_loose for type int using btree family loose as operator 1 <, operator 3 =, operator 5 >, function 1 btint4cmp(int, int);
      create table ordered_back (a int); create index on ordered_back (a backwards)`,
  },
  casts: {
    needs: ['composite', 'enumType'],
    sql: `create function to_mood(pair) returns mood language sql immutable return $1.a; create cast (pair as mood) with function to_mood(pair) as assignment;
      create cast (mood as int) with inout; comment on cast (pair as mood) is 'cast'`,
  },
  language: {
    sql: `create language plain_sql handler plpgsql_call_handler inline plpgsql_inline_handler validator plpgsql_validator; create function by_language() returns int language plain_sql as 'begin return 1; end'`,
  },
  transform: {
    sql: `create function from_sql(internal) returns internal language internal immutable as 'trigger_in'; create transform for int language plpgsql (from sql with function from_sql(internal))`,
    isForServers: true,
  },
  accessMethod: {
    sql: `create access method heap_too type table handler heap_tableam_handler; create table by_method (a int) using heap_too; create materialized view method_view using heap_too as select 1 as a`,
  },
  textSearch: {
    sql: `create text search parser own_parser (start = prsd_start, gettoken = prsd_nexttoken, end = prsd_end, lextypes = prsd_lextype, headline = prsd_headline);
      create text search template own_template (lexize = dsimple_lexize, init = dsimple_init);
      create text search dictionary own_dict (template = own_template, stopwords = english, accept = false);
      create text search configuration own_search (parser = own_parser); alter text search configuration own_search add mapping for asciiword, word with own_dict, simple;
      create table texts (body text, found tsvector generated always as (to_tsvector('own_search', body)) stored); create index on texts using gin (found);
      comment on text search configuration own_search is 'search'`,
  },
  foreign: {
    sql: `create foreign data wrapper own_wrapper options (debug 'true'); create server own_server type 'x' version '1' foreign data wrapper own_wrapper options (host 'it''s', "Odd" '1');
      create foreign table far (id int options (column_name 'no') not null, name text default 'a') server own_server options (path '/a"b');
      comment on foreign table far is 'far'; comment on foreign data wrapper own_wrapper is 'w'; comment on server own_server is 's'; grant usage on foreign server own_server to public`,
  },
  sequences: {
    sql: `create sequence counter as smallint increment -2 minvalue -100 maxvalue 50 start 10 cache 5 cycle; create unlogged sequence fast; create table numbered (id bigserial, n int default nextval('counter')); alter sequence fast owned by numbered.n; comment on sequence counter is 'counts'`,
  },
  identity: {
    sql: `create table ids (a int generated always as identity (start 100 increment 5 cache 3), b bigint generated by default as identity (sequence name own_ids minvalue -5 start -5 cycle), c smallint generated by default as identity (increment -1))`,
  },
  tables: {
    needs: ['schema'],
    sql: `create unlogged table app.fast (a int, "B c" text not null default 'it''s', constraint "odd ""key""" primary key (a) include ("B c")) with (fillfactor = 70, autovacuum_enabled = off, toast.autovacuum_enabled = off);
      alter table app.fast alter "B c" set storage external, alter "B c" set compression pglz, alter a set statistics 7, alter a set (n_distinct = 5);
      create table "Odd ""One""".empty (); create table "Odd ""One""".dropped (a int, b int, c int generated always as (b * 2) stored); alter table "Odd ""One""".dropped drop a, add d text default now()::text;
      comment on table app.fast is 'fast'; comment on column app.fast."B c" is 'col'; comment on constraint "odd ""key""" on app.fast is 'key'`,
  },
  typedTable: {
    needs: ['composite'],
    sql: `create table typed of pair (a with options not null default 'sad', unique ("B c")); create table typed_plain of pair`,
  },
  keys: {
    sql: `create table parents (a int, b int not null, c text, primary key (a, b), unique nulls not distinct (c) with (fillfactor = 60), exclude using btree (b with =) where (b > 0) deferrable initially deferred);
      create unique index parents_b on parents (b); create unique index parents_lower on parents (lower(c)) where c <> ''; create unique index "Replica" on parents (b) include (a);
      alter table parents replica identity using index "Replica"; alter table parents cluster on parents_b;
      create table children (a int, b int, c text references parents (c) on delete set null on update cascade, d int references parents (b), foreign key (a, b) references parents match full on delete set null (b) deferrable,
        constraint odd check (a > 0 or b > 0) no inherit); alter table children add constraint later check (a < 9) not valid, add constraint later_key foreign key (d) references parents (b) not valid; alter table children replica identity full;
      create index on children using hash (a); create index on children using brin (a, b) with (pages_per_range = 9); create index expression_index on children ((a + b), (a * 2)); alter index expression_index alter column 1 set statistics 99`,
  },
  mutual: {
    sql: `create table first (id int primary key, other int); create table second (id int primary key, first int references first deferrable); alter table first add foreign key (other) references second (id); create table self (id int primary key, parent int references self)`,
  },
  inheritance: {
    sql: `create table base (a int not null default 1, b text collate "C" check (b <> ''), c int); create table other_base (c int, d date not null);
      create table derived (e int, b text collate "C" not null) inherits (base, other_base) with (fillfactor = 50); create table bare () inherits (base);
      alter table derived alter a set default 5; alter table bare alter a drop default; alter table bare alter c set not null; alter table base add constraint up check (a > 0); alter table only base add constraint alone check (c > 0) no inherit;
      create table late (c int, b text collate "C", a int not null default 1, f int, constraint base_b_check check (b <> ''), constraint up check (a > 0)); alter table late inherit base`,
  },
  partitions: {
    needs: ['functions'],
    sql: `create table parts (id int generated always as identity, day date, n int not null default 1, region text check (region <> '')) partition by range (day, n);
      create table "part 1" partition of parts (n default 7, check (n > 0)) for values from ('2020-01-01', minvalue) to ('2021-01-01', maxvalue);
      create table part_2 (region text not null, day date, id int not null, n int not null); alter table part_2 add constraint parts_region_check check (region <> ''); alter table parts attach partition part_2 default;
      create table parts_3 partition of parts for values from ('2022-01-01', 1) to ('2023-01-01', 1) partition by list (n);
      create table parts_3_a partition of parts_3 for values in (1); create table hashed (a int) partition by hash ((a + 1)); create table hashed_0 partition of hashed for values with (modulus 2, remainder 0);
      alter table parts add primary key (day, n, id); create index "own index" on "part 1" (region); create index parts_region on parts (region); create index on parts_3 (day); create unique index on only hashed_0 (a);
      create table to_parts (day date, n int, id int, foreign key (day, n, id) references parts); create table hashed_refs (a int primary key);
      create table from_parts (a int references hashed_refs) partition by list (a); create table from_parts_1 partition of from_parts for values in (1)`,
  },
  statistics: {
    sql: `create table measured (a int, b int, c text); create statistics stats_two (ndistinct, mcv) on a, b from measured; create statistics stats_expression on (a + b), lower(c) from measured; alter statistics stats_two set statistics 50; comment on statistics stats_two is 'two'`,
  },
  views: {
    sql: `create table seen (id int primary key, name text, owner text); create view invoked with (security_invoker = true, security_barrier) as select * from seen where name <> '';
      create view checked (no, title) with (check_option = local) as select id, name from seen where id > 0; create view cascading as select no from checked with cascaded check option;
      create view a_view as select c.no, count(*) as n from cascading c group by 1; create or replace view a_view as select c.no, count(*) as n from cascading c group by 1 having count(*) > 1;
      create view grouped as select id, name from seen group by id; alter view checked alter title set default 'x'; create recursive view tree (n) as values (1) union all select n + 1 from tree where n < 5;
      create materialized view stored as select name, count(*) as n from seen group by name; create unique index on stored (name); create materialized view unfilled with (fillfactor = 50) as select * from stored with no data; alter materialized view unfilled alter n set statistics 5;
      comment on view checked is 'checked'; comment on column checked.title is 'title'; comment on materialized view stored is 'stored'`,
  },
  rowFunctions: {
    needs: ['views'],
    sql: `create function label(seen) returns text language sql stable return $1.name; create function all_seen() returns setof seen language sql begin atomic select * from seen; end;
      create view labels as select label(s) as label from seen s; create function from_view() returns bigint language sql begin atomic select count(*) from labels; end; create table counted_rows (n bigint default from_view(), check (from_view() >= 0))`,
  },
  defaultCycle: {
    sql: `create table cycle (a int); create function of_cycle() returns int language sql begin atomic select max(a) from cycle; end; alter table cycle alter a set default of_cycle(), add check (of_cycle() > 0)`,
  },
  rules: {
    needs: ['views'],
    sql: `create rule log as on update to seen where old.name <> new.name do also (insert into seen values (new.id + 1, 'x'); select 1); create rule nothing as on delete to invoked do instead nothing; alter table seen disable rule log; comment on rule log on seen is 'log'`,
  },
  triggers: {
    needs: ['views', 'partitions'],
    sql: `create function stamp() returns trigger language plpgsql as $f$ begin return new; end $f$; create trigger stamped before insert or update of name on seen for each row when (new.name is not null) execute function stamp('a''b');
      create constraint trigger checked_later after insert on seen deferrable initially deferred for each row execute function stamp(); create trigger on_view instead of insert on a_view for each row execute function stamp();
      create trigger by_table after delete on seen referencing old table as gone for each statement execute function stamp(); alter table seen disable trigger stamped; alter table seen enable always trigger by_table;
      create trigger each_part before insert on parts for each row execute function stamp(); alter table "part 1" disable trigger each_part; comment on trigger stamped on seen is 'stamp'`,
  },
  policies: {
    needs: ['views'],
    sql: `create policy mine on seen as restrictive for update to fw_test_reader, fw_test_writer using (owner = current_user) with check (name <> ''); create policy reads on seen for select using (exists (select from seen s where s.id > 0));
      alter table seen enable row level security; alter table seen force row level security; comment on policy mine on seen is 'mine'`,
  },
  privileges: {
    needs: ['views', 'functions'],
    sql: `grant select, update (name), insert (id, name) on seen to fw_test_reader with grant option; grant all on stored to public; revoke insert on invoked from current_user; grant usage on schema public to fw_test_writer;
      revoke execute on all functions in schema public from public; grant execute on procedure run to fw_test_reader; create sequence granted; grant usage on sequence granted to fw_test_reader;
      create type guarded as (a int); revoke usage on type guarded from public; alter default privileges grant select on tables to fw_test_reader; alter default privileges in schema public revoke execute on functions from public;
      alter default privileges for role fw_test_writer revoke execute on functions from public`,
  },
  publications: {
    needs: ['views', 'schema'],
    sql: `create publication every for all tables with (publish = 'insert, truncate'); create publication "some" for table seen (id, name) where (id > 5) with (publish_via_partition_root = true);
      create publication of_schema for tables in schema app`,
    isForServers: true,
  },
  eventTriggers: {
    sql: `create function on_ddl() returns event_trigger language plpgsql as $f$ begin end $f$; create event trigger watch on ddl_command_end when tag in ('CREATE TABLE', 'DROP TABLE') execute function on_ddl(); alter event trigger watch enable always; comment on event trigger watch is 'watch';
      create event trigger pg_watch on sql_drop execute function on_ddl(); comment on event trigger pg_watch is 'a name without a schema'`,
  },
  periods: {
    sql: `create table rooms (id int4range, during daterange, primary key (id, during without overlaps)); create table stays (id int4range, during daterange, foreign key (id, period during) references rooms (id, period during))`,
    from: 18,
  },
  virtualColumns: {
    sql: `create table computed (a int, b int generated always as (a * 2), c int); alter table computed add constraint lax check (a > 0) not enforced, add constraint named not null c not valid`,
    from: 18,
  },
  namedNotNull: {
    sql: `create table named (a int constraint filled_a not null, b int not null no inherit); create table named_child (c int) inherits (named); create table named_parts (a int constraint filled_part not null) partition by list (a); create table named_part partition of named_parts for values in (1); alter table named rename to renamed`,
    from: 18,
  },
} satisfies Record<string, SchemaPiece>

/** Creates the roles that some pieces name; roles belong to the whole server. */
export const pieceRoles = ['fw_test_reader', 'fw_test_writer']
  .map(
    (role) =>
      `do $$ begin create role ${role}; exception when duplicate_object or unique_violation then null; end $$`,
  )
  .join(';\n')

export const schemaPieces: Readonly<Record<string, SchemaPiece>> = pieces

/** Returns the statements of the chosen pieces and of those that they need, in the order of choice. */
export function combinePieces(
  chosen: readonly string[],
  isUsable: (piece: SchemaPiece) => boolean,
): string {
  const done = new Set<string>()
  const texts: string[] = []
  const add = (name: string): boolean => {
    const piece = schemaPieces[name]!
    if (!isUsable(piece)) return false
    if (done.has(name)) return true
    if (!(piece.needs ?? []).every(add)) return false
    done.add(name)
    texts.push(piece.sql)
    return true
  }
  for (const name of chosen) add(name)
  return texts.join(';\n')
}

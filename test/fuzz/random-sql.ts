/** Compares the tokens and statements of random SQL with those of PostgreSQL's own parser. */
import { loadModule, parseSync, scanSync } from 'libpg-query'
import { parseScript } from '../../src/runtime/db/sql-script.ts'
import { sqlTokens } from '../../src/runtime/db/sql-tokens.ts'
import { random } from './random-templates.ts'

/** Statements of every kind that has its own grammar for semicolons, quotes, parameters or keywords. */
const samples = [
  'select 1',
  `select ';', 'it''s;', e'\\';', E'\\\\', u&'\\0441;', n';', b'01', x'1f'`,
  `select e'a'\n'\\';b', 'a'\n';b'`,
  `select e'a'\n \t\r\n'\\';'`,
  'select $1, $2::int where $3=$$;$$ and $4 in ($5,$$;$$)',
  'select $$;$$, $a$ $$ ; $b$ $a$, $é$;$é$, $_$;$_$',
  'select a$b$c, "a;""b", U&"d;", é.ü, "größe;"',
  'select 0x1f, 0b1, 0o7, 1_000, 1., .5, 1e5, 1.5e-3, -1, - -1, 1--\n',
  'select a <-> b, a @> b, a ~ b, a ->> b, a #- b, a || b, 2 * 3 / 4 from t',
  "select case when a then 'x' else 'y' end as end from begin where atomic = case b when 1 then 2 end",
  'select begin atomic from t',
  'select a.end, b.begin, (select "end".case from "end") as case',
  'with x as (select 1), y as materialized (select 2) select * from x, y union all values (1, 2)',
  'select * from t for update skip locked',
  'select (array[1, 2])[1:2], row(1, 2), (x).y, x::int[], cast(a as text), t.*',
  'table t',
  "values (1, ';'), (2, $$;$$)",
  "insert into t (a, b) values (1, ';') on conflict (a) do update set b = excluded.b returning *",
  'update t set a = 1, (b, c) = (select 2, 3) from u where t.id = u.id',
  'delete from t using u where t.id = u.id',
  'merge into t using u on t.id = u.id when matched then delete when not matched then insert values (1)',
  `create table t (a int primary key, b text default ';' check (b <> ';'), c int generated always as identity, unique (a, b))`,
  'create table p (a int) partition by range (a)',
  'create table p1 partition of p for values from (1) to (2)',
  'create temporary table x on commit drop as select 1',
  'create unlogged table t (like u including all)',
  'create index concurrently if not exists i on t using gin ((lower(a)) gin_trgm_ops) where b is null',
  'create view v (a, b) with (security_invoker = true) as select 1, 2',
  'create materialized view v as select 1 with no data',
  `create function f(a int, b text default ';') returns int language sql as $$ select 1; select 2 $$`,
  'create function f() returns int begin atomic select 1; select 2; end',
  'create or replace function f(x int) returns int language sql begin atomic; select case x when 1 then 2 end; end',
  'create procedure p(a int) begin atomic insert into t values (a); update t set b = 1; delete from t; end',
  'create or replace procedure p() language sql begin atomic end',
  'create function begin() returns begin language sql begin atomic select begin from atomic; select 1 as end; end',
  'create function f() returns int begin atomic create function g() returns int begin atomic select 1; end; select 2; end',
  'create function f() returns int set search_path to begin, atomic return 1',
  'create function f() returns int begin atomic create rule r as on insert to t do (select 1; select 2); select 3; end',
  `create function f() returns trigger language plpgsql as 'begin return new; end;'`,
  'create rule r as on insert to t do also (insert into l values (new.id); insert into l values (-new.id))',
  'create or replace rule r as on update to t where old.a <> new.a do instead (select 1;; notify x;)',
  'create rule r as on delete to t do instead nothing',
  'create trigger t after insert or update of a on t for each row when (new.a > 1) execute function f()',
  `create type mood as enum ('a;', 'b')`,
  'create type c as (a int, b text)',
  'create type r as range (subtype = int4)',
  `create domain d as text check (value <> ';')`,
  'create sequence s as bigint start 1 increment 2 owned by t.a',
  `create extension if not exists "uuid-ossp" with schema public`,
  'create schema s create table t (a int) create view v as select 1',
  `create role r with login password ';'`,
  'create policy p on t for select to public using (a = current_user) with check (true)',
  'create publication p for table t (a) where (a > 1)',
  `create subscription s connection 'host=a;' publication p`,
  'create aggregate a (int) (sfunc = int4pl, stype = int, initcond = 0)',
  'create operator === (leftarg = int, rightarg = int, function = f)',
  'create cast (int as text) with function f(int) as assignment',
  `create collation c (provider = icu, locale = 'de')`,
  'create event trigger e on ddl_command_start execute function f()',
  'create statistics s (ndistinct) on a, b from t',
  'create text search configuration c (copy = english)',
  'create foreign data wrapper w',
  `create server s foreign data wrapper w options (host ';')`,
  'create tablespace x location $$/tmp;$$',
  'create access method m type table handler h',
  'create transform for int language sql (from sql with function f(internal))',
  'create database d template template0',
  `comment on table t is 'it''s; fine'`,
  `alter table t add column a int default 1, drop column b, alter c type text using c::text, add check (a > 1) not valid`,
  'alter table t rename to u',
  'alter table t enable row level security',
  `alter type mood add value 'c;' after 'a'`,
  'alter function f(int) owner to x',
  `alter role r set search_path = a, ";"`,
  'alter default privileges in schema s grant select on tables to x',
  'alter sequence s restart with 5',
  `alter system set work_mem = '1MB;'`,
  'drop table if exists a, b cascade',
  'drop function f(int), g()',
  'truncate a, b restart identity cascade',
  `copy t (a, b) to stdout with (format csv, delimiter ';')`,
  `copy t from '/tmp/a;b' with (header)`,
  `copy (select ';') to program 'cat;'`,
  'do $$ begin perform 1; end $$',
  `do language plpgsql 'begin; end;'`,
  'begin',
  'begin transaction isolation level serializable, read only',
  'start transaction',
  'commit and chain',
  'end',
  'end transaction',
  'rollback',
  'savepoint a',
  'rollback to savepoint a',
  'release a',
  `prepare transaction ';'`,
  'lock table t in share mode nowait',
  `set search_path to a, "b;"`,
  `set local time zone 'UTC;'`,
  'reset all',
  'show all',
  'set constraints all deferred',
  'discard all',
  `explain (analyze, format json) select ';'`,
  'vacuum (full, analyze) t (a)',
  'analyze t',
  'cluster t using i',
  'reindex table concurrently t',
  'checkpoint',
  `notify a, ';'`,
  'listen a',
  'unlisten *',
  'prepare q (int) as select $1',
  `execute q (';')`,
  'deallocate all',
  'declare c cursor with hold for select 1',
  'fetch 5 from c',
  'close c',
  'call p(1, a => 2, b := 3)',
  `grant select (a), insert on t to x with grant option`,
  'revoke all on schema s from public',
  'reassign owned by a to b',
  `security label for p on table t is ';'`,
  `import foreign schema a limit to (t) from server s into b`,
  `load 'a;'`,
  'refresh materialized view concurrently v',
] as const

const gaps = [
  ' ',
  '\n',
  '\r',
  '\r\n',
  '\t',
  '\f',
  ' -- a; b\n',
  '--\r',
  ' /* ; */ ',
  '/* a /* ; */ ; */',
  ' -- /* \n',
]
const fragments = [
  ...`' ' ' '' " " "" \\ \\' e' E' u&' U&" x' n' $$ $$ $a$ $a$ $é$ $é$ $1 $2$ $ ; ; ; ( ) -- /* */ * / - + ::`.split(
    ' ',
  ),
  ...'a é 😀 _ 1 1. .5 0x1f 1_0 1e5 begin atomic end case create function or replace rule do'.split(
    ' ',
  ),
  ' ',
  '\n',
  '\r',
  '\t',
  '\f',
  '\v',
  '\u00a0',
]

/** The result of a comparison: how many texts both sides accepted, and the texts with different results. */
export interface SqlComparison {
  tokenized: number
  parsed: number
  statements: number
  readonly differences: string[]
}

/** Compares `count` random texts: a third are random fragments, the others statements, half of them with a mutation. */
export async function compareSql(seed: number, count: number): Promise<SqlComparison> {
  await loadModule()
  const next = random(seed)
  const result: SqlComparison = { tokenized: 0, parsed: 0, statements: 0, differences: [] }
  for (let at = 0; at < count; at++) {
    const sql = at % 3 === 0 ? randomFragments(next) : randomStatements(next, at % 3 === 1)
    if (!endsStringsAtComments(sql)) compare(sql, result)
  }
  return result
}

type Random = () => number
const pick = <T>(next: Random, list: readonly T[]): T => list[Math.floor(next() * list.length)]!
const repeat = <T>(next: Random, most: number, make: () => T): T[] =>
  Array.from({ length: 1 + Math.floor(next() * most) }, make)

const randomFragments = (next: Random): string =>
  repeat(next, 24, () => pick(next, fragments)).join('')

function randomStatements(next: Random, isMutated: boolean): string {
  const statements = repeat(next, 4, () => tokensOf(pick(next, samples)))
  if (isMutated) mutate(next, pick(next, statements))
  const texts = statements.map((tokens) => tokens.map((one) => one + randomGap(next)).join(''))
  return (
    texts.join(pick(next, [';', '; ', ';;\n', ';-- ;\n', ' ; /* ; */'])) + pick(next, ['', ';'])
  )
}

const tokensOf = (sql: string): string[] =>
  [...sqlTokens(sql)].map(({ start, end }) => sql.slice(start, end))

/** Removes, repeats, or replaces a token. */
function mutate(next: Random, tokens: string[]): void {
  const at = Math.floor(next() * tokens.length)
  const other = next() < 0.5 ? [] : [next() < 0.5 ? pick(next, fragments) : tokens[at]!]
  tokens.splice(at, Math.floor(next() * 2), ...other)
}

const randomGap = (next: Random): string => (next() < 0.8 ? ' ' : pick(next, gaps))

/**
 * Whether a comment may stand between the parts of a string. PostgreSQL continues such a string; libpg-query does not, because
 * its lexer is changed to return comments.
 */
const endsStringsAtComments = (sql: string): boolean => /'\s*--/.test(sql) && /[eE]'/.test(sql)

function compare(sql: string, result: SqlComparison): void {
  const expectedTokens = attempt(() => expectTokens(sql))
  if (expectedTokens === undefined) return
  result.tokenized++
  const tokens = readTokens(sql)
  if (tokens !== expectedTokens) result.differences.push(sql)
  const expected = attempt(() => expectStatements(sql))
  if (expected === undefined || /\bstd(?:in|out)\b/i.test(sql)) return
  result.parsed++
  const statements = readStatements(sql)
  result.statements += statements.length
  if (statements.join() !== expected.join()) result.differences.push(sql)
}

/** Returns `undefined` where libpg-query refuses the text. */
function attempt<T>(work: () => T): T | undefined {
  try {
    return work()
  } catch {
    return undefined
  }
}

const compared = new Set(['ASCII_59', 'ASCII_40', 'ASCII_41', 'SQL_COMMENT', 'C_COMMENT'])

/** The bytes at which comments, parentheses and semicolons begin and end. */
const expectTokens = (sql: string): string =>
  scanSync(sql)
    .tokens.filter(({ tokenName }) => compared.has(tokenName))
    .map(({ start, end }) => `${start}-${end}`)
    .join(' ')

const readTokens = (sql: string): string =>
  [...sqlTokens(sql)]
    .filter(({ kind }) => kind === 'comment' || kind === ';' || kind === '(' || kind === ')')
    .map(({ start, end }) => `${byteAt(sql, start)}-${byteAt(sql, end)}`)
    .join(' ')

const byteAt = (sql: string, at: number): number => Buffer.byteLength(sql.slice(0, at))

/** The bytes at which statements begin and end, without comments at their end. */
function expectStatements(sql: string): string[] {
  const bytes = Buffer.from(sql)
  return (parseSync(sql).stmts ?? []).map(({ stmt_location: start = 0, stmt_len: length }) => {
    const text = bytes.subarray(start, length === undefined ? undefined : start + length).toString()
    const code = [...sqlTokens(text)].filter(({ kind }) => kind !== 'comment')
    return `${start + byteAt(text, code[0]!.start)}-${start + byteAt(text, code.at(-1)!.end)}`
  })
}

const readStatements = (sql: string): string[] =>
  parseScript(sql).statements.map(({ start, end }) => `${byteAt(sql, start)}-${byteAt(sql, end)}`)

/** The samples that libpg-query refuses; the others take part in comparisons. */
export async function refusedSamples(): Promise<string[]> {
  await loadModule()
  return samples.filter((sql) => attempt(() => parseSync(sql)) === undefined)
}

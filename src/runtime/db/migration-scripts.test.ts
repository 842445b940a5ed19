/** Migration and seed files as people and other tools write them: applied as psql does, or refused before anything runs. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import {
  type Database,
  migrate,
  type MigrationFile,
  migrationStatus,
  readMigrations,
  rollback,
  seed,
} from '../db.ts'
import { engines, enginesAndPooler, openInMemory, type OpenEngine } from './engines.fixture.ts'

let folder: string
const write = (file: string, text: string | Buffer) => writeFileSync(join(folder, file), text)
const run = async (database: Database, sql: string) =>
  (await database.query<Record<string, unknown>>({ sql, parameters: [] })).rows

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'fw-scripts-'))
})
afterEach(() => {
  rmSync(folder, { recursive: true })
})

const dump = `--
-- PostgreSQL database dump
--

\\restrict f4VZ1mVbq

SET statement_timeout = 0;
SET client_encoding = 'UTF8';
SET standard_conforming_strings = on;
SELECT pg_catalog.set_config('search_path', '', false);
SET row_security = off;

CREATE TABLE public.members (
    id integer NOT NULL,
    name text DEFAULT 'a;
-- down
b'
);

CREATE FUNCTION public.f() RETURNS integer LANGUAGE plpgsql AS $$
begin
-- down counter
-- no transaction is needed here
return 1;
end $$;

COPY public.members (id, name) FROM stdin;
1\tone; still one
2\t\\N
-- down\t\\.
\\.


--
-- Name: members members_pkey
--

ALTER TABLE ONLY public.members ADD CONSTRAINT members_pkey PRIMARY KEY (id);
COPY public.members (id) FROM stdin;
\\.

\\unrestrict f4VZ1mVbq
`.replace('-- down\t\\.', '3\t-- down')

/** Files that run as psql runs them, with a query for the effect. */
const applied: readonly [what: string, text: string | Buffer, query: string, value: unknown][] = [
  [
    'a dump of pg_dump',
    dump,
    `select string_agg(coalesce(name, '?'), '|' order by id) as value from members`,
    'one; still one|?|-- down',
  ],
  [
    'words of a line inside a string, a body, parentheses and a nested comment',
    `create table t (a text default '
-- down
');
create function f() returns int begin atomic
-- down
select 1;
-- no transaction
select 2; end;
/* /* */
-- down
*/
insert into t (
-- no transaction
a) values ('x');
create table last ();`,
    `select to_regclass('last') is not null and f() = 2 as value`,
    true,
  ],
  [
    'a body of a routine and a rule, outside a transaction',
    `-- a comment before
-- no transaction
create table t (n int);
create function f(x int) returns int language sql begin atomic select x + 1; select case x when 1 then 5 end; end;
create rule r as on insert to t do also (update t set n = n + 1; update t set n = n * 10);
insert into t values (f(1));`,
    'select n as value from t',
    60,
  ],
  [
    'statements, of which each is a message, as Citus requires',
    'create table t (q text);\ninsert into t values (current_query())',
    'select q as value from t',
    'insert into t values (current_query())',
  ],
  [
    'a continued string with escapes, outside a transaction',
    `-- no transaction\ncreate table t (a text default E'x' -- c\n'\\';y');\ninsert into t default values`,
    'select a as value from t',
    `x';y`,
  ],
  [
    'rows of COPY outside a transaction',
    '-- no transaction\ncreate table t (a text, b text);\ncopy t from stdin with (format csv); -- rows\n"a;",b\n\\.\nselect 1',
    'select a || b as value from t',
    'a;b',
  ],
  [
    'one transaction',
    'begin;\ncreate table t (n int);\nsavepoint a;\ninsert into t values (1);\nrollback to savepoint a;\ninsert into t values (2);\nCOMMIT;\n',
    'select n as value from t',
    2,
  ],
  [
    'transactions outside a transaction',
    '-- no transaction\ncreate table t (n int);\nbegin; insert into t values (1); rollback;\nstart transaction isolation level serializable; insert into t values (2); end;',
    'select n as value from t',
    2,
  ],
  [
    'a comment at the end of a line',
    'create table t (n int); -- down payments\ninsert into t values (1); -- no transaction needed',
    'select n as value from t',
    1,
  ],
  [
    'a byte order mark and CR LF',
    Buffer.from('\ufeffcreate table t (n int);\r\ninsert into t values (1);\r\n'),
    'select n as value from t',
    1,
  ],
  ['notices', `do $$ begin raise notice 'x'; raise warning 'y'; end $$`, 'select 1 as value', 1],
  [
    'remarks with the words of other dividers',
    '-- undo\ncreate table t (n int);\n-- rollback drop table t\ninsert into t values (1); -- revert',
    'select n as value from t',
    1,
  ],
  ['nothing', '-- only a comment\n', 'select 1 as value', 1],
]

/** Files that are refused before anything runs: the file's name, its text and the message. */
const refused: readonly [file: string, message: RegExp, text: string | Buffer][] = [
  [
    'V2__a.sql',
    /V2__a\.sql:2 cannot be used: this comment is almost the line '-- down': write exactly that.*db:squash/,
    'create table t ();\n-- down payments are kept apart\ncreate table u ();',
  ],
  ['V2__a.sql', /V2__a\.sql:1 .* '-- down'/, '-- Down: drop it\ndrop table t'],
  ['V2__a.sql', /V2__a\.sql:2 .* '-- down'/, 'select 1;\n--- down ---\nselect 2'],
  ['V2__a.sql', /V2__a\.sql:2 .* '-- down'/, 'select 1;\n/* down */\nselect 2'],
  ['V2__a.sql', /V2__a\.sql:1 .* '-- down'/, 'select 1; -- down\nselect 2'],
  [
    'V2__a.sql',
    /V2__a\.sql:4 .* second line '-- down'/,
    'select 1;\n-- down\nselect 2;\n-- down\nselect 3',
  ],
  [
    'V2__a.sql',
    /V2__a\.sql:1 .* '-- no transaction'/,
    '-- no transaction is needed here\nselect 1',
  ],
  ['V2__a.sql', /V2__a\.sql:1 .* '-- no transaction'/, '-- no-transaction\nselect 1'],
  [
    'V2__a.sql',
    /V2__a\.sql:2 .* before the first statement/,
    'select 1;\n-- no transaction\nvacuum',
  ],
  [
    'V2__a.sql',
    /V2__a\.sql:3 .* before the first statement/,
    'select 1;\n-- down\n-- no transaction\nvacuum',
  ],
  [
    'B0__a.sql',
    /B0__a\.sql cannot be used: a baseline has no part '-- down'/,
    'create table a ();\n-- down\ndrop table a;',
  ],
  [
    'V2__a.sql',
    /V2__a\.sql:2 .*\\connect is a command of psql/,
    'create table t ();\n\\connect other\ncreate table u ()',
  ],
  ['V2__a.sql', /V2__a\.sql:1 .*\\gset is a command of psql/, 'select 1 \\gset\n'],
  ['V2__a.sql', /V2__a\.sql:1 .* lack their last line '\\\.'/, 'copy t from stdin;\n1\n'],
  [
    'V2__a.sql',
    /V2__a\.sql:1 .* must begin on the line after/,
    'copy t from stdin; select 1;\n1\n\\.\n',
  ],
  [
    'V2__a.sql',
    /V2__a\.sql:2 .* Fw sends UTF-8/,
    "create table t ();\nset client_encoding to 'LATIN1';",
  ],
  [
    'V2__a.sql',
    /V2__a\.sql:1 .* one transaction, which COMMIT would change/,
    'create table t (); commit',
  ],
  ['V2__a.sql', /V2__a\.sql:2 .* COMMIT/, 'create table t ();\ncommit;\nselect b from a'],
  ['V2__a.sql', /V2__a\.sql:3 .* COMMIT/, 'begin;\ncreate table t ();\ncommit;\nbegin;\ncommit;'],
  ['V2__a.sql', /V2__a\.sql:1 .* BEGIN/, 'begin isolation level serializable;\ncommit;'],
  ['V2__a.sql', /V2__a\.sql:3 .* ROLLBACK/, 'select 1;\n-- down\nrollback;'],
  [
    'V2__a.sql',
    /V2__a\.sql:1 .*'-- \+goose Up' is a line of goose\. Begin the reversal with a line '-- down'/,
    '-- +goose Up\ncreate table t ();\n-- +goose Down\ndrop table t;',
  ],
  [
    'V2__a.sql',
    /sql-migrate/,
    '-- +migrate Up\ncreate table t ();\n-- +migrate Down\ndrop table t;',
  ],
  [
    'V2__a.sql',
    /dbmate/,
    '-- migrate:up transaction:false\ncreate table t ();\n-- migrate:down\ndrop table t;',
  ],
  [
    'V2__a.sql',
    /node-pg-migrate/,
    '-- Up Migration\ncreate table t ();\n-- Down Migration\ndrop table t;',
  ],
  ['V2__a.sql', /micrate/, '-- +micrate Up\nselect 1;\n-- +micrate Down\nselect 2'],
  ['V2__a.sql', /V2__a\.sql:3 .*MyBatis/, '-- // A title.\nselect 1;\n-- //@UNDO\nselect 2'],
  ['V2__a.sql', /V2__a\.sql:1 .*Play/, '-- !Ups\nselect 1;\n-- !Downs\nselect 2'],
  ['V2__a.sql', /V2__a\.sql:2 .*tern/, 'select 1;\n---- create above / drop below ----\nselect 2'],
  ['V2__a.sql', /V2__a\.sql:2 .*'-- UNDO'.* '-- down' instead/, 'select 1;\n-- UNDO\nselect 2'],
  ['V2__a.sql', /V2__a\.sql:2 .*'-- down'/, 'select 1;\n/* rollback: */\nselect 2'],
  [
    'V2__a.sql',
    /V2__a\.sql:2 .* placeholder such as \$\{name\} of Flyway/,
    "select '${kept}';\ncreate table ${schema}.t ()",
  ],
  [
    'V2__a.sql',
    /V2__a\.sql cannot be used: line 2 is not UTF-8, but perhaps Latin-1/,
    Buffer.from("select 1;\ncreate table t (n text default 'caf\xe9');", 'latin1'),
  ],
  [
    'V2__a.sql',
    /V2__a\.sql cannot be used: it is encoded in UTF-16/,
    Buffer.from('\ufeffcreate table t ()', 'utf16le'),
  ],
  ['V2__a.sql', /UTF-16/, Buffer.from('create table t ()', 'utf16le')],
  ['V2__a.sql', /UTF-16/, Buffer.from('\ufeffcreate table t ()', 'utf16le').swap16()],
  ['V2__a.sql', /UTF-16/, Buffer.from('create table t ()', 'utf16le').swap16()],
  [
    'U1__first.sql',
    /U1__first\.sql:2 cannot be used: a U file contains only the reversal/,
    'drop table first;\n-- down\nselect 1',
  ],
  ['U1__first.sql', /U1__first\.sql:1 /, '-- no transaction is needed\ndrop table first'],
  ['R__views.sql', /R__views\.sql is a repeatable migration of Flyway/, 'select 1'],
  ['V1.1__views.sql', /rename it like V20260102030405__views\.sql/, 'select 1'],
  ['000002_a.up.sql', /rename it like V000002__a\.sql/, 'select 1'],
  ['000002_a.down.sql', /rename it like U000002__a\.sql/, 'select 1'],
  ['V2__a.down.sql', /rename it like U2__a\.sql/, 'drop table first'],
  [
    '20260101_init/migration.sql',
    /no folders of Prisma: move the file to .*V20260101__init\.sql/,
    'select 1',
  ],
  [
    '2026-01-02-030405_init/up.sql',
    /no folders of Diesel: move the file to .*V20260102030405__init\.sql/,
    'select 1',
  ],
  [
    '2026-01-02-030405_init/down.sql',
    /no folders of Diesel: move the file to .*U20260102030405__init\.sql/,
    'select 1',
  ],
  ['V2__a.SQL', /rename it like V2__a\.sql/, 'select 1'],
]

describe.each(engines)('files on $name', ({ open }) => {
  let engine: OpenEngine
  let database: Database

  beforeAll(async () => {
    engine = await open()
    database = engine.database
  })
  afterAll(() => engine.close())
  afterEach(async () => {
    await run(database, 'drop schema public cascade')
    await run(database, 'create schema public')
  })

  test.each(applied)('%s runs as in psql', async (_, text, query, value) => {
    write('V1__a.sql', text)
    expect(await migrate(database, folder)).toHaveLength(1)
    expect(await run(database, query)).toEqual([{ value }])
    expect((await migrationStatus(database, folder)).map(({ state }) => state)).toEqual(['applied'])
  })

  test.each([
    [
      'create index concurrently a_n on first (n)',
      /V2__a\.sql failed: .*Move this statement to a migration of its own that begins with the line '-- no transaction'/,
    ],
    [
      "alter type mood add value 'b';\nselect 'b'::mood",
      /V2__a\.sql:2 failed: .*Move the statement that adds the value to an earlier migration/,
    ],
    ['create table fw_schema_migrations ()', /pg_dump --exclude-table=fw_schema_migrations/],
    [
      'create table t ();\nalter table t owner to nobody_here',
      /Create the role, or leave owners .*--no-owner/,
    ],
    ['set no_such_timeout = 0', /Remove the line, which is for another version of PostgreSQL/],
    [
      'drop schema public cascade; create schema public',
      /V2__a\.sql removed the table fw_schema_migrations.*such as drop schema public/,
    ],
  ])(
    '%s fails with a remedy, and with the list of what was applied before',
    async (sql, message) => {
      write('V1__first.sql', "create table first (n int); create type mood as enum ('a')")
      write('V2__a.sql', sql)
      const failure = migrate(database, folder)
      await expect(failure).rejects.toThrow(message)
      await expect(failure).rejects.toThrow('Before it, this run has applied V1__first.sql.')
      expect(await run(database, `select to_regclass('first') is not null as found`)).toEqual([
        { found: true },
      ])
    },
  )

  test('a failed rollback lists what was rolled back before', async () => {
    write('V1__a.sql', 'select 1')
    write('V2__b.sql', 'select 1;\n-- down\nselect 1')
    await migrate(database, folder)
    await expect(rollback(database, folder, 2)).rejects.toThrow(
      'Before it, this run has rolled back V2__b.sql.',
    )
  })

  test('an applied file is not checked again, so that an update of Fw does not refuse it', async () => {
    write('V1__a.sql', '-- down payments\nselect 1')
    await run(
      database,
      `create table fw_schema_migrations (version bigint primary key, name varchar(512), checksum varchar(64), applied_at timestamptz default now())`,
    )
    const [{ checksum }] = readMigrations(folder) as [MigrationFile]
    await run(database, `insert into fw_schema_migrations values (1, 'a', '${checksum}')`)
    write('V2__b.sql', 'create table b ()')
    expect((await migrate(database, folder)).map(({ version }) => version)).toEqual([2])
  })

  test('a transaction that a file leaves open is an error', async () => {
    write('V1__a.sql', '-- no transaction\nbegin;\ncreate table t ()')
    await expect(migrate(database, folder)).rejects.toThrow(
      /begins a transaction that it does not end/,
    )
    expect((await migrationStatus(database, folder)).map(({ state }) => state)).toEqual(['pending'])
    await database.ping()
  })

  test('the reversal in a U file has its own line for the transaction', async () => {
    write('V1__a.sql', 'create table t (n int); create index t_n on t (n)')
    write('U1__a.sql', '-- no transaction\ndrop index concurrently t_n;\ndrop table t;')
    await migrate(database, folder)
    expect(await rollback(database, folder)).toHaveLength(1)
  })

  test('a text in a module that looks like its setting has no effect', async () => {
    write(
      'V1__a.ts',
      `const text = \`\nexport const transaction = false\n\`
      export const up = async (database) => {
        await database.currentTransaction().script('create table t ()')
        throw new Error(text)
      }`,
    )
    await expect(migrate(database, folder)).rejects.toThrow('It changed nothing.')
    expect(await run(database, `select to_regclass('t') as found`)).toEqual([{ found: null }])
  })

  test('a seed is read like a migration', async () => {
    write('seed.sql', dump)
    write('seed.test.sql', `insert into members (id) values (4)`)
    expect(await seed(database, folder, ['test'])).toEqual(['seed.sql', 'seed.test.sql'])
    expect(await run(database, 'select count(*)::int as n from members')).toEqual([{ n: 4 }])
    for (const [text, message] of [
      ['select 1;\ncommit', /seed\.sql failed, and nothing was kept: line 2: .*COMMIT/],
      [Buffer.from("select 'caf\xe9'", 'latin1'), /line 1 is not UTF-8/],
    ] as const) {
      write('seed.sql', text)
      await expect(seed(database, folder)).rejects.toThrow(message)
    }
  })
})

describe('files that cannot be used', () => {
  let database: Database

  beforeAll(async () => {
    database = await openInMemory()
  })
  afterAll(() => database.close())

  test.each(refused)('%s is refused before anything runs: %s', async (file, message, text) => {
    write('V1__first.sql', 'create table first ()')
    if (file.includes('/')) mkdirSync(join(folder, file, '..'))
    write(file, text)
    await expect(migrate(database, folder)).rejects.toMatchObject({
      code: 'db.migration-invalid',
      message: expect.stringMatching(message) as string,
    })
    expect(await run(database, `select to_regclass('first') as found`)).toEqual([{ found: null }])
  })
})

const settingsSql =
  'select name, setting from pg_settings where setting is distinct from reset_val or name = any ($1) order by name'

describe.each(enginesAndPooler)('settings on $name', ({ open, name }) => {
  let engine: OpenEngine

  beforeAll(async () => {
    engine = await open()
  })
  afterAll(() => engine.close())

  const settings = (database: Database) =>
    database.query({
      sql: settingsSql,
      parameters: [['search_path', 'session_replication_role', 'datestyle', 'TimeZone', 'role']],
    })
  const changes = `set session_replication_role = replica; set datestyle = 'SQL, DMY'; set timezone = 'Asia/Tokyo';
    select set_config('search_path', '', false); set statement_timeout = 12345; set enable_seqscan = off; set my.own = 1;
    create temporary table hidden (); select pg_advisory_lock(77); set session authorization limited;`

  test('a migration, its reversal and a seed leave no settings on a connection', async () => {
    const { database } = engine
    const role = `limited_${name}_${process.pid}`
    await run(database, `create role ${role}`)
    const sql = changes.replace('authorization limited', `authorization ${role}`)
    const before = (await settings(database)).rows
    const lines = name === 'pgbouncer' ? [''] : ['', '-- no transaction\n']
    for (const line of lines) {
      write('V1__a.sql', `${line}${sql}\n-- down\n${sql}`)
      write(
        'V2__b.ts',
        `export const up = (database) => database.currentTransaction().script(${JSON.stringify(sql)})\nexport const down = up`,
      )
      expect(await migrate(database, folder)).toHaveLength(2)
      expect((await settings(database)).rows).toEqual(before)
      expect(await rollback(database, folder, 2)).toHaveLength(2)
      mkdirSync(join(folder, 'seeds'), { recursive: true })
      write('seeds/seed.sql', sql)
      await seed(database, join(folder, 'seeds'))
      expect((await settings(database)).rows).toEqual(before)
    }
    const leftovers = await run(
      database,
      `select current_user = session_user and current_user <> '${role}' as same, to_regclass('pg_temp.hidden') as hidden,
        (select count(*)::int from pg_locks where locktype = 'advisory' and objid = 77) as locks`,
    )
    expect(leftovers).toEqual([{ same: true, hidden: null, locks: 0 }])
    await run(database, `drop role ${role}`)
  })

  test("the next file and the commit have Fw's settings, whatever a seed has set", async () => {
    const { database } = engine
    const seen = (at: string) =>
      `insert into seen values ('${at}', current_setting('timezone'), current_setting('statement_timeout'));`
    write(
      'seed.sql',
      `create table seen (at text, zone text, timeout text);
      create function see() returns trigger language plpgsql as $$ begin ${seen('commit')} return null; end $$;
      create table t ();
      create constraint trigger see after insert on t deferrable initially deferred for each row execute function see();
      insert into t default values;
      set statement_timeout = 12345; set timezone = 'Asia/Tokyo';`,
    )
    write('seed.test.sql', seen('file'))
    await seed(database, folder, ['test'])
    const rows = `select at, replace(zone, 'Etc/', '') as zone, timeout from seen order by at`
    expect(await run(database, rows)).toEqual([
      { at: 'commit', zone: 'UTC', timeout: '0' },
      { at: 'file', zone: 'UTC', timeout: '0' },
    ])
  })
})

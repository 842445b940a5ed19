/** The rows that a request has read: by keys, by references, without secrets, in an order in which a test can insert them. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  currentDatabase,
  logStatements,
  sentStatements,
  useDatabase,
  withLocalSettings,
  type Database,
} from '../../runtime/db.ts'
import { openInMemory } from '../../runtime/db/engines.fixture.ts'
import { hasMany, model } from '../../runtime/model.ts'
import { ParamType } from '../../runtime/params.ts'
import { insertRows } from '../testing.ts'
import { findTables, maxRowsOfTable, maxStatements, readRows, type TableRows } from './rows-read.ts'

const User = model('users', { id: ParamType.Long, countryId: ParamType.Long })
const Login = model('logins', { id: ParamType.Long, userId: ParamType.Long })
const userLogins = hasMany(User, Login, 'userId')

const schema = `
create table countries (id bigint primary key, name text not null);
create table users (
  id bigint generated always as identity primary key,
  country_id bigint not null references countries,
  boss_id bigint references users,
  password_hash varchar(8) not null unique,
  api_key bytea check (octet_length(api_key) = 16),
  photo bytea,
  is_admin bool not null default false,
  note text default 'none',
  upper_note text generated always as (upper(note)) stored
);
create table logins (id bigserial primary key, user_id bigint not null references users);
create table "order" (a int, b text, tags text[], primary key (a, b));
create table events (id int primary key, name text);
create table devices (token text primary key, options jsonb);
create table visits (id int primary key, device_token text references devices);
create table vaults (id int primary key, secret bytea, contents bytea);
create table tenants (id int primary key, tenant text not null);
create function lo_mark(value int) returns int language sql as 'select value';
create function lock_and_return(value int) returns int language sql as 'select pg_advisory_lock(value); select value';
create table servlet_sessions (id bigint primary key, note text);
create table fw_jobs (id int primary key, note text);
create table carts (id int primary key, session_id bigint references servlet_sessions);
create table imports (id int primary key, job int not null references fw_jobs);
create table import_lines (id int primary key, import int not null references imports, cart int not null references carts);
create table invites (token uuid primary key, inviter uuid references invites, remember_hash varchar(64), code_digest text, hash_tags text);
create table guests (id int primary key, invite uuid references invites);
create type name_and_text as (name text, value text);
create table logs (id int primary key, payload text, many jsonb[], texts text[], url text, doc jsonb, note text, scalar json, cells text[], kind text, pair name_and_text, words tsvector);
create type state as enum ('new', 'used');
create table keys (id int primary key, api_key inet, token_bits bit(8), secret_pair name_and_text, token_used bool, token_day date, token_sent_at timestamptz, token_state state, doc json, deep json);
insert into keys values (1, '10.1.2.3', B'10101010', '(a,HUSH)', true, '2026-01-02', null, 'used', '{"token": "HUSH", "token": null}',
  (repeat('[', 2000) || '"HUSH"' || repeat(']', 2000))::json);
insert into invites values ('11111111-2222-3333-4444-555555555555', '11111111-2222-3333-4444-555555555555', 'REMEMBER', 'DIGEST', 'a');
insert into guests values (7, '11111111-2222-3333-4444-555555555555');
insert into logs values (1, '{"password": "PAYLOAD", "at": 1}', array['{"password": "MANY"}', '{"n": 1}']::jsonb[],
  array['{"token": "TEXTS"}', 'it"s', null], 'https://ann:URL@host/path',
  '{"body": "{\\"password\\": \\"NESTED\\"}", "headers": [["authorization", "Bearer HEADER"], ["accept", "text/html"]], "url": "https://u:DOC@h/", "field": {"name": "otp", "value": 123456}}',
  'see /reset?token=NOTE', '"password=SCALAR"', '[0:1][1:1]={{plain},{"secret=CELLS"}}', 'plain', '(ann,"password=PAIR")', 'token:1 WORDS:2');
insert into servlet_sessions values (1, 'of Fw');
insert into fw_jobs values (5, 'of Fw');
insert into carts values (1, 1);
insert into imports values (1, 5);
insert into import_lines values (1, 1, 1);
insert into devices values ('t0ken', '{"theme": "dark", "apiKey": "k3y", "uses": [{"password": "w0rd", "at": 12345678901234567890}]}');
insert into visits values (1, 't0ken');
insert into countries select n, 'Country ' || n from generate_series(1, 9) n;
insert into users overriding system value select n, n, nullif(n - 1, 0), 'hash ' || n, decode(repeat('ab', 16), 'hex'),
  decode(repeat('ff', 5000), 'hex'), n = 3, case when n = 3 then null else 'it''s' end from generate_series(1, 5) n;
insert into logins select n, 3 from generate_series(70, 99) n;
insert into "order" values (1, 'x', '{a,"b c"}'), (1, 'y', '{}');
insert into events select n, 'Event ' || n from generate_series(1, 60) n;
insert into vaults select 1, decode(repeat('ee', 5000), 'hex'), decode(repeat('ff', 5000), 'hex');
insert into tenants select n, case when n = 2 then 'b' else 'a' end from generate_series(1, 3) n;`

let database: Database
beforeAll(async () => {
  database = await openInMemory()
  await database.transaction(() => database.currentTransaction()!.script(schema))
  useDatabase(database)
})
afterAll(async () => {
  useDatabase(undefined)
  await database.close()
})

/** Runs `work` in a transaction that is rolled back, and returns the rows that it has read, and what is left out. */
async function rowsOf(work: () => Promise<unknown>) {
  const omitted: string[] = []
  const statements = await logStatements(async () => {
    const failing = database.transaction(async () => {
      await work()
      throw new Error('of the request')
    })
    await failing.catch(() => {})
    return [...sentStatements()]
  })
  return { found: await readRows(statements, omitted), omitted }
}

const query = (sql: string, ...parameters: unknown[]) =>
  currentDatabase().query({ sql, parameters })

/** The ids of the rows by table. */
const ids = (found: readonly TableRows[]) =>
  Object.fromEntries(
    found.map(({ table, rows }) => [
      table,
      rows.map(({ id }) => Number(id)).toSorted((one, other) => one - other),
    ]),
  )

test('the user of a login is found with the login, by its key among the parameters, and with what it references', async () => {
  const { found } = await rowsOf(() => User.where(userLogins, { id: 77 }).findFirst())
  expect(found.map(({ table }) => table)).toEqual(['countries', 'users', 'logins'])
  expect(ids(found)).toEqual({ countries: [1, 2, 3], users: [1, 2, 3], logins: [77] })
})

test('values are complete, except secrets, long ones and generated columns', async () => {
  const { found, omitted } = await rowsOf(() => User.findById(3))
  expect(found.find(({ table }) => table === 'users')!.rows[0]).toEqual({
    id: 3,
    country_id: 3,
    boss_id: 2,
    password_hash: '*******1',
    api_key: '\\x00000001000000000000000000000000',
    photo: `\\x${'f'.repeat(1998)}`,
    is_admin: true,
    note: null,
  })
  expect(omitted).toEqual([
    'column users.password_hash',
    'column users.api_key',
    'column users.photo',
  ])
})

test('bytes have at most 2000 characters in their text form, also those of a secret', async () => {
  const { found } = await rowsOf(() => query('select id from vaults'))
  expect(found[0]!.rows).toEqual([
    { id: 1, secret: `\\x00000001${'0'.repeat(1990)}`, contents: `\\x${'f'.repeat(1998)}` },
  ])
})

test('secrets in JSON and in keys that are texts are replaced', async () => {
  const { found, omitted } = await rowsOf(() =>
    query('select v.id, d.options from visits v join devices d on d.token = v.device_token'),
  )
  expect(JSON.stringify(found)).not.toMatch(/t0ken|k3y|w0rd/)
  expect(found.find(({ table }) => table === 'devices')!.rows[0]!['options']).toContain(
    '"theme":"dark"',
  )
  expect(omitted).toEqual(
    expect.arrayContaining(['column devices.options', 'column visits.device_token']),
  )
})

test('a secret that other rows reference becomes the same value in all of them', async () => {
  const { found } = await rowsOf(() => query('select * from guests'))
  const uuid = '00000000-0000-0000-0000-000000000001'
  expect(found).toMatchObject([
    { table: 'invites', rows: [{ token: uuid, inviter: uuid }] },
    { table: 'guests', rows: [{ id: 7, invite: uuid }] },
  ])
})

test('hashes are replaced', async () => {
  const { found, omitted } = await rowsOf(() => query('select * from invites'))
  expect(JSON.stringify(found)).not.toMatch(/REMEMBER|DIGEST/)
  expect(found[0]!.rows[0]!['hash_tags']).toBe('a')
  expect(omitted).toEqual(
    expect.arrayContaining(['column invites.remember_hash', 'column invites.code_digest']),
  )
})

test('secrets in texts, lists, JSON inside these, and URLs are redacted', async () => {
  const { found, omitted } = await rowsOf(() => query('select * from logs'))
  const { doc, ...row } = found[0]!.rows[0]!
  expect(row).toEqual({
    id: 1,
    payload: '{"password":"[redacted]","at":1}',
    many: '{"{\\"password\\":\\"[redacted]\\"}","{\\"n\\": 1}"}',
    texts: '{"{\\"token\\":\\"[redacted]\\"}","it\\"s",NULL}',
    url: 'https://[redacted]@host/path',
    note: '[redacted 1]',
    scalar: '"[redacted]"',
    cells: '[0:1][1:1]={{"plain"},{"[redacted]"}}',
    kind: 'plain',
    words: '',
  })
  expect(JSON.parse(String(doc))).toEqual({
    body: '{"password":"[redacted]"}',
    headers: [
      ['[redacted]', '[redacted]'],
      ['accept', 'text/html'],
    ],
    url: 'https://[redacted]@h/',
    field: { name: '[redacted]', value: '[redacted]' },
  })
  expect(omitted).toEqual(
    ['payload', 'many', 'texts', 'url', 'doc', 'note', 'scalar', 'cells', 'pair', 'words'].map(
      (name) => `column logs.${name}`,
    ),
  )
})

test('secrets of types without a replacement are left out; times, booleans and enums stay', async () => {
  const { found, omitted } = await rowsOf(() => query('select id from keys'))
  const { deep, ...row } = found[0]!.rows[0]!
  expect(row).toEqual({
    id: 1,
    token_used: true,
    token_day: '2026-01-02',
    token_state: 'used',
    doc: '{"token":null}',
  })
  expect(deep).toMatch(/^\[+"\[redacted\]"\]+$/)
  const columns = ['api_key', 'token_bits', 'secret_pair', 'doc', 'deep']
  expect(omitted).toEqual(columns.map((name) => `column keys.${name}`))
})

test('rows and statements beyond the limits are left out, and said to be', async () => {
  const all = await rowsOf(() => query('select id, name from events order by id'))
  expect(all.found[0]!.rows).toHaveLength(maxRowsOfTable)
  expect(all.omitted).toEqual([`rows of events after the first ${maxRowsOfTable}`])
  const many = await rowsOf(async () => {
    for (let id = 1; id <= maxStatements + 1; id++)
      await query('select id from events where id = $1', id)
  })
  expect(many.found[0]!.rows).toHaveLength(maxStatements)
  expect(many.omitted).toEqual([`statements after the first ${maxStatements}`])
})

test('tables of Fw and of PostgreSQL are left out, in any schema', () => {
  const sql = [
    'fw_jobs',
    'app.fw_jobs',
    '"app"."servlet_sessions"',
    'pg_catalog.pg_class',
    'app.notes',
  ]
  expect(findTables(sql.map((table) => `select * from ${table}`))).toEqual(['app.notes'])
})

test("rows of Fw's tables are left out, references to them are cleared, and rows that need them are left out", async () => {
  const carts = await rowsOf(() => query('select * from carts'))
  expect(carts.found).toEqual([{ table: 'carts', rows: [{ id: 1 }] }])
  expect(carts.omitted).toEqual(['column carts.session_id'])
  const lines = await rowsOf(() => query('select * from import_lines'))
  expect(ids(lines.found)).toEqual({ carts: [1] })
  expect(lines.omitted).toEqual(
    expect.arrayContaining([
      'rows of imports that reference fw_jobs',
      'rows of import_lines that reference imports',
    ]),
  )
  const work = () => query('insert into imports values ($1, $2)', 2, 5)
  expect((await rowsOf(work)).found).toEqual([])
})

test('a list and its number need the rows of the list only; a number alone needs some rows', async () => {
  const list = async () => {
    await query('select id, name from events order by id limit 3')
    await query('select count(*) from events')
  }
  expect(ids((await rowsOf(list)).found)).toEqual({ events: [1, 2, 3] })
  const { found } = await rowsOf(() => query('select count(*) from events'))
  expect(found[0]!.rows).toHaveLength(20)
})

test('rows that the request inserts are none, but those that they reference are', async () => {
  const work = async () => {
    await query('insert into countries values (50, $1)', 'New')
    await query('insert into logins (user_id) values ($1)', 2)
    await query('select id from countries where id = 50')
  }
  expect(ids((await rowsOf(work)).found)).toEqual({ countries: [1, 2], users: [1, 2] })
})

test('a locked row is read without the lock; failed statements and other tables add nothing', async () => {
  const work = async () => {
    await query('select * from countries where id = $1 for update', 7)
    await query('select relname from pg_class')
    await query('select nonsense from events').catch(() => {})
  }
  const { found } = await rowsOf(work)
  expect(ids(found)).toMatchObject({ countries: [7] })
})

test('keys of several columns, reserved names and lists', async () => {
  const { found } = await rowsOf(() => query(`select a, b from "order" where b = 'x'`))
  expect(found).toEqual([{ table: 'order', rows: [{ a: 1, b: 'x', tags: '{a,"b c"}' }] }])
})

test('statements have the local settings of the request', async () => {
  const sql = `select id from tenants where tenant = current_setting('app.tenant', true)`
  const { found } = await withLocalSettings({ 'app.tenant': 'b' }, () => rowsOf(() => query(sql)))
  expect(ids(found)).toEqual({ tenants: [2] })
})

test('effects of a statement that is sent again are undone, also a lock of the session by a function', async () => {
  const statements = await logStatements(async () => {
    await query(
      "select id, set_config('app.seen', 'yes', false), lock_and_return(id) from events where id = 3",
    )
    return [...sentStatements()]
  })
  const locks = async () =>
    (await query("select objid::int as key from pg_locks where locktype = 'advisory'")).rows
  expect(await locks()).toEqual([{ key: 3 }])
  await query('select pg_advisory_unlock(3)')
  await query("select set_config('app.seen', 'no', false)")
  expect(ids(await readRows(statements, []))).toEqual({ events: [3] })
  expect(await locks()).toEqual([])
  expect((await query("select current_setting('app.seen') as seen")).rows).toEqual([{ seen: 'no' }])
})

test('of a statement that is not sent again, rows of its tables are read', async () => {
  // The test's own function, which has no effect, has the name of one with effects.
  const sql = 'select id, lo_mark(id) from events where id = 3'
  const { found } = await rowsOf(() => query(sql))
  expect(found[0]!.rows).toHaveLength(20)
})

test('its own statements are not recorded', async () => {
  await logStatements(async () => {
    await User.findById(1)
    const statements = [...sentStatements()]
    await readRows(statements, [])
    expect(sentStatements()).toHaveLength(1)
  })
})

test('the rows can be inserted as they are, and sequences continue behind them', async () => {
  const { found } = await rowsOf(() => User.where(userLogins, { id: 77 }).findFirst())
  const other = await openInMemory()
  try {
    await other.transaction(() =>
      other.currentTransaction()!.script(schema.slice(0, schema.indexOf('insert into'))),
    )
    useDatabase(other)
    for (const { table, rows } of found) await insertRows(table, rows)
    expect(await User.where(userLogins, { id: 77 }).findFirst()).toEqual({ id: 3, countryId: 3 })
    const sql = `insert into users (country_id, password_hash) values (1, 'x') returning id, upper_note`
    expect((await query(sql)).rows).toEqual([{ id: 4, upper_note: 'NONE' }])
    expect((await query('insert into logins (user_id) values (3) returning id')).rows).toEqual([
      { id: 78 },
    ])
  } finally {
    useDatabase(database)
    await other.close()
  }
})

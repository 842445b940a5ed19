/** A dump recreates every object of a database, or names the objects that it cannot recreate. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { readCatalogue } from '../../../test/support/catalogue.ts'
import { combinePieces, pieceRoles, schemaPieces } from '../../../test/support/schema-pieces.ts'
import { currentTransaction, dumpSchema, type Database } from '../db.ts'
import { engines, servers, type TestEngine } from './engines.fixture.ts'

const script = (database: Database, sql: string) =>
  database.transaction(() => currentTransaction()!.script(sql))

/** Runs `work` with an empty database. */
async function withEmpty<T>({ open }: TestEngine, work: (database: Database) => Promise<T>) {
  const { database, close } = await open({ statementTimeout: 0 })
  try {
    return await work(database)
  } finally {
    await close()
  }
}

const dumpOf = (engine: TestEngine, sql: string) =>
  withEmpty(engine, async (database) => {
    await script(database, sql)
    return dumpSchema(database)
  })

const names = Object.keys(schemaPieces)
const slow = 240_000

describe.each(engines)('a dump of $name', (engine) => {
  /** Creates objects, dumps them, runs the dump on another database, and expects equal catalogs and an equal dump. */
  const expectSame = (chosen: readonly string[]) =>
    withEmpty(engine, async (database) => {
      const { rows } = await database.query<{ version: number }>({
        sql: "select current_setting('server_version_num')::int / 10000 as version",
        parameters: [],
      })
      const isServer = engine.name === 'postgres'
      const sql = combinePieces(
        chosen,
        ({ from = 15, isForServers = false }) =>
          from <= rows[0]!.version && (isServer || !isForServers),
      )
      await script(database, `${pieceRoles};\n${sql}`)
      const dump = await dumpSchema(database)
      const catalogue = await readCatalogue(database)
      await withEmpty(engine, async (other) => {
        await script(other, dump)
        expect(await readCatalogue(other)).toEqual(catalogue)
        expect(await dumpSchema(other)).toBe(dump)
      })
    })

  test('recreates objects of every kind', () => expectSame(names), slow)

  test(
    'recreates random combinations of objects in any order of creation',
    () =>
      fc.assert(fc.asyncProperty(fc.shuffledSubarray(names, { minLength: 1 }), expectSame), {
        numRuns: Number(process.env['FW_DUMP_RUNS'] ?? 2),
        endOnFailure: true,
      }),
    slow + Number(process.env['FW_DUMP_RUNS'] ?? 0) * 20_000,
  )

  test('keeps the privileges, comments and policies of all tables but that of migrations', async () => {
    const text = await withEmpty(engine, async (database) => {
      await script(
        database,
        `create table fw_schema_migrations (version bigint primary key, name text, checksum text); grant select on fw_schema_migrations to public;
         comment on table fw_schema_migrations is 'ours'; create table kept (id int); grant select on kept to public; comment on table kept is 'kept'`,
      )
      return dumpSchema(database, { withMigrations: false })
    })
    expect(text).not.toContain('fw_schema_migrations')
    expect(text).toContain('grant select on table kept to public;')
    expect(text).toContain("comment on table public.kept is 'kept';")
  })

  test('keeps what protects the rows of a table that an extension has created', async () => {
    const table = `create table theirs (id int); alter extension plpgsql add table theirs; create index theirs_id on theirs (id)`
    const parts = `create function theirs_stamp() returns trigger language plpgsql as 'begin return new; end'; alter extension plpgsql add function theirs_stamp();
      create trigger theirs_stamped before insert on theirs for each row execute function theirs_stamp(); create policy theirs_policy on theirs using (id > 0)`
    const own = `create function own_stamp() returns trigger language plpgsql as 'begin return new; end'; create trigger own_stamped before insert on theirs for each row execute function own_stamp();
      create constraint trigger later after insert on theirs deferrable for each row execute function own_stamp(); alter table theirs disable trigger later; comment on trigger own_stamped on theirs is 'own';
      create rule own_rule as on delete to theirs do instead nothing; create policy own_policy on theirs as restrictive for select using (id > 1); comment on policy own_policy on theirs is 'own';
      comment on index theirs_id is 'lost with its index'; alter table theirs enable row level security; alter table theirs force row level security`
    const dump = await dumpOf(engine, `${table}; ${parts}; ${own}`)
    expect(dump).not.toMatch(/create table|theirs_stamp|theirs_id/)
    for (const existing of [parts, 'drop index theirs_id'])
      await withEmpty(engine, async (other) => {
        await script(other, `${table}; ${existing}; ${dump}`)
        const { rows } = await other.query({
          sql: `select array(select tgname || tgenabled::text from pg_trigger where tgrelid = c.oid order by 1) as triggers,
              array(select rulename::text from pg_rewrite where ev_class = c.oid) as rules,
              array(select polname::text from pg_policy where polrelid = c.oid order by 1) as policies, relrowsecurity and relforcerowsecurity as secured
            from pg_class c where relname = 'theirs'`,
          parameters: [],
        })
        expect(rows).toEqual([
          {
            triggers: [
              'laterD',
              'own_stampedO',
              ...(existing === parts ? ['theirs_stampedO'] : []),
            ],
            rules: ['own_rule'],
            policies: ['own_policy', 'theirs_policy'],
            secured: true,
          },
        ])
        expect(await dumpSchema(other)).toBe(dump)
      })
  })

  test('creates a role whose name contains quotes and the marks of a text', async () => {
    const role = `fw_$role$'"${engine.name}${process.pid}`
    const quoted = `"${role.replaceAll('"', '""')}"`
    await withEmpty(engine, async (database) => {
      await script(
        database,
        `create role ${quoted}; create table t (); grant select on t to ${quoted}`,
      )
      const dump = await dumpSchema(database)
      await script(database, `drop table t; drop role ${quoted}; ${dump}`)
      expect(await dumpSchema(database)).toBe(dump)
      await script(database, `drop table t; drop role ${quoted}`)
    })
  })

  test('names objects that need each other', async () => {
    const cycle = `create view ring as select 1 as n; create function round() returns int language sql begin atomic select n from ring; end;
      create or replace view ring as select round() as n`
    await expect(dumpOf(engine, cycle)).rejects.toMatchObject({
      code: 'db.dump-refused',
      message: expect.stringMatching(
        /need each other.*(?:round\(\).*view ring|view ring.*round\(\))/,
      ),
    })
  })

  test.each([
    [
      'a base type',
      `create type odd; create function odd_in(cstring) returns odd language internal immutable strict as 'int4in';
       create function odd_out(odd) returns cstring language internal immutable strict as 'int4out'; create type odd (input = odd_in, output = odd_out, like = int)`,
      'the base type odd',
    ],
    [
      'a foreign key that is not enforced',
      'create table one (id int primary key); create table two (one_id int references one); alter table two disable trigger all',
      'the constraint two_one_id_fkey of two',
    ],
    [
      'a user mapping',
      `create foreign data wrapper w; create server far foreign data wrapper w; create user mapping for public server far options (password 'x')`,
      'the user mapping of public for the server far',
    ],
  ])('is refused with the name of %s', async (_, sql, object) => {
    await expect(dumpOf(engine, sql)).rejects.toMatchObject({
      code: 'db.dump-refused',
      message: expect.stringContaining(object),
    })
  })
})

describe.each(servers)('a dump of a server', (engine) => {
  test('is refused with the names of a subscription and an invalid index', () =>
    withEmpty(engine, async (database) => {
      const run = (sql: string) => database.query({ sql, parameters: [] })
      await script(database, 'create table twice (n int); insert into twice values (1), (1)')
      await expect(run('create unique index concurrently broken on twice (n)')).rejects.toThrow()
      await expect(dumpSchema(database)).rejects.toThrow('the index broken: it is invalid')
      await run('drop index broken')
      await run(
        "create subscription far connection 'dbname=far' publication p with (connect = false)",
      )
      await expect(dumpSchema(database)).rejects.toThrow('the subscription far')
      await run('alter subscription far set (slot_name = none)')
      await run('drop subscription far')
    }))

  test('does not depend on the search path of the connection', () =>
    withEmpty(engine, async (database) => {
      await script(
        database,
        'create schema app; create table app.members (id int); create table sales (id int)',
      )
      const dump = await dumpSchema(database)
      const other = await database.transaction(async () => {
        await database.query({ sql: 'set local search_path = app, public', parameters: [] })
        return dumpSchema(database)
      })
      expect(other).toBe(dump.replace('off;\n', 'off;\n\nset search_path = public;\n'))
    }))
})

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { currentTransaction } from './current-transaction.ts'
import { openDatabase } from './open-database.ts'

const names = `amcheck bloom btree_gin btree_gist citext cube dict_int dict_xsyn earthdistance file_fdw fuzzystrmatch hstore
  intarray isn lo ltree autoinc insert_username moddatetime refint pageinspect pg_buffercache pg_freespacemap pg_stat_statements
  pg_surgery pg_trgm pg_visibility pg_walinspect pgcrypto seg tablefunc tcn tsm_system_rows tsm_system_time unaccent uuid-ossp`

async function open(folder: string) {
  const database = await openDatabase({ kind: 'pglite', folder })
  onTestFinished(() => database.close())
  const query = async (sql: string) => (await database.query({ sql, parameters: [] })).rows
  return { database, query }
}

test('every extension that PGlite ships is created by its statement, in one transaction', async () => {
  const { database, query } = await open('memory')
  await database.transaction(async () => {
    for (const name of names.split(/\s+/))
      await currentTransaction()!.script(`create extension if not exists "${name}" cascade`)
  })
  expect(await query(`select count(*)::int as count from pg_extension`)).toEqual([{ count: 37 }])
})

test('the types and functions of extensions work, also after the folder has been opened again', async () => {
  const root = mkdtempSync(join(tmpdir(), 'fw-extensions-'))
  onTestFinished(() => rmSync(root, { recursive: true }))
  const folder = join(root, 'data')
  const first = await open(folder)
  await first.query('CREATE EXTENSION CITEXT -- create extension no_such')
  await first.query(
    `do $$ begin execute 'create extension hstore'; create /* the */ extension if not exists "earthdistance" cascade; end $$`,
  )
  const sql = `select 'A'::citext = 'a' as equal, 'a=>1'::hstore -> 'a' as value, earth() > 6000000 as earth`
  const row = { equal: true, value: '1', earth: true }
  expect(await first.query(sql)).toEqual([row])
  await first.database.close()
  const second = await open(folder)
  expect(await second.query(sql)).toEqual([row])
})

test('the refusal of an extension that PGlite does not ship is that of PostgreSQL', async () => {
  const { query } = await open('memory')
  await expect(query('create extension postgis')).rejects.toThrow(
    'extension "postgis" is not available',
  )
  await expect(query('create extension "../../x"')).rejects.toThrow(/invalid extension name/)
})

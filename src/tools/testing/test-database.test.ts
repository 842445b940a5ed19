/** testDatabase: each process has its own migrated database; the rows of each test are rolled back. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import {
  isolateDatabase,
  migrationsChecksum,
  openDatabase,
  type Database,
} from '../../runtime/db.ts'
import { engines, servers } from '../../runtime/db/engines.fixture.ts'
import { databaseName, testServerUrl } from '../../runtime/db/test-server.fixture.ts'
import { templateLock, testDatabase } from './test-database.ts'

describe.each(engines)('a test database on $name', ({ name }) => {
  const memory = {
    FW_TEST_DATABASE_URL: process.env['FW_TEST_DATABASE_URL'],
    DATABASE_URL: process.env['DATABASE_URL'],
  }
  let migrations: string

  beforeAll(() => {
    migrations = mkdtempSync(join(tmpdir(), 'fw-test-database-'))
    // The server gets a template of this run, dropped at the end; the embedded dump stays for the next run.
    writeFileSync(
      join(migrations, 'V1__notes.sql'),
      `create table notes (n int); -- ${name === 'postgres' ? migrations : ''}`,
    )
    if (name === 'pglite') for (const key of Object.keys(memory)) delete process.env[key]
  })
  afterAll(async () => {
    if (name === 'postgres') {
      const admin = await openDatabase({ kind: 'postgres', url: testServerUrl, poolSize: 1 })
      await admin.query({
        sql: `drop database fw_template_${migrationsChecksum(migrations).slice(0, 24)}`,
        parameters: [],
      })
      await admin.close()
    }
    rmSync(migrations, { recursive: true })
    for (const [key, value] of Object.entries(memory))
      if (value !== undefined) process.env[key] = value
  })

  const open = () =>
    testDatabase({ migrations, ...(name === 'postgres' ? { url: testServerUrl } : {}) })
  const count = async (database: Database) =>
    (
      await database.query<{ c: number }>({
        sql: 'select count(*) as c from notes',
        parameters: [],
      })
    ).rows[0]!.c
  const add = (database: Database) =>
    database.query({ sql: 'insert into notes values (1)', parameters: [] })

  test('is migrated, isolated from others, and empty after each test', async () => {
    const first = await open()
    const second = await open()
    const isolated = await isolateDatabase(first.database)
    await isolated.database.transaction(() => add(isolated.database))
    expect(await count(isolated.database)).toBe(1)
    await isolated.end()
    expect(await count(first.database)).toBe(0)
    await add(first.database)
    expect(await count(second.database)).toBe(0)
    await Promise.all([first.close(), second.close()])
  })
})

test('only the embedded dumps used last are kept', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'fw-test-dumps-'))
  vi.stubEnv('TMPDIR', folder)
  vi.stubEnv('FW_TEST_DATABASE_URL', undefined)
  vi.stubEnv('DATABASE_URL', undefined)
  onTestFinished(() => {
    vi.unstubAllEnvs()
    rmSync(folder, { recursive: true })
  })
  const dumps = join(folder, `fw-test-${userInfo().uid}`)
  mkdirSync(dumps, { mode: 0o700 })
  for (let day = 1; day <= 9; day++) {
    writeFileSync(join(dumps, `${day}.tar`), '')
    utimesSync(join(dumps, `${day}.tar`), day, day)
  }
  const migrations = join(folder, 'migrations')
  mkdirSync(migrations)
  const { close } = await testDatabase({ migrations })
  await close()
  const made = expect.stringMatching(/^[0-9a-f]{24}-.*\.tar$/)
  expect(readdirSync(dumps).sort()).toEqual(
    expect.arrayContaining([made, ...[3, 4, 5, 6, 7, 8, 9].map((day) => `${day}.tar`)]),
  )
  expect(readdirSync(dumps)).toHaveLength(8)
})

test.skipIf(servers.length === 0)(
  'databases of killed processes and of old schemas are dropped from the server',
  async () => {
    const url = testServerUrl
    const migrations = mkdtempSync(join(tmpdir(), 'fw-test-database-'))
    writeFileSync(join(migrations, 'V1__swept.sql'), `create table swept (n int); -- ${migrations}`)
    const template = `fw_template_${migrationsChecksum(migrations).slice(0, 24)}`
    const admin = await openDatabase({ kind: 'postgres', url, poolSize: 1, statementTimeout: 0 })
    const run = async (sql: string) => (await admin.query({ sql, parameters: [] })).rows
    const child = spawn(
      process.execPath,
      [
        '--input-type=module',
        '--conditions=fwjs-source',
        '--eval',
        `const { testDatabase } = await import(${JSON.stringify(new URL('./test-database.ts', import.meta.url).href)})
        const { database } = await testDatabase(${JSON.stringify({ url, migrations })})
        const { rows } = await database.query({ sql: 'select current_database() as name', parameters: [] })
        process.stdout.write(rows[0].name)
        setInterval(() => {}, 1000)`,
      ],
      { stdio: ['ignore', 'pipe', 'inherit'] },
    )
    const killed = String((await once(child.stdout, 'data'))[0])
    expect(killed).toMatch(/^fw_test_/)
    // Holding the lock, on the pool's only connection, keeps other processes from dropping the same databases.
    await run(`select pg_advisory_lock(${templateLock})`)
    child.kill('SIGKILL')
    await once(child, 'exit')
    await expect
      .poll(() => run(`select pid from pg_stat_activity where datname = '${killed}'`))
      .toEqual([])
    const old = databaseName('template')
    await run(`create database ${old}`)
    await run(`comment on database ${old} is 'fw tests, day 100'`)
    const left = async () =>
      (await run(`select datname from pg_database where datname in ('${killed}', '${old}')`)).length
    expect(await left()).toBe(2)
    await run(`select pg_advisory_unlock(${templateLock})`)
    const own = await testDatabase({ url, migrations })
    expect(await left()).toBe(0)
    await own.close()
    await run(`drop database ${template}`)
    await admin.close()
    rmSync(migrations, { recursive: true })
  },
)

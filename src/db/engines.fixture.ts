/** The engines that the tests of the database rooms run on: PGlite always, PostgreSQL where a server answers. */
import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { cacheFolder } from '../config.ts'
import { engineVersion, makeDataDir, openDatabase, type Database } from '../db.ts'
import type { DatabaseSettings, PgliteSettings, PostgresSettings } from './settings.ts'

const server = process.env['FW_TEST_DATABASE_URL'] ?? 'postgres://postgres@127.0.0.1:5432/test'
let made = 0

export interface TestEngine {
  readonly name: 'pglite' | 'postgres'
  /** A database of its own, empty; closing it drops it. */
  open(settings?: Partial<Omit<PostgresSettings, 'kind' | 'url'>>): Promise<OpenEngine>
}

export interface OpenEngine {
  readonly database: Database
  readonly settings: DatabaseSettings
  close(): Promise<void>
}

async function run(url: string, sql: string): Promise<void> {
  const admin = await openDatabase({ kind: 'postgres', url, poolSize: 1, acquireTimeout: 2000 })
  try {
    await admin.query({ sql, parameters: [] })
  } finally {
    await admin.close()
  }
}

/** What an empty database holds, made once for all suites: made from nothing, each costs seconds. */
async function emptyDataDir(): Promise<Blob> {
  const folder = cacheFolder('databases') ?? tmpdir()
  const file = join(folder, `pglite-${engineVersion()}.tar`)
  try {
    return new Blob([readFileSync(file)])
  } catch {
    const made = await makeDataDir(() => Promise.resolve())
    const draft = `${file}.${process.pid}`
    writeFileSync(draft, Buffer.from(await made.arrayBuffer()), { mode: 0o600 })
    renameSync(draft, file)
    return made
  }
}

const inMemory = async (over: object = {}): Promise<PgliteSettings> => ({
  ...over,
  kind: 'pglite',
  folder: 'memory',
  loadDataDir: await emptyDataDir(),
})

/** An empty embedded database in memory. */
export const openInMemory = async (): Promise<Database> => openDatabase(await inMemory())

const pglite: TestEngine = {
  name: 'pglite',
  open: async (over = {}) => {
    const settings = await inMemory(over)
    const database = await openDatabase(settings)
    return { database, settings, close: () => database.close() }
  },
}

const postgres: TestEngine = {
  name: 'postgres',
  open: async (over = {}) => {
    const name = `fw_test_${process.pid}_${++made}`
    await run(server, `create database ${name}`)
    const url = new URL(server)
    url.pathname = `/${name}`
    const settings: DatabaseSettings = { ...over, kind: 'postgres', url: url.href }
    const database = await openDatabase(settings)
    const close = async () => {
      await database.close()
      await run(server, `drop database if exists ${name} with (force)`)
    }
    return { database, settings, close }
  },
}

async function reachable(): Promise<boolean> {
  try {
    await run(server, 'select 1')
    return true
  } catch {
    console.warn(
      'No PostgreSQL server answers: these tests run on PGlite alone. FW_TEST_DATABASE_URL names one.',
    )
    return false
  }
}

export const engines: readonly TestEngine[] = (await reachable()) ? [pglite, postgres] : [pglite]
export const servers: readonly TestEngine[] = engines.filter(({ name }) => name === 'postgres')

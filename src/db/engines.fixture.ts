/** The engines that the tests of the database rooms run on: PGlite always, PostgreSQL where a server answers. */
import { openDatabase, type Database } from '../db.ts'
import type { DatabaseSettings, PostgresSettings } from './settings.ts'

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

const pglite: TestEngine = {
  name: 'pglite',
  open: async (over = {}) => {
    const settings: DatabaseSettings = { ...over, kind: 'pglite', folder: 'memory' }
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

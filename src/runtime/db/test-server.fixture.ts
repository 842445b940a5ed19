/** The PostgreSQL server for the tests: its URL comes from the environment, else it runs on this machine. */
import { randomBytes } from 'node:crypto'
import { openDatabase, type Database } from '../db.ts'

// An empty variable counts as unset.
const named = process.env['FW_TEST_DATABASE_URL'] || process.env['DATABASE_URL'] || undefined
export const testServerUrl = named ?? 'postgres://postgres@127.0.0.1:5432/test'

/** Returns a database name that is unique across test runs; process ids alone repeat in containers. */
export const databaseName = (kind: string): string =>
  `fw_${kind}_${process.pid}_${randomBytes(4).toString('hex')}`

async function withAdmin<T>(server: string, work: (admin: Database) => Promise<T>): Promise<T> {
  const admin = await openDatabase({
    kind: 'postgres',
    url: server,
    poolSize: 1,
    acquireTimeout: named === undefined ? 1000 : 10_000,
    statementTimeout: 0,
  })
  try {
    return await work(admin)
  } finally {
    await admin.close()
  }
}

/** Runs one statement on a new connection. */
export const runOnServer = (sql: string, server = testServerUrl) =>
  withAdmin(server, (admin) => admin.query({ sql, parameters: [] }))

let isAvailable: Promise<boolean> | undefined
/**
 * Whether a test server is available. Throws if a configured server is unavailable, else its tests would be silently skipped.
 */
export function hasTestServer(): Promise<boolean> {
  isAvailable ??= withAdmin(testServerUrl, (admin) => admin.ping()).then(
    () => true,
    (error: unknown) => {
      if (named !== undefined)
        throw new Error('The PostgreSQL server of the tests does not answer', { cause: error })
      return false
    },
  )
  return isAvailable
}

export interface EmptyDatabase {
  readonly name: string
  readonly url: string
  readonly drop: () => Promise<void>
}

/** Creates an empty database. The returned `drop` terminates its connections and drops it. */
export async function emptyDatabaseOn(
  kind: string,
  server = testServerUrl,
): Promise<EmptyDatabase> {
  const name = databaseName(kind)
  await runOnServer(`create database ${name}`, server)
  const url = new URL(server)
  url.pathname = `/${name}`
  const drop = async () => {
    await runOnServer(`drop database if exists ${name} with (force)`, server)
  }
  return { name, url: url.href, drop }
}

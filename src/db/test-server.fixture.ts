/** The PostgreSQL server of the tests: one that is named, else one of this machine. */
import { randomBytes } from 'node:crypto'
import { openDatabase, type Database } from '../db.ts'

// A variable that is empty names none.
const named = process.env['FW_TEST_DATABASE_URL'] || process.env['DATABASE_URL'] || undefined
export const testServerUrl = named ?? 'postgres://postgres@127.0.0.1:5432/test'

/** No other run's, nor one's that was killed: process ids come again in each container. */
export const databaseName = (kind: string): string =>
  `fw_${kind}_${process.pid}_${randomBytes(4).toString('hex')}`

async function asked<T>(server: string, ask: (admin: Database) => Promise<T>): Promise<T> {
  const admin = await openDatabase({
    kind: 'postgres',
    url: server,
    poolSize: 1,
    acquireTimeout: named === undefined ? 1000 : 10_000,
    statementTimeout: 0,
  })
  try {
    return await ask(admin)
  } finally {
    await admin.close()
  }
}

/** One statement, on a connection of its own. */
export const runOnServer = (sql: string, server = testServerUrl) =>
  asked(server, (admin) => admin.query({ sql, parameters: [] }))

let answers: Promise<boolean> | undefined
/** False where there is none. A server that is named has to answer: its half of the tests would be left out unseen. */
export function hasTestServer(): Promise<boolean> {
  answers ??= asked(testServerUrl, (admin) => admin.ping()).then(
    () => true,
    (error: unknown) => {
      if (named !== undefined)
        throw new Error('The PostgreSQL server of the tests does not answer', { cause: error })
      return false
    },
  )
  return answers
}

export interface EmptyDatabase {
  readonly name: string
  readonly url: string
  readonly drop: () => Promise<void>
}

/** A database of the test's own; `drop` ends its connections. */
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

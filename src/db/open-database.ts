/** Settings to an open database, of either engine. */
import { FwError, silentLogger } from '../base.ts'
import type { Connection } from './connection.ts'
import { Database } from './database.ts'
import { connectPostgres } from './postgres-connection.ts'
import { ConnectionPool } from './pool.ts'
import type { DatabaseSettings, PgliteSettings, PostgresSettings } from './settings.ts'
import { slowReport } from './slow-report.ts'
import { startDumpable, startPglite } from './start-pglite.ts'

const defaults = { poolSize: 10, acquireTimeout: 5000, queueLimit: 1000, statementTimeout: 15_000 }

/**
 * Opens an embedded database, its folder locked; or prepares a pool for a server, which is first reached by the first
 * query (`ping()` tells whether it is there).
 * @throws FwError `db.folder-locked`, `db.folder-incomplete`
 */
export async function openDatabase(settings: DatabaseSettings): Promise<Database> {
  const logger = settings.logger ?? silentLogger
  const limits = {
    acquireTimeout: settings.acquireTimeout ?? defaults.acquireTimeout,
    queueLimit: settings.queueLimit ?? defaults.queueLimit,
  }
  if (settings.kind === 'postgres') {
    const size = settings.poolSize ?? defaults.poolSize
    return new Database(
      'postgres',
      new ConnectionPool(remote(settings), { ...limits, size }),
      logger,
    )
  }
  // Started here, so that a folder in use stops the start.
  let engine = await startPglite(settings)
  const again = async () => (engine = await restart(settings, engine))
  const pool = new ConnectionPool(again, { ...limits, size: 1 })
  pool.add(engine)
  return new Database('pglite', pool, logger)
}

/** After the engine broke down: what a folder holds is still there, what was in memory is not. */
async function restart(settings: PgliteSettings, broken: Connection): Promise<Connection> {
  // It holds the folder's lock until it has ended.
  await broken.close().catch(() => {})
  if (settings.folder !== 'memory') return startPglite(settings)
  throw new FwError(
    'db.closed',
    'The database in memory broke down, and its rows with it. Start again.',
  )
}

function remote(settings: PostgresSettings): () => Promise<Connection> {
  const options = {
    url: settings.url,
    tls: settings.tls,
    connectTimeout: settings.acquireTimeout ?? defaults.acquireTimeout,
    statementTimeout: settings.statementTimeout ?? defaults.statementTimeout,
    applicationName: settings.applicationName ?? 'fw',
    prepare: settings.prepare ?? true,
    slow: slowReport(settings.slowQueries),
  }
  return () => connectPostgres(options)
}

/** The data directory, for `loadDataDir`, of an embedded database in memory that `prepare` has filled. */
export async function makeDataDir(
  prepare: (database: Database) => Promise<unknown>,
): Promise<Blob> {
  const { connection, dump } = await startDumpable()
  const { acquireTimeout, queueLimit } = defaults
  const pool = new ConnectionPool(() => Promise.reject(new Error('gone')), {
    size: 1,
    acquireTimeout,
    queueLimit,
  })
  pool.add(connection)
  const database = new Database('pglite', pool, silentLogger)
  try {
    await prepare(database)
    return await dump()
  } finally {
    await database.close()
  }
}

/** Settings to an open database, of either engine. */
import { FwError, silentLogger } from '../base.ts'
import type { Connection } from './connection.ts'
import { Database } from './database.ts'
import { checkFolder, lockFolder } from './folder-lock.ts'
import { pgliteConnection } from './pglite-connection.ts'
import { connectPostgres } from './postgres-connection.ts'
import { ConnectionPool } from './pool.ts'
import type { DatabaseSettings, PgliteSettings, PostgresSettings } from './settings.ts'
import { slowReport } from './slow-report.ts'

const defaults = { poolSize: 10, acquireTimeout: 5000, queueLimit: 1000, statementTimeout: 15_000 }

/**
 * Opens an embedded database, its folder locked; or prepares a pool for a server, which is first reached by the first
 * query (`ping()` tells whether it is there).
 * @throws FwError `db.folder-locked`, `db.folder-incomplete`
 */
export async function openDatabase(settings: DatabaseSettings): Promise<Database> {
  const connect = settings.kind === 'pglite' ? await embedded(settings) : remote(settings)
  const pool = new ConnectionPool(connect, {
    size: settings.kind === 'pglite' ? 1 : (settings.poolSize ?? defaults.poolSize),
    acquireTimeout: settings.acquireTimeout ?? defaults.acquireTimeout,
    queueLimit: settings.queueLimit ?? defaults.queueLimit,
  })
  return new Database(settings.kind, pool, settings.logger ?? silentLogger)
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

/** The engine is started here, so that a folder in use stops the start; the pool then takes it as its one connection. */
async function embedded(settings: PgliteSettings): Promise<() => Promise<Connection>> {
  let first: Connection | undefined = await startPglite(settings)
  return () => {
    const ready = first
    first = undefined
    if (ready) return Promise.resolve(ready)
    if (settings.folder !== 'memory') return startPglite(settings)
    throw new FwError('db.closed', 'The database in memory broke down, and its rows with it. Start again.')
  }
}

async function startPglite(settings: PgliteSettings): Promise<Connection> {
  const { folder, loadDataDir } = settings
  const memory = folder === 'memory'
  const unlock = memory ? () => {} : lockFolder(folder)
  try {
    if (!memory) checkFolder(folder)
    const { PGlite } = await import('@electric-sql/pglite')
    const pglite = await PGlite.create({
      dataDir: memory ? 'memory://' : folder,
      ...(loadDataDir ? { loadDataDir } : {}),
    })
    await pglite.exec("set timezone = 'UTC'; set datestyle = 'ISO'; set intervalstyle = 'postgres'")
    return pgliteConnection(pglite, slowReport(settings.slowQueries), unlock)
  } catch (error) {
    unlock()
    throw error
  }
}

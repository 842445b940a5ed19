/** Opens a database of either engine from its settings. */
import { FwError, silentLogger } from '../base.ts'
import type { Connection } from './connection.ts'
import { Database, type EngineName } from './database.ts'
import { openEngine, PgliteConnection, startPglite } from './pglite.ts'
import type { ConnectListener, ListenConnection, ListenEvents } from './notifications.ts'
import { ConnectionPool } from './pool.ts'
import { Replicas } from './replicas.ts'
import type { DatabaseSettings, PgliteSettings, PostgresSettings } from './settings.ts'
import { SlowStatements } from './statement-batch.ts'
import { slowQueryReporter } from './statement-log.ts'

const defaults = {
  poolSize: 10,
  acquireTimeout: 5000,
  queueLimit: 1000,
  statementTimeout: 15_000,
  idleTransactionTimeout: 60_000,
  maxAge: 30 * 60_000,
  idleTimeout: 10 * 60_000,
  maxLag: 5000,
  primaryAfterWrite: 10_000,
}

/** The milliseconds that the first query may wait for an embedded engine that starts on demand. */
const startTimeout = 60_000

/**
 * Opens an embedded database and locks its folder, or creates the connection pool for a server. The first query connects to the
 * server; call `ping()` to check the connection earlier.
 * @throws FwError `db.folder-locked`, `db.folder-incomplete`
 */
export async function openDatabase(settings: DatabaseSettings): Promise<Database> {
  const { acquireTimeout = defaults.acquireTimeout, queueLimit = defaults.queueLimit } = settings
  if (settings.kind === 'postgres') return openServer(settings)
  let connection: Connection | undefined
  const connect = async (): Promise<Connection> =>
    (connection = await (connection ? restartPglite(settings, connection) : startPglite(settings)))
  const wait = settings.onDemand === true ? Math.max(acquireTimeout, startTimeout) : acquireTimeout
  const pool = new ConnectionPool(connect, { acquireTimeout: wait, queueLimit, size: 1 })
  if (settings.onDemand !== true) pool.add(await connect())
  return createDatabase('pglite', pool, settings)
}

async function openServer(settings: PostgresSettings): Promise<Database> {
  const { replicas, logger = silentLogger } = settings
  const { acquireTimeout = defaults.acquireTimeout } = settings
  const database = createDatabase('postgres', await createPool(settings), settings)
  database.connectListener = listenConnector(settings, acquireTimeout)
  if (replicas === undefined) return database
  const { urls, maxLag = defaults.maxLag } = replicas
  const { primaryAfterWrite = defaults.primaryAfterWrite } = replicas
  const [, name = 'default'] = /^db\.(.+)\.url$/.exec(settings.urlSetting ?? '') ?? []
  const urlSetting = `db.${name}.replicas`
  const pools = await Promise.all(
    urls.map(async (url) => ({
      pool: await createPool({ ...settings, url, urlSetting }),
      checks: await createPool({ ...settings, url, urlSetting, poolSize: 1 }),
    })),
  )
  database.replicas = new Replicas(pools, { maxLag, primaryAfterWrite, logger })
  return database
}

async function createPool(settings: PostgresSettings): Promise<ConnectionPool> {
  const { acquireTimeout = defaults.acquireTimeout, queueLimit = defaults.queueLimit } = settings
  const { poolSize: size = defaults.poolSize, maxQueueTime } = settings
  const { maxAge = defaults.maxAge, idleTimeout = defaults.idleTimeout } = settings
  const connect = await postgresConnector(settings, acquireTimeout)
  const limits = { acquireTimeout, queueLimit, maxQueueTime, size, maxAge, idleTimeout }
  return new ConnectionPool(connect, limits)
}

function createDatabase(
  engine: EngineName,
  pool: ConnectionPool,
  { logger = silentLogger, sqlComments = false, lockTimeout }: DatabaseSettings,
): Database {
  const database = new Database(engine, pool, logger)
  if (lockTimeout !== undefined) database.lockTimeout = lockTimeout
  database.commentsStatements = sqlComments
  return database
}

async function postgresConnector(
  settings: PostgresSettings,
  connectTimeout: number,
): Promise<() => Promise<Connection>> {
  // Import lazily, so that an application with an embedded database never loads pg.
  const { connectPostgres } = await import('./postgres-connection.ts')
  const { url, urlSetting, tls, statementTimeout = defaults.statementTimeout } = settings
  const { poolSize = defaults.poolSize } = settings
  const { applicationName = 'fw', prepare = true, slowQueries } = settings
  const reportSlow = slowQueryReporter(slowQueries)
  const { idleTransactionTimeout = defaults.idleTransactionTimeout } = settings
  const limits = { connectTimeout, statementTimeout, idleTransactionTimeout }
  const server = { url, urlSetting, poolSize, tls }
  const shared = { schema: { number: 0 }, slowStatements: new SlowStatements() }
  const common = { ...server, applicationName, prepare, ...shared, reportSlow }
  return () => connectPostgres({ ...common, ...limits })
}

function listenConnector(
  { url, tls, applicationName = 'fw', prepare = true }: PostgresSettings,
  connectTimeout: number,
): ConnectListener {
  const connect = async (events: ListenEvents): Promise<ListenConnection> => {
    const { connectListener } = await import('./listen-connection.ts')
    return connectListener({ url, tls, applicationName, connectTimeout }, events)
  }
  return Object.assign(connect, { isPooled: !prepare })
}

/** Restarts a broken engine. A database in a folder keeps its rows; a database in memory loses them. */
async function restartPglite(settings: PgliteSettings, broken: Connection): Promise<Connection> {
  // Close the broken engine first, because that unlocks the folder.
  await broken.close().catch(() => {})
  if (settings.folder !== 'memory') return startPglite(settings)
  throw new FwError(
    'db.closed',
    'The database in memory broke down, and its rows with it. Start again.',
  )
}

/** Runs `prepare` on a new in-memory database and returns the resulting data directory, for the setting `loadDataDir`. */
export async function makeDataDir(
  prepare: (database: Database) => Promise<unknown>,
): Promise<Blob> {
  const { pglite, close } = await openEngine({ folder: 'memory' })
  const { acquireTimeout, queueLimit } = defaults
  const limits = { acquireTimeout, queueLimit, size: 1 }
  const pool = new ConnectionPool(() => Promise.reject(new Error('the engine is closed')), limits)
  pool.add(new PgliteConnection(pglite, slowQueryReporter(undefined), close))
  const database = new Database('pglite', pool, silentLogger)
  try {
    await prepare(database)
    return await pglite.dumpDataDir('none')
  } finally {
    await database.close()
  }
}

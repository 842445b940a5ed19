/** Opens a database of either engine from its settings. */
import { FwError, silentLogger } from '../base.ts'
import type { Connection, EngineName } from './connection.ts'
import { Database } from './database.ts'
import { openEngine, PgliteConnection, startPglite } from './pglite.ts'
import type { ConnectListener, ListenConnection, ListenEvents } from './notifications.ts'
import { ConnectionPool } from './pool.ts'
import { Replicas } from './replicas.ts'
import {
  complete,
  defaults,
  serverDefaults,
  type DatabaseSettings,
  type PgliteSettings,
  type CompletePostgresSettings,
} from './settings.ts'
import { readServerAddress, type ServerAddress } from './server-address.ts'
import { SlowStatements } from './statement-batch.ts'

/** The milliseconds that the first query may wait for an embedded engine that starts on demand. */
const startTimeout = 60_000

/**
 * Opens an embedded database and locks its folder, or creates the connection pool for a server. The first query connects to the
 * server; call `ping()` to check the connection earlier.
 * @throws FwError `db.folder-locked`, `db.folder-incomplete`
 */
export function openDatabase(settings: DatabaseSettings): Promise<Database> {
  return settings.kind === 'postgres'
    ? openServer(complete(settings, serverDefaults))
    : openEmbedded(complete(settings, defaults))
}

async function openEmbedded(settings: PgliteSettings & typeof defaults): Promise<Database> {
  const { onDemand = false, acquireTimeout, queueLimit } = settings
  let connection: Connection | undefined
  const connect = async (): Promise<Connection> =>
    (connection = await (connection ? restartPglite(settings, connection) : startPglite(settings)))
  const wait = onDemand ? Math.max(acquireTimeout, startTimeout) : acquireTimeout
  const pool = new ConnectionPool(connect, { acquireTimeout: wait, queueLimit, size: 1 })
  if (!onDemand) pool.add(await connect())
  return createDatabase('pglite', pool, settings)
}

async function openServer(settings: CompletePostgresSettings): Promise<Database> {
  const server = resolveServer(settings)
  const database = createDatabase('postgres', await createPool(server), settings)
  database.connectListener = listenConnector(server)
  if (settings.replicas === undefined) return database
  const { urls, maxLag = 5000, primaryAfterWrite = 10_000 } = settings.replicas
  const [, name = 'default'] = /^db\.(.+)\.url$/.exec(settings.urlSetting ?? '') ?? []
  const urlSetting = `db.${name}.replicas`
  const pools = await Promise.all(
    urls.map(async (url) => {
      const replica = resolveServer({ ...settings, url, urlSetting })
      return {
        pool: await createPool(replica),
        checks: await createPool({ ...replica, poolSize: 1 }),
      }
    }),
  )
  const { logger } = settings
  database.replicas = new Replicas(pools, { maxLag, primaryAfterWrite, logger })
  return database
}

/** The settings of one server: the primary or a replica. */
type ServerSettings = CompletePostgresSettings & { readonly address: ServerAddress }

/** Parses the URL, which may say that it leads to a pooler. @throws FwError `db.setting-invalid` */
function resolveServer(settings: CompletePostgresSettings): ServerSettings {
  const address = readServerAddress(settings.url, settings.urlSetting, settings.tls)
  return { ...settings, address, prepare: settings.prepare && !address.isPooled }
}

async function createPool(settings: ServerSettings): Promise<ConnectionPool> {
  // Import lazily, so that an application with an embedded database never loads pg.
  const { connectPostgres } = await import('./connect-postgres.ts')
  const shared = { schema: { number: 0 }, slowStatements: new SlowStatements() }
  const connect = () => connectPostgres({ ...settings, ...shared })
  return new ConnectionPool(connect, { ...settings, size: settings.poolSize })
}

type CommonSettings = typeof defaults & Pick<DatabaseSettings, 'slowQueries'>

function createDatabase(
  engine: EngineName,
  pool: ConnectionPool,
  { logger, sqlComments, lockTimeout, slowQueries }: CommonSettings,
): Database {
  const database = new Database(engine, pool, logger)
  database.lockTimeout = lockTimeout
  if (slowQueries !== undefined) database.slowQuery = slowQueries.threshold
  database.commentsStatements = sqlComments
  return database
}

function listenConnector(settings: ServerSettings): ConnectListener {
  const connect = async (events: ListenEvents): Promise<ListenConnection> => {
    const { connectListener } = await import('./listen-connection.ts')
    return connectListener(settings, events)
  }
  return Object.assign(connect, { isPooled: !settings.prepare })
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
  const engine = await openEngine({ folder: 'memory' })
  const fail = () => Promise.reject(new Error('the engine is closed'))
  const pool = new ConnectionPool(fail, { ...defaults, size: 1 })
  pool.add(new PgliteConnection(engine))
  const database = new Database('pglite', pool, silentLogger)
  try {
    await prepare(database)
    return await engine.dumpDataDir('none')
  } finally {
    await database.close()
  }
}

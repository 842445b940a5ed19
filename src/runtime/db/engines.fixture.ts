/** The database engines on which the database tests run: always PGlite, and PostgreSQL if a server is available. */
import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { canStartPgbouncer, startPgbouncer } from '../../../test/support/pgbouncer.ts'
import { cacheFolder } from '../config.ts'
import { engineVersion, makeDataDir, openDatabase, type Database } from '../db.ts'
import { EmbeddedHost } from './embedded-host.ts'
import type { RpcChannel } from './engine-socket.ts'
import { useEmbeddedHost } from './hosted-engine.ts'
import type { DatabaseSettings, PgliteSettings, PostgresSettings } from './settings.ts'
import { emptyDatabaseOn, hasTestServer } from './test-server.fixture.ts'

export interface TestEngine {
  readonly name: 'pglite' | 'hosted' | 'postgres' | 'pgbouncer'
  /** Creates and opens an empty database. The returned `close` drops it. */
  open(settings?: Partial<Omit<PostgresSettings, 'kind' | 'url'>>): Promise<OpenEngine>
}

export interface OpenEngine {
  readonly database: Database
  readonly settings: DatabaseSettings
  close(): Promise<void>
}

/** The data directory of an empty database. It is created once for all test suites, because creating it takes seconds. */
async function emptyDataDir(): Promise<Blob> {
  const folder = cacheFolder('databases') ?? tmpdir()
  const file = join(folder, `pglite-${engineVersion()}.tar`)
  try {
    return new Blob([readFileSync(file)])
  } catch {
    const created = await makeDataDir(() => Promise.resolve())
    const draft = `${file}.${process.pid}`
    writeFileSync(draft, Buffer.from(await created.arrayBuffer()), { mode: 0o600 })
    renameSync(draft, file)
    return created
  }
}

const inMemory = async (over: object = {}): Promise<PgliteSettings> => ({
  ...over,
  kind: 'pglite',
  folder: 'memory',
  loadDataDir: await emptyDataDir(),
})

/** Opens an empty embedded database in memory. */
export const openInMemory = async (): Promise<Database> => openDatabase(await inMemory())

const pglite: TestEngine = {
  name: 'pglite',
  open: async (over = {}) => {
    const settings = await inMemory(over)
    const database = await openDatabase(settings)
    return { database, settings, close: () => database.close() }
  },
}

/** Two connected ends; messages are cloned, as between processes. */
export function connectedChannels(): [RpcChannel, RpcChannel] {
  const listeners: ((message: unknown) => void)[][] = [[], []]
  const end = (own: number): RpcChannel => ({
    send(message) {
      const sent: unknown = structuredClone(message)
      setImmediate(() => listeners[1 - own]!.forEach((listener) => listener(sent)))
    },
    onMessage: (listener) => void listeners[own]!.push(listener),
  })
  return [end(0), end(1)]
}

/** An embedded database that a host keeps open, as under `fw run`. */
export const hosted: TestEngine = {
  name: 'hosted',
  open: async (over = {}) => {
    const host = new EmbeddedHost()
    const [above, below] = connectedChannels()
    const { leave } = host.serve(above)
    useEmbeddedHost(below)
    const settings: DatabaseSettings = { ...over, kind: 'pglite', folder: 'memory' }
    const database = await openDatabase(settings).finally(() => useEmbeddedHost(undefined))
    const close = async () => {
      await database.close()
      await leave()
      await host.close()
    }
    return { database, settings, close }
  },
}

const postgres: TestEngine = {
  name: 'postgres',
  open: async (over = {}) => {
    const { url, drop } = await emptyDatabaseOn('engine')
    const settings: DatabaseSettings = { ...over, kind: 'postgres', url }
    const database = await openDatabase(settings)
    const close = async () => {
      await database.close()
      await drop()
    }
    return { database, settings, close }
  },
}

/** PostgreSQL behind pgbouncer in transaction mode, where many client connections share few server connections. */
const pgbouncer: TestEngine = {
  name: 'pgbouncer',
  open: async (over = {}) => {
    const { url, drop } = await emptyDatabaseOn('engine')
    const pooler = await startPgbouncer(url, 2)
    const settings: DatabaseSettings = {
      ...over,
      prepare: false,
      kind: 'postgres',
      url: pooler.url,
    }
    const database = await openDatabase(settings)
    const close = async () => {
      await database.close()
      await pooler.stop()
      await drop()
    }
    return { database, settings, close }
  },
}

const hasServer = await hasTestServer()
if (!hasServer)
  console.warn(
    'No PostgreSQL server is available: these tests run on PGlite only. Set FW_TEST_DATABASE_URL to use one.',
  )

export const engines: readonly TestEngine[] = hasServer ? [pglite, postgres] : [pglite]
export const servers: readonly TestEngine[] = engines.filter(({ name }) => name === 'postgres')
/** The database engines, and PostgreSQL behind a pooler if pgbouncer is installed. */
export const enginesAndPooler: readonly TestEngine[] =
  hasServer && canStartPgbouncer ? [...engines, pgbouncer] : engines

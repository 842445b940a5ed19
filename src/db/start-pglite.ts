/** Starts the embedded engine, in a locked folder or in memory, and dumps what one holds. */
import type { PGlite } from '@electric-sql/pglite'
import type { Connection } from './connection.ts'
import { decoders } from './decode.ts'
import { sessionDefaults } from './embedded-engine.ts'
import { checkFolder, lockFolder } from './folder-lock.ts'
import { hostedEngine } from './hosted-engine.ts'
import { openCluster } from './new-cluster.ts'
import { pgliteConnection } from './pglite-connection.ts'
import type { PgliteSettings } from './settings.ts'
import { slowReport } from './slow-report.ts'

const inMemory = 'memory://'

/** An engine of this process; `close` gives its folder free. */
interface OpenEngine {
  readonly pglite: PGlite
  readonly close: () => Promise<void>
}

/** @throws FwError `db.folder-locked`, `db.folder-incomplete` */
export async function openEngine({ folder, loadDataDir }: PgliteSettings): Promise<OpenEngine> {
  const memory = folder === 'memory'
  const unlock = memory ? () => {} : lockFolder(folder)
  try {
    if (!memory) checkFolder(folder)
    const pglite = await createPglite(memory ? inMemory : folder, loadDataDir)
    const end = async (): Promise<void> => (pglite.closed ? undefined : pglite.close())
    return { pglite, close: () => end().finally(unlock) }
  } catch (error) {
    unlock()
    throw error
  }
}

/** A connection's engine: its values do not depend on the process's time zone, as the default parsers' would. */
function decoding(pglite: PGlite): PGlite {
  pglite.parsers = { ...decoders }
  pglite.serializers = {}
  return pglite
}

/** @throws FwError `db.folder-locked`, `db.folder-incomplete` */
export async function startPglite(settings: PgliteSettings): Promise<Connection> {
  const slow = slowReport(settings.slowQueries)
  const hosted =
    settings.loadDataDir === undefined ? await hostedEngine(settings.folder) : undefined
  if (hosted !== undefined) return pgliteConnection(hosted, slow, () => hosted.close())
  const { pglite, close } = await openEngine(settings)
  return pgliteConnection(decoding(pglite), slow, close)
}

/** An engine in memory that can give its data directory, as `loadDataDir` takes it. */
export async function startDumpable(): Promise<{
  connection: Connection
  dump: () => Promise<Blob>
}> {
  const pglite = decoding(await createPglite(inMemory, undefined))
  const connection = pgliteConnection(pglite, slowReport(undefined), () => pglite.close())
  return { connection, dump: () => pglite.dumpDataDir('none') }
}

async function createPglite(dataDir: string, loadDataDir: Blob | undefined): Promise<PGlite> {
  // Loaded when used: an application on PostgreSQL never pays for it.
  const { PGlite } = await import('@electric-sql/pglite')
  const create = (folder: string): Promise<PGlite> =>
    PGlite.create({ dataDir: folder, ...(loadDataDir ? { loadDataDir } : {}) })
  const copied = dataDir !== inMemory && loadDataDir === undefined
  const pglite = await (copied ? openCluster(dataDir, create) : create(dataDir))
  await pglite.exec(sessionDefaults)
  return pglite
}

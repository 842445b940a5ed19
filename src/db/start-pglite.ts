/** Starts the embedded engine, in a locked folder or in memory, and dumps what one holds. */
import type { PGlite } from '@electric-sql/pglite'
import type { Connection } from './connection.ts'
import { checkFolder, lockFolder } from './folder-lock.ts'
import { pgliteConnection } from './pglite-connection.ts'
import type { PgliteSettings } from './settings.ts'
import { slowReport } from './slow-report.ts'

/** @throws FwError `db.folder-locked`, `db.folder-incomplete` */
export async function startPglite(settings: PgliteSettings): Promise<Connection> {
  const { folder, loadDataDir } = settings
  const memory = folder === 'memory'
  const unlock = memory ? () => {} : lockFolder(folder)
  try {
    if (!memory) checkFolder(folder)
    const pglite = await createPglite(memory ? 'memory://' : folder, loadDataDir)
    return pgliteConnection(pglite, slowReport(settings.slowQueries), unlock)
  } catch (error) {
    unlock()
    throw error
  }
}

/** An engine in memory that can give its data directory, as `loadDataDir` takes it. */
export async function startDumpable(): Promise<{
  connection: Connection
  dump: () => Promise<Blob>
}> {
  const pglite = await createPglite('memory://', undefined)
  const connection = pgliteConnection(pglite, slowReport(undefined), () => {})
  return { connection, dump: () => pglite.dumpDataDir('none') }
}

async function createPglite(dataDir: string, loadDataDir: Blob | undefined): Promise<PGlite> {
  // Loaded when used: an application on PostgreSQL never pays for it.
  const { PGlite } = await import('@electric-sql/pglite')
  const pglite = await PGlite.create({ dataDir, ...(loadDataDir ? { loadDataDir } : {}) })
  await pglite.exec("set timezone = 'UTC'; set datestyle = 'ISO'; set intervalstyle = 'postgres'")
  return pglite
}

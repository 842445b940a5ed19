/** Starts embedded PostgreSQL (PGlite), in a folder or in memory, and implements its only connection. */
import type { PGlite, QueryOptions } from '@electric-sql/pglite'
import { chmodSync, cpSync, existsSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { currentRequest, FwError } from '../base.ts'
import { cacheFolder } from '../config.ts'
import type { Connection, Statement, StatementResult, TransactionMode } from './connection.ts'
import { beginSql, readDefaultIsolation } from './connection.ts'
import { checkFolder, lockFolder } from './folder-lock.ts'
import { openHostedEngine, type EmbeddedEngine } from './hosted-engine.ts'
import { AppliedSettings, type LocalSettings } from './local-settings.ts'
import { provideExtensions } from './pglite-extensions.ts'
import { checkCopy } from './embedded-limits.ts'
import { isConnectionLoss, toQueryError } from './query-error.ts'
import { embeddedSettings } from './session-settings.ts'
import type { PgliteSettings } from './settings.ts'
import { findCopySource } from './sql-script.ts'
import { slowQueryReporter, type SlowQueryLog, type SlowQueryReporter } from './statement-log.ts'
import { decoders, encodeText, rowDecoders } from './values.ts'

const inMemory = 'memory://'

/** PGlite's query options for statements with `asArrays`. */
const arrayOptions: QueryOptions = { rowMode: 'array', parsers: { ...rowDecoders } }

/** Resets the session of an engine that is in no transaction. */
export async function resetSession(engine: Pick<EmbeddedEngine, 'exec'>): Promise<void> {
  // `discard all` does not restore the user of the embedded session.
  await engine.exec('set session authorization postgres')
  await engine.exec('discard all')
  await engine.exec(embeddedSettings)
}

/** Opens an embedded database. @throws FwError `db.folder-locked`, `db.folder-incomplete` */
export async function startPglite(settings: PgliteSettings): Promise<Connection> {
  const { folder, loadDataDir, slowQueries } = settings
  const hosted = loadDataDir === undefined ? await openHostedEngine(folder) : undefined
  const connection = new PgliteConnection(hosted ?? (await openEngine(settings)), slowQueries)
  try {
    connection.defaultIsolation = await readDefaultIsolation(connection)
    return connection
  } catch (error) {
    // An open socket of a shared engine would keep the process running.
    await connection.close().catch(() => {})
    throw error
  }
}

/** Opens an engine in this process. Its `close` also unlocks the folder. @throws the errors of `startPglite` */
export async function openEngine(
  { folder, loadDataDir }: Pick<PgliteSettings, 'folder' | 'loadDataDir'>,
  parsers: Readonly<Record<number, (text: string) => unknown>> = decoders,
): Promise<PGlite> {
  const isMemory = folder === 'memory'
  const unlock = isMemory ? () => {} : lockFolder(folder)
  try {
    if (!isMemory) checkFolder(folder)
    const pglite = await createPglite(isMemory ? inMemory : folder, loadDataDir)
    // Replace the default parsers, whose results depend on the process's time zone.
    pglite.parsers = { ...parsers }
    pglite.serializers = {}
    await provideExtensions(pglite)
    const close = pglite.close.bind(pglite)
    pglite.close = () => (pglite.closed ? Promise.resolve() : close()).finally(unlock)
    return pglite
  } catch (error) {
    unlock()
    throw isDiskFull(error) ? diskFullError(folder, error) : error
  }
}

/** WASI's error number for a full disk (`ENOSPC`), which the engine throws in an object that is not an `Error`. */
const noSpace = 51

function isDiskFull(error: unknown): boolean {
  const { errno, code } = (error ?? {}) as { errno?: unknown; code?: unknown }
  return errno === noSpace || code === 'ENOSPC'
}

const diskFullError = (folder: string, cause: unknown): FwError =>
  new FwError(
    'db.disk-full',
    `The embedded database cannot be created in ${folder}: the disk is full. Make room on it, or set db.default.folder to a folder on another disk.`,
    { cause },
  )

/** Explains that PGlite is not installed: it is an optional dependency, which a production installation can omit. */
function rejectMissingEngine(cause: unknown): never {
  if ((cause as { code?: unknown }).code !== 'ERR_MODULE_NOT_FOUND') throw cause
  throw new FwError(
    'db.engine-missing',
    'The embedded database is not installed. Set DATABASE_URL to postgres://user:password@host:5432/name, or install it: ' +
      'npm install @electric-sql/pglite',
    { cause },
  )
}

async function createPglite(dataDir: string, loadDataDir: Blob | undefined): Promise<PGlite> {
  // Import lazily, so that an application with a PostgreSQL server never loads PGlite.
  const { PGlite } = await import('@electric-sql/pglite').catch(rejectMissingEngine)
  const create = (folder: string): Promise<PGlite> =>
    PGlite.create({ dataDir: folder, ...(loadDataDir ? { loadDataDir } : {}) })
  const isFolder = dataDir !== inMemory && loadDataDir === undefined
  const pglite = await (isFolder ? openCluster(dataDir, create) : create(dataDir))
  await pglite.exec(embeddedSettings)
  return pglite
}

/**
 * Opens the database in a folder. If the folder does not exist, it is created as a copy of an empty database in the user's
 * cache, because creating a database takes seconds. In an existing empty folder the engine creates the database itself: a link
 * or a mounted volume cannot be replaced by a copy.
 */
export async function openCluster(
  folder: string,
  create: (folder: string) => Promise<PGlite>,
): Promise<PGlite> {
  const cache = existsSync(folder) ? undefined : cacheFolder('databases')
  if (cache === undefined) return create(folder)
  const template = join(cache, `pglite-${engineVersion()}`)
  try {
    if (!existsSync(template))
      await createFolder(template, async (draft) => (await create(draft)).close())
    await createFolder(folder, (draft) => {
      cpSync(template, draft, { recursive: true })
      chmodSync(draft, 0o700)
    })
    return await create(folder)
  } catch {
    // The cached template is damaged or unreadable: create the database without it.
    for (const damaged of [template, folder]) rmSync(damaged, { recursive: true, force: true })
    return create(folder).catch((error: unknown) => {
      // Remove a partial folder, because it would make the next start fail.
      rmSync(folder, { recursive: true, force: true })
      throw error
    })
  }
}

/** Fills a temporary folder and renames it, so that `folder` is complete. If two processes create the folder, one wins. */
async function createFolder(folder: string, fill: (draft: string) => Promise<void> | void) {
  const draft = `${folder}.${process.pid}.new`
  try {
    await fill(draft)
    renameSync(draft, folder)
  } catch (error) {
    if (!existsSync(folder)) throw error
  } finally {
    rmSync(draft, { recursive: true, force: true })
  }
}

/** Reads PGlite's version, because a data directory works only with the version that created it. */
export function engineVersion(): string {
  const entry = createRequire(import.meta.url).resolve('@electric-sql/pglite')
  const file = join(entry, '../../package.json')
  return (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version
}

export class PgliteConnection implements Connection {
  readonly #engine: EmbeddedEngine
  readonly #reportSlow: SlowQueryReporter
  readonly #applied = new AppliedSettings()
  #isBegun = false
  #closed: Promise<void> | undefined
  broken = false
  defaultIsolation: string | undefined
  inFlight = 0
  onIdle: () => void = () => {}

  constructor(engine: EmbeddedEngine, slowQueries?: SlowQueryLog) {
    this.#engine = engine
    this.#reportSlow = slowQueryReporter(slowQueries)
  }

  get inTransaction(): boolean {
    return !this.#engine.closed && this.#engine.isInTransaction()
  }

  async query<Row>(statement: Statement): Promise<StatementResult<Row>> {
    const { sql, parameters, asArrays } = statement
    checkCopy(sql)
    const values = parameters.map(encodeText)
    const options = asArrays === true ? arrayOptions : undefined
    const { rows, command, rowCount } = await this.#track(sql, values, () =>
      this.#withSettings(statement, () => this.#engine.query<Row>(sql, values, options)),
    )
    return { rows, count: rowCount ?? 0, command: command ?? '' }
  }

  /**
   * Runs `work` with the local settings of a statement, in the open transaction or in a new one. The engine runs statements in
   * the order of the calls, so that no other statement comes between.
   */
  async #withSettings<T>(statement: Statement, work: () => Promise<T>): Promise<T> {
    const isBegun = this.#isBegun
    const settings = isBegun ? this.#applied.change(statement) : statement.localSettings?.sql
    if (settings === undefined || settings === '') return work()
    const set = this.#engine.exec(isBegun ? settings : `begin; ${settings}`)
    const running = work()
    const ended = isBegun ? undefined : this.#engine.exec('commit')
    const [result, ...others] = await Promise.allSettled([running, set, ended])
    for (const one of [others[0], result, others[1]])
      if (one.status === 'rejected') throw one.reason
    return (result as PromiseFulfilledResult<T>).value
  }

  async script(sql: string, rows?: string, localSettings?: LocalSettings): Promise<void> {
    if (rows === undefined) checkCopy(sql)
    const work = (): Promise<unknown> =>
      rows === undefined ? this.#engine.exec(sql) : this.#copy(sql, rows)
    await this.#track(sql, undefined, () => {
      const result = this.#withSettings({ sql, parameters: [], localSettings }, work)
      this.#applied.forget()
      return result
    })
  }

  /** Runs a `copy … from stdin` with PGlite's file `/dev/blob`, whose content is a parameter. */
  #copy(sql: string, rows: string): Promise<unknown> {
    const { start, end } = findCopySource(sql)
    const text = `${sql.slice(0, start)}'/dev/blob'${sql.slice(end)}`
    return this.#engine.query(text, [], { blob: new Blob([rows]) })
  }

  async resetSession(): Promise<void> {
    if (this.inTransaction) await this.rollback()
    await resetSession(this.#engine)
  }

  async begin(mode: TransactionMode): Promise<void> {
    this.#isBegun = true
    this.#applied.clear()
    await this.query({ sql: beginSql(mode), parameters: [] })
  }

  async commit(): Promise<string> {
    this.#isBegun = false
    return (await this.query({ sql: 'commit', parameters: [] })).command
  }

  async rollback(): Promise<void> {
    this.#isBegun = false
    await this.query({ sql: 'rollback', parameters: [] })
  }

  /** Closes the engine after the running statement. */
  destroy(): void {
    this.broken = true
    void this.close().catch(() => {})
  }

  close(): Promise<void> {
    return (this.#closed ??= this.#engine.close())
  }

  async #track<T>(sql: string, values: readonly unknown[] | undefined, work: () => Promise<T>) {
    const start = performance.now()
    this.inFlight++
    try {
      return await work()
    } catch (error) {
      if (isConnectionLoss(error)) this.broken = true
      throw toQueryError(error, sql)
    } finally {
      this.#reportSlow(sql, values, performance.now() - start, currentRequest())
      if (--this.inFlight === 0) this.onIdle()
    }
  }
}

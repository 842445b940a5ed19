/** Keeps embedded databases open for other processes: under `fw run` they outlive restarts of the application. */
import type { PGlite } from '@electric-sql/pglite'
import { FwError } from '../base.ts'
import { folderInUseError } from './folder-lock.ts'
import { isEngineRequest } from './hosted-engine.ts'
import type { EngineRequest, EngineResponse, RpcChannel } from './hosted-engine.ts'
import { openEngine, sessionDefaults } from './pglite.ts'
import { isConnectionLoss } from './query-error.ts'
import { decoders } from './values.ts'

/** Parsers that keep every value as text; the client process decodes it. */
const textParsers = Object.fromEntries(
  Object.keys(decoders).map((type) => [type, (text: string) => text]),
)

interface HostedDatabase {
  readonly pglite: PGlite
  readonly close: () => Promise<void>
  broken: boolean
}

/**
 * Opens a folder at the first request, locks it for this process, and keeps it until `close`. An engine has one session, so
 * client processes use it one after another; the host resets the session between them.
 */
export class EmbeddedHost {
  readonly #databases = new Map<string, Promise<HostedDatabase>>()
  #previous: Promise<void> = Promise.resolve()

  /**
   * Serves the process at the other end of the channel. `leave` resets the session that this process used, and resolves
   * after that.
   */
  serve(channel: RpcChannel): { leave(): Promise<void> } {
    const previous = this.#previous
    const used = new Set<string>()
    channel.onMessage((message) => {
      if (!isEngineRequest(message)) return
      void previous
        .then(() => this.#respond(message, used))
        .then((response) => channel.send(response))
    })
    const leave = async (): Promise<void> => {
      await previous
      for (const folder of used) await this.#reset(folder)
    }
    return { leave: () => (this.#previous = leave()) }
  }

  /** Closes every engine and unlocks its folder. */
  async close(): Promise<void> {
    await this.#previous
    const databases = [...this.#databases.values()]
    this.#databases.clear()
    for (const database of databases) await database.then(({ close }) => close()).catch(() => {})
  }

  async #respond(request: EngineRequest, used: Set<string>): Promise<EngineResponse> {
    let result: EngineResponse['result']
    let failure: unknown
    try {
      result = await this.#run(request, used)
    } catch (thrown) {
      failure = thrown
    }
    const database = await this.#opened(request.folder)
    if (database !== undefined && failure !== undefined && isConnectionLoss(failure))
      database.broken = true
    const inTransaction =
      database !== undefined && !database.pglite.closed && database.pglite.isInTransaction()
    const error = failure === undefined ? undefined : copyError(failure)
    const isFwError = failure instanceof FwError
    return { id: request.id, result, error, isFwError, inTransaction }
  }

  async #run(request: EngineRequest, used: Set<string>): Promise<EngineResponse['result']> {
    const { folder, method, sql, values } = request
    if (method === 'close') {
      used.delete(folder)
      return void (await this.#reset(folder))
    }
    if (method === 'open') {
      // Two databases of one process would share the engine's session and its transactions.
      if (used.has(folder)) throw folderInUseError(folder)
      used.add(folder)
      await this.#open(folder).catch((error: unknown) => {
        used.delete(folder)
        throw error
      })
      return undefined
    }
    const { pglite } = await this.#open(folder)
    if (method === 'query') return pglite.query<unknown[]>(sql, values, { rowMode: 'array' })
    await pglite.exec(sql)
    return undefined
  }

  #open(folder: string): Promise<HostedDatabase> {
    const known = this.#databases.get(folder)
    if (known !== undefined) return known
    const database = openEngine({ folder }, textParsers).then((engine) => ({
      ...engine,
      broken: false,
    }))
    this.#databases.set(folder, database)
    database.catch(() => this.#databases.delete(folder))
    return database
  }

  #opened(folder: string): Promise<HostedDatabase | undefined> {
    return this.#databases.get(folder)?.catch(() => undefined) ?? Promise.resolve(undefined)
  }

  /** Undoes the session's transaction, settings, temporary tables and locks; closes a broken engine. */
  async #reset(folder: string): Promise<void> {
    const database = await this.#opened(folder)
    if (database === undefined) return
    const { pglite, close, broken } = database
    try {
      if (broken) throw new Error('the engine broke down')
      if (pglite.isInTransaction()) await pglite.exec('rollback')
      await pglite.exec('discard all')
      await pglite.exec(sessionDefaults)
    } catch {
      this.#databases.delete(folder)
      await close().catch(() => {})
    }
  }
}

const errorMembers = ['code', 'severity', 'constraint', 'table', 'column', 'detail']

function copyError(error: unknown): NonNullable<EngineResponse['error']> {
  if (!(error instanceof Error)) return { message: String(error) }
  const members = errorMembers.map((name) => [name, error[name as keyof Error]])
  return { message: error.message, ...Object.fromEntries(members) }
}

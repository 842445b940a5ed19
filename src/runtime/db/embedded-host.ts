/** Keeps embedded databases open for other processes. Under `fw run` the databases stay open while the application restarts. */
import type { PGlite } from '@electric-sql/pglite'
import { FwError } from '../base.ts'
import { folderInUseError } from './folder-lock.ts'
import { isEngineRequest } from './hosted-engine.ts'
import type { EngineRequest, EngineResponse } from './hosted-engine.ts'
import { openEngine, sessionDefaults } from './pglite.ts'
import { isConnectionLoss } from './query-error.ts'
import type { RpcChannel } from './rpc-channel.ts'
import { EngineTurns } from './engine-turns.ts'
import { decoders } from './values.ts'

/** The parsers of the engine's values: each value remains a text, which the client process decodes. */
const textParsers = Object.fromEntries(
  Object.keys(decoders).map((type) => [type, (text: string) => text]),
)

interface HostedDatabase {
  readonly pglite: PGlite
  readonly close: () => Promise<void>
  readonly turns: EngineTurns
  /** The clients that have opened this database. */
  readonly users: Set<Client>
  broken: boolean
}

/** One client process, represented by the set of folders that it has opened. */
type Client = Set<string>

/**
 * Opens and locks a database folder when a client first requests it, and keeps it open until `close`. An engine has one
 * session: its clients take turns, and a client keeps the session until its transaction ends.
 */
export class EmbeddedHost {
  readonly #databases = new Map<string, Promise<HostedDatabase>>()
  #previous: Promise<void> = Promise.resolve()

  /**
   * Serves the client process at the other end of the channel. The returned `leave` resets the sessions of that process, and
   * resolves after the reset.
   */
  serve(channel: RpcChannel): { leave(): Promise<void> } {
    const previous = this.#previous
    const leave = this.#serve(channel, previous)
    return { leave: () => (this.#previous = previous.then(leave)) }
  }

  /** Serves an additional process, such as a command, while the process of `serve` is connected. */
  share(channel: RpcChannel): { leave(): Promise<void> } {
    return { leave: this.#serve(channel, Promise.resolve()) }
  }

  #serve(channel: RpcChannel, previous: Promise<void>): () => Promise<void> {
    const client: Client = new Set()
    channel.onMessage((message) => {
      if (!isEngineRequest(message)) return
      void previous
        .then(() => this.#respond(message, client))
        .then((response) => channel.send(response))
    })
    return async () => {
      for (const folder of client) await this.#leave(folder, client)
    }
  }

  /** Closes every engine and unlocks its folder. */
  async close(): Promise<void> {
    await this.#previous
    const databases = [...this.#databases.values()]
    this.#databases.clear()
    for (const database of databases) await database.then(({ close }) => close()).catch(() => {})
  }

  async #respond(request: EngineRequest, client: Client): Promise<EngineResponse> {
    const { id, folder } = request
    try {
      if (request.method === 'open') await this.#openFor(client, folder)
      else if (request.method === 'close') await this.#leave(folder, client)
      else return await this.#runInTurn(request, client)
      return { id, result: undefined, error: undefined, isFwError: false, inTransaction: false }
    } catch (failure) {
      const isFwError = failure instanceof FwError
      const error = copyError(failure)
      return { id, result: undefined, error, isFwError, inTransaction: false }
    }
  }

  async #openFor(client: Client, folder: string): Promise<void> {
    // Refuse to open a folder twice for one client: both connections would share the engine's session and its transactions.
    if (client.has(folder)) throw folderInUseError(folder)
    client.add(folder)
    try {
      const { users } = await this.#open(folder)
      users.add(client)
    } catch (error) {
      client.delete(folder)
      throw error
    }
  }

  async #runInTurn(request: EngineRequest, client: Client): Promise<EngineResponse> {
    const { id, folder } = request
    const database = await this.#open(folder)
    database.users.add(client)
    const isInTransaction = (): boolean =>
      !database.pglite.closed && database.pglite.isInTransaction()
    const run = async (): Promise<EngineResponse> => {
      try {
        const result = await execute(database.pglite, request)
        const inTransaction = isInTransaction()
        return { id, result, error: undefined, isFwError: false, inTransaction }
      } catch (failure) {
        if (isConnectionLoss(failure)) database.broken = true
        const inTransaction = isInTransaction()
        return { id, result: undefined, error: copyError(failure), isFwError: false, inTransaction }
      }
    }
    return database.turns.take(client, run, isInTransaction)
  }

  #open(folder: string): Promise<HostedDatabase> {
    const known = this.#databases.get(folder)
    if (known !== undefined) return known
    const database = openEngine({ folder }, textParsers).then((engine) => ({
      ...engine,
      turns: new EngineTurns(),
      users: new Set<Client>(),
      broken: false,
    }))
    this.#databases.set(folder, database)
    database.catch(() => this.#databases.delete(folder))
    return database
  }

  #opened(folder: string): Promise<HostedDatabase | undefined> {
    return this.#databases.get(folder)?.catch(() => undefined) ?? Promise.resolve(undefined)
  }

  /**
   * Rolls back the client's transaction. After the last client, resets the session's settings, temporary tables and locks.
   * Closes a broken engine.
   */
  async #leave(folder: string, client: Client): Promise<void> {
    client.delete(folder)
    const database = await this.#opened(folder)
    if (database === undefined) return
    const { pglite, close, turns, users } = database
    users.delete(client)
    // If another client is in a transaction, this client's own transaction has already ended.
    if (turns.isKeptByAnother(client)) return
    const reset = async (): Promise<void> => {
      if (database.broken) throw new Error('the engine broke down')
      if (pglite.isInTransaction()) await pglite.exec('rollback')
      if (users.size > 0) return
      await pglite.exec('discard all')
      await pglite.exec(sessionDefaults)
    }
    await turns
      .take(client, reset, () => false)
      .catch(async () => {
        this.#databases.delete(folder)
        await close().catch(() => {})
      })
  }
}

async function execute(
  pglite: PGlite,
  { method, sql, values }: EngineRequest,
): Promise<EngineResponse['result']> {
  if (method === 'query') return pglite.query<unknown[]>(sql, values, { rowMode: 'array' })
  await pglite.exec(sql)
  return undefined
}

const errorMembers = [
  'code',
  'severity',
  'constraint',
  'table',
  'column',
  'detail',
  'hint',
  'position',
]

function copyError(error: unknown): NonNullable<EngineResponse['error']> {
  if (!(error instanceof Error)) return { message: String(error) }
  const members = errorMembers.map((name) => [name, error[name as keyof Error]])
  return { message: error.message, ...Object.fromEntries(members) }
}

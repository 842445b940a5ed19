/** Keeps embedded databases open for other processes. Under `fw run` the databases stay open while the application restarts. */
import type { PGlite } from '@electric-sql/pglite'
import { FwError } from '../base.ts'
import type { RpcChannel } from './engine-socket.ts'
import { folderInUseError } from './folder-lock.ts'
import { isEngineRequest } from './hosted-engine.ts'
import type { EngineRequest, EngineResponse } from './hosted-engine.ts'
import { openEngine, resetSession } from './pglite.ts'
import { isConnectionLoss } from './query-error.ts'
import { decoders } from './values.ts'

/** The parsers of the engine's values: each value remains a text, which the client process decodes. */
const textParsers = Object.fromEntries(
  Object.keys(decoders).map((type) => [type, (text: string) => text]),
)

/** One client process, represented by the set of folders that it has opened. */
type Client = Set<string>

/** Opens the database folders that clients use, until `close`. Clients take turns on the one session of an engine. */
export class EmbeddedHost {
  readonly #databases = new Map<string, Promise<HostedDatabase>>()
  #previous: Promise<void> = Promise.resolve()

  /** Serves a client process. `leave` resolves when the sessions of that process have been reset. */
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
    for (const database of databases)
      await database.then(({ pglite }) => pglite.close()).catch(() => {})
  }

  async #respond(request: EngineRequest, client: Client): Promise<EngineResponse> {
    const { id, folder, method } = request
    const none = { id, result: undefined, error: undefined, isFwError: false, inTransaction: false }
    try {
      if (method === 'open') await this.#openFor(client, folder)
      else if (method === 'close') await this.#leave(folder, client)
      else return { ...none, ...(await this.#runInTurn(request, client)) }
      return none
    } catch (error) {
      return { ...none, error: copyError(error), isFwError: error instanceof FwError }
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

  async #runInTurn(request: EngineRequest, client: Client): Promise<Partial<EngineResponse>> {
    const database = await this.#open(request.folder)
    const { pglite } = database
    database.users.add(client)
    const isInTransaction = (): boolean => !pglite.closed && pglite.isInTransaction()
    const run = async (): Promise<Partial<EngineResponse>> => {
      try {
        const result = await execute(pglite, request)
        return { result, inTransaction: isInTransaction() }
      } catch (error) {
        if (isConnectionLoss(error)) database.broken = true
        return { error: copyError(error), inTransaction: isInTransaction() }
      }
    }
    return database.take(client, run, isInTransaction)
  }

  #open(folder: string): Promise<HostedDatabase> {
    const known = this.#databases.get(folder)
    if (known !== undefined) return known
    const database = openEngine({ folder }, textParsers).then(
      (pglite) => new HostedDatabase(pglite),
    )
    this.#databases.set(folder, database)
    database.catch(() => this.#databases.delete(folder))
    return database
  }

  /** Rolls back the client's transaction; after the last client, resets the session. Closes a broken engine. */
  async #leave(folder: string, client: Client): Promise<void> {
    client.delete(folder)
    const database = await this.#databases.get(folder)?.catch(() => undefined)
    if (database === undefined) return
    const { pglite, users } = database
    users.delete(client)
    // If another client is in a transaction, this client's own transaction has already ended.
    if (database.isKeptByAnother(client)) return
    const reset = async (): Promise<void> => {
      if (database.broken) throw new Error('the engine broke down')
      if (pglite.isInTransaction()) await pglite.exec('rollback')
      if (users.size > 0) return
      await resetSession(pglite)
    }
    await database
      .take(client, reset, () => false)
      .catch(async () => {
        this.#databases.delete(folder)
        await pglite.close().catch(() => {})
      })
  }
}

/** Runs one statement at a time, first come, first served; a client keeps the session while its transaction is open. */
class HostedDatabase {
  readonly pglite: PGlite
  /** The clients that have opened this database. */
  readonly users = new Set<Client>()
  broken = false
  readonly #waiting: { client: Client; run: () => Promise<void> }[] = []
  #isRunning = false
  #keeper: Client | undefined

  constructor(pglite: PGlite) {
    this.pglite = pglite
  }

  /** Runs `work` when the session is free. Then `keeps` returns whether the client keeps the session. */
  take<T>(client: Client, work: () => Promise<T>, keeps: () => boolean): Promise<T> {
    return new Promise((resolve) => {
      const run = (): Promise<void> => {
        const result = work()
        const end = (): void => {
          this.#keeper = keeps() ? client : undefined
        }
        resolve(result)
        return result.then(end, end)
      }
      this.#waiting.push({ client, run })
      this.#next()
    })
  }

  isKeptByAnother(client: Client): boolean {
    return this.#keeper !== undefined && this.#keeper !== client
  }

  #next(): void {
    const turn = this.#waiting.find(({ client }) => !this.isKeptByAnother(client))
    if (this.#isRunning || turn === undefined) return
    this.#waiting.splice(this.#waiting.indexOf(turn), 1)
    this.#isRunning = true
    void turn.run().then(() => {
      this.#isRunning = false
      this.#next()
    })
  }
}

async function execute(pglite: PGlite, { method, sql, values, blob }: EngineRequest) {
  const content = blob === undefined ? {} : { blob: new Blob([blob]) }
  if (method === 'query')
    return pglite.query<unknown[]>(sql, values, { rowMode: 'array', ...content })
  await pglite.exec(sql)
  return undefined
}

const members = ['code', 'severity', 'constraint', 'table', 'column', 'detail', 'hint', 'position']

function copyError(error: unknown): NonNullable<EngineResponse['error']> {
  if (!(error instanceof Error)) return { message: String(error) }
  const copied = members.map((name) => [name, error[name as keyof Error]])
  return { message: error.message, ...Object.fromEntries(copied) }
}

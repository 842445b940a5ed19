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

/** One client process. */
class Client {
  /** The name of the process in the errors of other clients. */
  name = 'fw run'
  readonly folders = new Set<string>()
}

/** The milliseconds that a statement waits for the turn of another process before it fails with the name of that process. */
const turnTimeout = 1500

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
    const client = new Client()
    channel.onMessage((message) => {
      if (!isEngineRequest(message)) return
      void previous
        .then(() => this.#respond(message, client))
        .then((response) => channel.send(response))
    })
    return async () => {
      for (const folder of client.folders) await this.#leave(folder, client)
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
    client.name = request.processName ?? client.name
    const none = { id, result: undefined, error: undefined, isFwError: false, inTransaction: false }
    try {
      if (method === 'open ahead') await this.#open(folder)
      else if (method === 'open') await this.#openFor(client, folder)
      else if (method === 'close') await this.#leave(folder, client)
      else return { ...none, ...(await this.#runInTurn(request, client)) }
      return none
    } catch (error) {
      return { ...none, error: copyError(error), isFwError: error instanceof FwError }
    }
  }

  async #openFor(client: Client, folder: string): Promise<void> {
    // Refuse to open a folder twice for one client: both connections would share the engine's session and its transactions.
    if (client.folders.has(folder)) throw folderInUseError(folder)
    client.folders.add(folder)
    try {
      const { users } = await this.#open(folder)
      users.add(client)
    } catch (error) {
      client.folders.delete(folder)
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
    return database.take(client, { run, keeps: isInTransaction, waitsLong: false })
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
    client.folders.delete(folder)
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
      .take(client, { run: reset, keeps: () => false, waitsLong: true })
      .catch(async () => {
        this.#databases.delete(folder)
        await pglite.close().catch(() => {})
      })
  }
}

/** One statement of a client. */
interface Turn<T> {
  readonly run: () => Promise<T>
  /** Whether the client keeps the session after the statement, because its transaction is open. */
  readonly keeps: () => boolean
  /** True for work that must not fail because another client has the session. */
  readonly waitsLong: boolean
}

interface WaitingTurn {
  readonly client: Client
  readonly start: () => Promise<void>
  readonly refuse: ((error: FwError) => void) | undefined
  timer?: NodeJS.Timeout
}

/** The client that has the session, and the time from which it has it. */
interface Holder {
  readonly client: Client
  readonly since: Date
}

/** Runs one statement at a time, first come, first served; a client keeps the session while its transaction is open. */
class HostedDatabase {
  readonly pglite: PGlite
  /** The clients that have opened this database. */
  readonly users = new Set<Client>()
  broken = false
  readonly #waiting: WaitingTurn[] = []
  #isRunning = false
  #holder: Holder | undefined
  /** True if the holder is in a transaction. */
  #isKept = false
  /** True once a client has waited too long for the holder's turn: until its end, other clients are refused at once. */
  #isRefusing = false

  constructor(pglite: PGlite) {
    this.pglite = pglite
  }

  /** Runs the statement when the session is free. @throws FwError `db.turn-taken` if another client has it for too long */
  take<T>(client: Client, { run, keeps, waitsLong }: Turn<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const start = (): Promise<void> => {
        const result = run()
        const end = (): void => {
          this.#isKept = keeps()
          if (this.#isKept) return
          this.#holder = undefined
          this.#isRefusing = false
        }
        resolve(result)
        return result.then(end, end)
      }
      const turn: WaitingTurn = { client, start, refuse: waitsLong ? undefined : reject }
      if (this.#isRefusing && !waitsLong && this.#isHeldByAnother(client))
        return reject(turnTakenError(this.#holder!, this.#isKept))
      this.#waiting.push(turn)
      this.#next()
      if (!waitsLong && this.#waiting.includes(turn)) this.#startTimer(turn)
    })
  }

  /** True if another client is in a transaction. */
  isKeptByAnother(client: Client): boolean {
    return this.#isKept && this.#isHeldByAnother(client)
  }

  #isHeldByAnother(client: Client): boolean {
    return this.#holder !== undefined && this.#holder.client !== client
  }

  #startTimer(turn: WaitingTurn): void {
    turn.timer = setTimeout(() => {
      // A client waits as long as its own statements take.
      if (this.#isHeldByAnother(turn.client)) this.#refuse(this.#holder!)
      else this.#startTimer(turn)
    }, turnTimeout)
  }

  /** Refuses all statements of other clients together: none may run without those that were sent before it. */
  #refuse(holder: Holder): void {
    this.#isRefusing = true
    const error = turnTakenError(holder, this.#isKept)
    const isRefused = ({ client, refuse }: WaitingTurn): boolean =>
      client !== holder.client && refuse !== undefined
    for (const turn of this.#waiting.filter(isRefused)) {
      this.#remove(turn)
      turn.refuse?.(error)
    }
  }

  #remove(turn: WaitingTurn): void {
    clearTimeout(turn.timer)
    this.#waiting.splice(this.#waiting.indexOf(turn), 1)
  }

  #next(): void {
    if (this.#isRunning) return
    const turn = this.#waiting.find(({ client }) => !this.#isHeldByAnother(client))
    if (turn === undefined) return
    this.#remove(turn)
    this.#isRunning = true
    this.#holder ??= { client: turn.client, since: new Date() }
    void turn.start().then(() => {
      this.#isRunning = false
      this.#next()
    })
  }
}

function turnTakenError({ client, since }: Holder, isKept: boolean): FwError {
  const work = isKept ? 'in a transaction that has been open' : 'for a statement that has run'
  return new FwError(
    'db.turn-taken',
    `${client.name} has the embedded database, ${work} since ${since.toTimeString().slice(0, 8)}. ` +
      'The embedded database has one connection, so that only one process at a time can use it: end the other one, or set DATABASE_URL to a server.',
  )
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

/** An embedded database that a parent process keeps open, and the messages between the two processes. */
import type { PGlite, QueryOptions, Results } from '@electric-sql/pglite'
import { hostname } from 'node:os'
import { FwError, HttpError, type ErrorCode } from '../base.ts'
import { connectToHolder, type RpcChannel, type SocketChannel } from './engine-socket.ts'
import { readFolderLock } from './folder-lock.ts'
import { decoders } from './values.ts'

/** The part of PGlite's interface that a connection uses; an engine in another process implements it too. */
export type EmbeddedEngine = Pick<PGlite, 'closed' | 'close' | 'exec' | 'isInTransaction' | 'query'>

type Values = (string | null)[]

export interface EngineRequest {
  readonly id: number
  /** The absolute path of the database folder, or `memory`. */
  readonly folder: string
  readonly method: 'open ahead' | 'open' | 'query' | 'exec' | 'close'
  readonly sql: string
  readonly values: Values | undefined
  /** The content of the file `/dev/blob` for the statement. */
  readonly blob?: string | undefined
  /** The name of the client process, for the errors of other clients. */
  readonly processName?: string | undefined
}

/** The response to a request. Its rows are arrays of texts, which the receiver decodes: Temporal values cannot be cloned. */
export interface EngineResponse {
  readonly id: number
  readonly result: Results<unknown[]> | undefined
  /** The members of an error as a plain object, because the structured clone of an error loses its own members. */
  readonly error: { readonly message: string; readonly [member: string]: unknown } | undefined
  readonly isFwError: boolean
  readonly inTransaction: boolean
}

/** Whether a message is an engine request; the channel transports other messages too. */
export const isEngineRequest = (message: unknown): message is EngineRequest =>
  typeof message === 'object' && message !== null && 'method' in message && 'folder' in message

const isEngineResponse = (message: unknown): message is EngineResponse =>
  typeof message === 'object' && message !== null && 'inTransaction' in message

const endedResponse: Omit<EngineResponse, 'id'> = {
  result: undefined,
  error: { message: 'The process that shared the database has ended.', code: 'db.closed' },
  isFwError: true,
  inTransaction: false,
}

class RpcClient {
  readonly #channel: RpcChannel
  readonly #pending = new Map<number, (response: EngineResponse) => void>()
  #lastId = 0
  #hasEnded = false
  readonly #processName: string | undefined

  constructor(channel: RpcChannel, processName: string | undefined) {
    this.#channel = channel
    this.#processName = processName
    channel.onMessage((message) => {
      if (!isEngineResponse(message)) return
      this.#pending.get(message.id)?.(message)
      this.#pending.delete(message.id)
    })
  }

  call(request: Omit<EngineRequest, 'id'>): Promise<EngineResponse> {
    const id = ++this.#lastId
    if (this.#hasEnded) return Promise.resolve({ ...endedResponse, id })
    return new Promise((resolve) => {
      this.#pending.set(id, resolve)
      this.#channel.send({ ...request, id, processName: this.#processName })
    })
  }

  /** Responds to the pending calls and to all later calls with an error. */
  end(): void {
    this.#hasEnded = true
    for (const [id, resolve] of this.#pending) resolve({ ...endedResponse, id })
    this.#pending.clear()
  }
}

let client: RpcClient | undefined

/**
 * Makes this process open embedded databases through the channel's host; with `undefined` this process opens them itself.
 * `processName` is its name in the errors of other processes, by default `fw run`.
 */
export function useEmbeddedHost(channel: RpcChannel | undefined, processName?: string): void {
  client = channel && new RpcClient(channel, processName)
}

/** Returns the name of this process, a command: `fw console --sandbox (process 4711)`. */
function describeProcess(): string {
  const [command = '', ...options] = process.argv.slice(2)
  const words = ['fw', command, ...options.filter((one) => one === '--sandbox')]
  return `${words.join(' ')} (process ${process.pid})`
}

/**
 * Opens a database folder through the host, or through another process that has locked the folder and shares it. Returns
 * `undefined` if this process must open the folder itself. @throws the errors of `startPglite`
 */
export async function openHostedEngine(folder: string): Promise<EmbeddedEngine | undefined> {
  if (client === undefined) return openSharedEngine(folder)
  const engine = new HostedEngine(client, folder)
  try {
    await engine.call('open')
    return engine
  } catch (error) {
    // The host keeps only one in-memory database per client. This process opens further ones itself: they may end with it.
    const isTaken = error instanceof FwError && error.code === 'db.folder-locked'
    if (folder === 'memory' && isTaken) return undefined
    throw error
  }
}

/** Lets the host begin to open a database folder while this process does other work. Does nothing without a host. */
export function openAhead(folder: string): void {
  // The next `openHostedEngine` reports an error.
  void client?.call({ folder, method: 'open ahead', sql: '', values: undefined })
}

/** Connects to the process that has locked the folder, if it shares its databases. */
async function connectToShared(folder: string): Promise<SocketChannel | undefined> {
  const lock = folder === 'memory' ? undefined : readFolderLock(folder)
  const isHeldHere = lock?.host === hostname() && lock.isAlive && lock.pid !== process.pid
  return isHeldHere ? connectToHolder(lock.pid) : undefined
}

/** Whether another process has locked the folder and shares it, as `fw run` does. */
export async function isShared(folder: string): Promise<boolean> {
  const channel = await connectToShared(folder)
  channel?.close()
  return channel !== undefined
}

async function openSharedEngine(folder: string): Promise<EmbeddedEngine | undefined> {
  const channel = await connectToShared(folder)
  if (channel === undefined) return undefined
  const rpc = new RpcClient(channel, describeProcess())
  channel.onClose(() => rpc.end())
  const engine = new HostedEngine(rpc, folder, () => channel.close())
  await engine.call('open')
  return engine
}

class HostedEngine implements EmbeddedEngine {
  readonly #client: RpcClient
  readonly #folder: string
  readonly #onClosed: () => void
  #inTransaction = false
  closed = false

  constructor(rpcClient: RpcClient, folder: string, onClosed = (): void => {}) {
    this.#client = rpcClient
    this.#folder = folder
    this.#onClosed = onClosed
  }

  isInTransaction(): boolean {
    return this.#inTransaction
  }

  async query<Row>(sql: string, values?: Values, options?: QueryOptions): Promise<Results<Row>> {
    // Without a blob the request is sent at once, so that statements run in the order of the calls.
    const blob = options?.blob === undefined ? undefined : await options.blob.text()
    const result = (await this.call('query', sql, values, blob))!
    return { ...result, rows: decodeRows<Row>(result, options) }
  }

  async exec(sql: string): Promise<[]> {
    await this.call('exec', sql)
    return []
  }

  async close(): Promise<void> {
    this.closed = true
    await this.call('close')
    this.#onClosed()
  }

  async call(method: EngineRequest['method'], sql = '', values?: Values, blob?: string) {
    const response = await this.#client.call({ folder: this.#folder, method, sql, values, blob })
    this.#inTransaction = response.inTransaction
    const { error, isFwError, result } = response
    if (error === undefined) return result
    if (!isFwError) throw Object.assign(new Error(), error)
    const code = error['code'] as ErrorCode
    if (code === 'db.turn-taken') throw new HttpError(503, code, error.message)
    throw new FwError(code, error.message)
  }
}

function decodeRows<Row>(
  { rows, fields }: Results<unknown[]>,
  { rowMode, parsers }: QueryOptions = {},
): Row[] {
  const decoderByType: QueryOptions['parsers'] = parsers ?? decoders
  return rows.map((row) => {
    const decoded = fields.map(({ dataTypeID }, at): unknown => {
      const value = row[at]
      const decode = decoderByType[dataTypeID]
      return typeof value === 'string' && decode ? decode(value) : value
    })
    if (rowMode === 'array') return decoded as Row
    return Object.fromEntries(fields.map(({ name }, at) => [name, decoded[at]])) as Row
  })
}

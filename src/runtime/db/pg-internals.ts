/**
 * The only use of pg's undocumented members. Each has a plain path without them, which `FW_PG_PLAIN=1` selects and the tests
 * run too. The gains are statements per second, 16 at a time, on a local server.
 */
import { connect, type Socket } from 'node:net'
import pg from 'pg'
import { rowDecoderOf } from './values.ts'

export type QueryCallback = (error: Error | null, result: pg.QueryResult | pg.QueryResult[]) => void

export interface QueryParts {
  readonly text: string
  readonly values: readonly unknown[] | undefined
  readonly name: string | undefined
  /** See `Statement.asArrays`. */
  readonly asArrays: boolean
}

export interface BatchedStream {
  cork(): void
  uncork(): void
}

/**
 * `done`: the server has signalled the session, so the request can cancel no later statement; `unsent`: the server did not accept
 * the socket; `unknown`: the socket broke, or the time ended.
 */
export type CancelOutcome = 'done' | 'unsent' | 'unknown'

export interface PgInternals {
  /**
   * The socket or TLS stream. Corking it for one turn of the event loop joins statements into one write: 18 % more. Without
   * it pg writes every statement separately.
   */
  batchedStream(client: pg.Client): BatchedStream | undefined
  /** Creates pg's query object: 20 % more than `client.query` with a configuration, which pg copies. */
  sendQuery(client: pg.Client, query: QueryParts, callback: QueryCallback): void
  /**
   * Requests the cancellation of the statement in flight, on a second socket to the same address, as the protocol defines. pg does
   * not export the key of the session; without it the result is `undefined`, and the statement runs until its time limit.
   */
  requestCancel(
    client: pg.Client,
    socket: Socket,
    milliseconds: number,
  ): Promise<CancelOutcome> | undefined
}

interface UndocumentedMembers {
  readonly connection?: { readonly stream?: BatchedStream }
  readonly processID?: number | null
  readonly secretKey?: number | null
}

/** The types have neither the callback nor the name. */
const Query = pg.Query as unknown as new (
  text: string,
  values: readonly unknown[] | undefined,
  callback: QueryCallback,
) => pg.Submittable & { name?: string; _result: object; _results: object }

const { Result } = pg as unknown as {
  readonly Result: new (rowMode: 'array', types: typeof rowTypes) => object
}

/** For `asArrays`. */
const rowTypes = { getTypeParser: rowDecoderOf }

const cancelRequestCode = 80877102

const undocumented: PgInternals = {
  batchedStream: (client: UndocumentedMembers) => client.connection?.stream,
  sendQuery(client, { text, values, name, asArrays }, callback) {
    const query = new Query(text, values, callback)
    if (name !== undefined) query.name = name
    if (asArrays) query._result = query._results = new Result('array', rowTypes)
    client.query(query)
  },
  requestCancel(client: pg.Client & UndocumentedMembers, { remoteAddress, remotePort }, limit) {
    const { host, port, processID, secretKey } = client
    if (typeof processID !== 'number' || typeof secretKey !== 'number') return undefined
    const address = host.startsWith('/')
      ? { path: `${host}/.s.PGSQL.${port}` }
      : { host: remoteAddress ?? host, port: remotePort ?? port }
    const request = Buffer.alloc(16)
    for (const [at, value] of [16, cancelRequestCode, processID, secretKey].entries())
      request.writeInt32BE(value, at * 4)
    return sendCancel(connect(address), request, limit)
  },
}

/** The server closes the socket after it has signalled the session. */
function sendCancel(socket: Socket, request: Buffer, limit: number): Promise<CancelOutcome> {
  return new Promise((resolve) => {
    let isSent = false
    socket.on('connect', () => (isSent = true))
    socket.on('end', () => resolve('done'))
    socket.on('error', () => resolve(isSent ? 'unknown' : 'unsent'))
    socket.on('close', () => resolve('unknown'))
    // After a stall of the event loop the timer is due before the end is read.
    socket.setTimeout(limit, () => setImmediate(() => socket.destroy()))
    socket.resume()
    // The server also closes its side of a socket that is only half open.
    socket.write(request)
  })
}

const plain: PgInternals = {
  batchedStream: () => undefined,
  sendQuery(client, { text, values, name, asArrays }, callback) {
    const config: pg.QueryConfig = {
      text,
      ...(values && { values: [...values] }),
      ...(name !== undefined && { name }),
      ...(asArrays && { rowMode: 'array', types: rowTypes }),
    }
    client.query(config, callback as () => void)
  },
  requestCancel: () => undefined,
}

/** Read per connection, because reading `process.env` per statement is slow. */
export const pgInternals = (): PgInternals =>
  process.env['FW_PG_PLAIN'] === '1' ? plain : undocumented

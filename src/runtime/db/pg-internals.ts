/**
 * The only file that uses pg's undocumented members. `FW_PG_PLAIN=1` selects implementations without them, which the tests run
 * too. The percentages below are gains in statements per second, with 16 concurrent statements on a local server.
 */
import { isIP, type Socket } from 'node:net'
import type { ConnectionOptions, TLSSocket } from 'node:tls'
import pg from 'pg'
import { rowDecoderOf } from './values.ts'

export type QueryCallback = (error: Error | null, result: pg.QueryResult | pg.QueryResult[]) => void

export interface QueryParts {
  readonly text: string
  readonly values: readonly unknown[] | undefined
  readonly name: string | undefined
  /** Whether rows are arrays, as in `Statement.asArrays`. */
  readonly asArrays: boolean
}

/** A query without a result, and the callback that gets the result. */
export interface PendingQuery {
  readonly parts: QueryParts
  readonly callback: QueryCallback
}

type PreparedParts = Pick<QueryParts, 'text' | 'values'> & { readonly name: string }

/** The part of pg's connection that binds values. */
type BindingConnection = pg.Connection & {
  bind(config: {
    readonly statement: string
    readonly values: readonly unknown[] | undefined
  }): void
}

export type BatchedStream = Pick<Socket, 'cork' | 'uncork'>

/**
 * The outcome of a cancel request. `done`: the server has processed it, so it cannot cancel a later statement. `unsent`: the
 * server did not accept the socket. `unknown`: the socket broke, or the time limit passed.
 */
export type CancelOutcome = 'done' | 'unsent' | 'unknown'

type CompleteClient = Omit<pg.Client, 'ssl'> & {
  readonly connection?: { readonly stream?: BatchedStream }
  readonly processID?: number | null
  readonly secretKey?: number | null
  readonly ssl: ConnectionOptions | boolean
  readonly sslNegotiation?: string
}

/** The members of pg's connection that its type declarations omit. */
type CancelConnection = pg.Connection & {
  connect(port: number | string, host?: string): void
  requestSsl(): void
  cancel(processId: number, secretKey: number): void
}

/** The part of pg's result that the server's description of the columns determines. */
interface Columns {
  fields: readonly object[]
  _parsers: readonly object[] | undefined
  _prebuiltEmptyResultObject: object | null
}

/** The name of a prepared statement → its columns. */
type KnownColumns = Map<string, Columns>

/** The class `pg.Query`, with the members that its type declarations omit. */
const Query = pg.Query as unknown as new (
  text: string,
  values: readonly unknown[] | undefined,
  callback: QueryCallback,
) => {
  submit(connection: pg.Connection): void
  name?: string
  _result: Columns
  _results: object
  _accumulateRows: boolean
  prepare(connection: pg.Connection): void
  handleDataRow(message: object): void
  handleCommandComplete(message: object, connection: pg.Connection): void
  handleReadyForQuery(connection: pg.Connection): void
  handleError(error: Error, connection: pg.Connection): void
}

/** Returns a short message of PostgreSQL's protocol: type, length (below 256), body. */
const message = (type: string, body: string): Buffer =>
  Buffer.from(`${type}\0\0\0${String.fromCharCode(body.length + 4)}${body}`, 'latin1')

/** Executes the unnamed portal, and reads all rows. */
const execute = message('E', '\0\0\0\0\0')
const sync = message('S', '')
const executeAndSync = Buffer.concat([execute, sync])
const parseCommit = message('P', '\0commit\0\0\0')
const bindWithoutParameters = message('B', '\0\0\0\0\0\0\0\0')
const executeAndCommit = Buffer.concat([execute, parseCommit, bindWithoutParameters, execute, sync])

/**
 * A prepared statement. Sends Describe only with the first execution on a connection: a server refuses to execute it if its
 * columns would differ.
 */
class PreparedQuery extends Query {
  declare readonly name: string
  declare readonly values: readonly unknown[] | undefined
  readonly #known: KnownColumns

  constructor(statement: PreparedParts, known: KnownColumns, callback: QueryCallback) {
    super(statement.text, statement.values, callback)
    this.name = statement.name
    this.#known = known
  }

  /** True after the server has described the columns on this connection. */
  get hasColumns(): boolean {
    return this.#known.has(this.name)
  }

  override prepare(connection: pg.Connection): void {
    if (this.hasColumns) this.sendKnown(connection, executeAndSync)
    else super.prepare(connection)
  }

  /** Sends a statement whose columns are known. `messages` follow its Bind. */
  sendKnown(connection: pg.Connection, messages: Buffer): void {
    const columns = this.#known.get(this.name)!
    const result = this._result
    result.fields = columns.fields
    result._parsers = columns._parsers
    result._prebuiltEmptyResultObject = columns._prebuiltEmptyResultObject
    this._accumulateRows = true
    ;(connection as BindingConnection).bind({ statement: this.name, values: this.values })
    if (connection.stream.writable) connection.stream.write(messages)
  }

  override handleCommandComplete(message: object, connection: pg.Connection): void {
    super.handleCommandComplete(message, connection)
    if (this.hasColumns) return
    const { fields, _parsers, _prebuiltEmptyResultObject } = this._result
    this.#known.set(this.name, { fields, _parsers, _prebuiltEmptyResultObject })
  }
}

/**
 * Prepared statements and COMMIT with one Sync, so that the server answers once. After an error the server skips the
 * other messages, including COMMIT, so this class sends ROLLBACK. It extends `Query`, because pg accepts no other objects in pipeline mode; the
 * text of this query is not sent.
 */
class StatementsAndCommit extends Query {
  readonly #client: pg.Client
  readonly #statements: readonly PreparedQuery[]
  readonly #onCommit: QueryCallback
  /** The number of statements that the server has answered. */
  #answered = 0

  constructor(client: pg.Client, statements: readonly PreparedQuery[], onCommit: QueryCallback) {
    super('commit', undefined, onCommit)
    this.#client = client
    this.#statements = statements
    this.#onCommit = onCommit
  }

  override submit(connection: pg.Connection): void {
    const last = this.#statements.at(-1)
    for (const statement of this.#statements)
      statement.sendKnown(connection, statement === last ? executeAndCommit : execute)
  }

  override handleDataRow(row: object): void {
    this.#statements[this.#answered]!.handleDataRow(row)
  }

  override handleCommandComplete(tag: object, connection: pg.Connection): void {
    const statement = this.#statements[this.#answered]
    if (statement === undefined) return super.handleCommandComplete(tag, connection)
    this.#answered++
    statement.handleCommandComplete(tag, connection)
    // Calls back with the result.
    statement.handleReadyForQuery(connection)
  }

  override handleError(error: Error, connection: pg.Connection): void {
    const unanswered = this.#statements.slice(this.#answered)
    for (const statement of unanswered) statement.handleError(error, connection)
    // Other errors are those of the connection.
    if (unanswered.length > 0 && error instanceof pg.DatabaseError)
      this.#client.query(new Query('rollback', undefined, this.#onCommit))
    else super.handleError(error, connection)
  }
}

const hasColumns = (query: InstanceType<typeof Query>): query is PreparedQuery =>
  query instanceof PreparedQuery && query.hasColumns

/** The part of pg's connection that sends the rows of a COPY. */
interface CopyTarget {
  sendCopyFromChunk(chunk: Buffer): void
  endCopyFrom(): void
}

/** The maximum number of bytes in one message with rows. */
const copyChunkSize = 65_536

/** Sends a `copy … from stdin` with its rows through the COPY protocol, which pg leaves to other packages. */
export function sendCopy(client: pg.Client, text: string, rows: string, callback: QueryCallback) {
  const handleCopyInResponse = (target: CopyTarget): void => {
    const bytes = Buffer.from(rows)
    for (let at = 0; at < bytes.length; at += copyChunkSize)
      target.sendCopyFromChunk(bytes.subarray(at, at + copyChunkSize))
    target.endCopyFrom()
  }
  client.query(Object.assign(new Query(text, undefined, callback), { handleCopyInResponse }))
}

export const noChannelBinding = (): Error =>
  new Error('the server offers no channel binding (channel_binding=require)')

/**
 * Closes the connection as soon as the server asks for a password in any way but SCRAM with channel binding: a server in
 * between must not get it. The returned function is true once the server has proved with channel binding that it knows the password.
 */
export function requireChannelBinding(client: pg.Client): () => boolean {
  const { connection } = client as unknown as { readonly connection: pg.Connection }
  let isProven = false
  // These listeners run before those of pg, which are added when it connects.
  const refuse = (): void => {
    client.password = ''
    connection.stream.destroy(noChannelBinding())
  }
  connection.on('authenticationCleartextPassword', refuse)
  connection.on('authenticationMD5Password', refuse)
  connection.on('authenticationSASL', ({ mechanisms }: { mechanisms: readonly string[] }) => {
    if (!mechanisms.includes('SCRAM-SHA-256-PLUS')) refuse()
  })
  // If the proof is false, pg reports an error.
  connection.on('authenticationSASLFinal', () => {
    isProven = true
  })
  return () => isProven
}

/** Closes an `sslnegotiation=direct` connection unless the server confirms PostgreSQL's protocol by ALPN, as libpq does. */
export function requireProtocol(client: pg.Client): void {
  const { connection } = client as unknown as { readonly connection: pg.Connection }
  connection.once('sslconnect', () => {
    const stream = connection.stream as TLSSocket
    stream.once('secureConnect', () => {
      if (stream.alpnProtocol !== 'postgresql')
        stream.destroy(
          new Error('the server does not confirm the protocol (sslnegotiation=direct)'),
        )
    })
  })
}

const { Result } = pg as unknown as {
  readonly Result: new (rowMode: 'array', types: typeof rowTypes) => Columns
}

/** The type parsers for statements with `asArrays`. */
const rowTypes = { getTypeParser: rowDecoderOf }

/** Returns the socket or TLS stream: corking it for one turn joins statements into one write, which is 18 % faster. */
const batchedStream = (client: pg.Client): BatchedStream | undefined =>
  (client as CompleteClient).connection?.stream

/**
 * Requests the cancellation of the statement in flight on a second connection, as PostgreSQL's protocol defines: with TLS if
 * the first one uses it, because the request contains the session's key. Without that key, which pg does not document, the
 * result is `undefined`, and the statement continues.
 */
function requestCancel(
  client: pg.Client,
  { remoteAddress, remotePort }: Socket,
  limit: number,
): Promise<CancelOutcome> | undefined {
  const { host, port, processID, secretKey } = client as CompleteClient
  if (typeof processID !== 'number' || typeof secretKey !== 'number') return undefined
  const connection = createCancelConnection(client)
  const outcome = sendCancel(connection, processID, secretKey, limit)
  if (host.startsWith('/')) connection.connect(`${host}/.s.PGSQL.${port}`)
  else connection.connect(remotePort ?? port, remoteAddress ?? host)
  return outcome
}

/** What uses pg's undocumented members, for one connection. */
interface PgInternals {
  batchedStream(client: pg.Client): BatchedStream | undefined
  sendQuery(client: pg.Client, parts: QueryParts, callback: QueryCallback): void
  /** Sends statements and COMMIT; with one Sync if the server has described the columns of all statements before. */
  sendWithCommit(
    client: pg.Client,
    statements: readonly PendingQuery[],
    onCommit: QueryCallback,
  ): void
  /** Forgets the columns of prepared statements. Call it when the server has forgotten them. */
  forgetColumns(): void
  requestCancel(
    client: pg.Client,
    socket: Socket,
    limit: number,
  ): Promise<CancelOutcome> | undefined
}

function createUndocumented(): PgInternals {
  // The columns contain their parsers, which differ between rows as objects and rows as arrays.
  const objectColumns: KnownColumns = new Map()
  const arrayColumns: KnownColumns = new Map()
  const create = ({ text, values, name, asArrays }: QueryParts, callback: QueryCallback) => {
    const query =
      name === undefined
        ? new Query(text, values, callback)
        : new PreparedQuery(
            { text, values, name },
            asArrays ? arrayColumns : objectColumns,
            callback,
          )
    if (asArrays) query._result = query._results = new Result('array', rowTypes)
    return query
  }
  return {
    batchedStream,
    requestCancel,
    /** Sends a query object of pg: 20 % faster than `client.query` with a configuration object, which pg copies. */
    sendQuery(client, parts, callback) {
      client.query(create(parts, callback))
    },
    sendWithCommit(client, statements, onCommit) {
      const queries = statements.map(({ parts, callback }) => create(parts, callback))
      if (queries.every(hasColumns)) {
        client.query(new StatementsAndCommit(client, queries, onCommit))
        return
      }
      for (const query of queries) client.query(query)
      client.query(new Query('commit', undefined, onCommit))
    },
    forgetColumns() {
      objectColumns.clear()
      arrayColumns.clear()
    },
  }
}

/** Creates a connection with the TLS settings of the client. It verifies the host name, although it connects to an address. */
function createCancelConnection(client: CompleteClient): CancelConnection {
  const { host, ssl, sslNegotiation } = client
  const name = isIP(host) === 0 ? { host, servername: host } : { host }
  const own: ConnectionOptions = typeof ssl === 'object' ? { ...ssl, ...name } : name
  // A spread omits the key, because pg makes it non-enumerable.
  if (typeof ssl === 'object' && ssl.key !== undefined) own.key = ssl.key
  const settings = { ssl: ssl === false ? false : own, sslNegotiation }
  return new pg.Connection(settings) as CancelConnection
}

/** Sends a cancel request as soon as the connection is open. The server closes it after it has cancelled the statement. */
function sendCancel(
  connection: CancelConnection,
  processId: number,
  secretKey: number,
  limit: number,
): Promise<CancelOutcome> {
  return new Promise((resolve) => {
    let isSent = false
    const send = (): void => {
      isSent = true
      connection.cancel(processId, secretKey)
    }
    const { ssl, sslNegotiation } = connection as unknown as CompleteClient
    if (ssl === false) connection.on('connect', send)
    else connection.on('sslconnect', send)
    if (ssl !== false && sslNegotiation !== 'direct')
      connection.on('connect', () => connection.requestSsl())
    const stop = (): void => {
      resolve('unknown')
      connection.stream.destroy()
    }
    // Wait for one more event-loop turn: after a stall the timer fires before Node reads that the server has closed the socket.
    const timer = setTimeout(() => setImmediate(stop), limit)
    connection.on('error', () => resolve(isSent ? 'unknown' : 'unsent'))
    connection.on('end', () => {
      clearTimeout(timer)
      resolve(isSent ? 'done' : 'unsent')
    })
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
  sendWithCommit(client, statements, onCommit) {
    for (const { parts, callback } of statements) plain.sendQuery(client, parts, callback)
    client.query('commit', onCommit as () => void)
  },
  forgetColumns() {},
  requestCancel: () => undefined,
}

/** Returns the implementation for one connection. */
export const pgInternals = (): PgInternals =>
  process.env['FW_PG_PLAIN'] === '1' ? plain : createUndocumented()

/**
 * Serves applications that write to PostgreSQL over HTTP. Checks after each test that the application has recovered.
 */
import { type Agent, type IncomingHttpHeaders, request } from 'node:http'
import { expect, onTestFinished } from 'vitest'
import { ErrorPageFilter, FwSessionFilter, TxPerRequestFilter } from '../../src/runtime/feature.ts'
import { FwController, mix } from '../../src/runtime/controller.ts'
import { openDatabase, useDatabase, type Database } from '../../src/runtime/db.ts'
import { emptyDatabaseOn } from '../../src/runtime/db/test-server.fixture.ts'
import { sessionMigration } from '../../src/runtime/session.ts'
import type { Mountable } from '../../src/runtime/app.ts'
import { prepareChecks } from './fault-checks.ts'
import { recordingLogger, temporaryFolder, type LogLine } from './serve.ts'
import { startWithSessions } from './session-app.ts'

export class TxFirst extends mix(
  FwController,
  TxPerRequestFilter,
  FwSessionFilter,
  ErrorPageFilter,
) {}
export class TxLast extends mix(
  FwController,
  ErrorPageFilter,
  FwSessionFilter,
  TxPerRequestFilter,
) {}

/** The controllers with `TxPerRequestFilter` first and last. The position of the filter must have no effect. */
export const mixingOrders: readonly (readonly [string, typeof TxFirst])[] = [
  ['mixed in first', TxFirst],
  ['mixed in last', TxLast],
]

/** Creates a database with the session tables and the given tables. `drop` removes the database. */
export async function emptyDatabase(tables: readonly string[] = [], server?: string) {
  const { url, drop } = await emptyDatabaseOn('fault', server)
  const direct = await openDatabase({
    kind: 'postgres',
    url,
    poolSize: 1,
    applicationName: 'observer',
  })
  for (const sql of [...sessionMigration.up, ...tables]) await direct.query({ sql, parameters: [] })
  return {
    url,
    /** A connection to the database outside the application's pool. */
    direct,
    drop: async () => {
      await direct.close()
      await drop()
    },
  }
}

export interface DataAppOptions {
  readonly poolSize?: number
  readonly acquireTimeout?: number
  readonly statementTimeout?: number
  readonly handlerTimeout?: number
  readonly replicas?: { readonly urls: readonly string[]; readonly primaryAfterWrite?: number }
  /** True if the test stops the application. Then the checks at the end do not run. */
  readonly isStopped?: boolean
  /** Further settings of the configuration section `server`. */
  readonly server?: Readonly<Record<string, unknown>>
}

export interface ClientResponse {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

export interface RequestOptions {
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  readonly agent?: Agent
  readonly signal?: AbortSignal
}

function send(
  url: URL,
  { method = 'GET', headers = {}, body, ...rest }: RequestOptions,
): Promise<ClientResponse> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { method, headers, agent: false, ...rest }, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('error', reject)
      response.on('end', () =>
        resolve({
          status: response.statusCode!,
          headers: response.headers,
          body: Buffer.concat(chunks).toString(),
        }),
      )
    })
    sent.on('error', reject)
    sent.end(body)
  })
}

/**
 * Serves the controllers on a port until the test ends, with sessions in the database. At the end of the test,
 * `prepareChecks` checks that the application has recovered.
 */
export async function serveData(
  controllers: readonly Mountable[],
  url: string,
  options: DataAppOptions = {},
) {
  const { handlerTimeout, isStopped = false, server = {}, ...pool } = options
  const uploads = temporaryFolder()
  const databaseLines: LogLine[] = []
  const database = await openDatabase({
    kind: 'postgres',
    url,
    poolSize: 2,
    acquireTimeout: 5000,
    logger: recordingLogger(databaseLines),
    ...pool,
  })
  useDatabase(database)
  onTestFinished(async () => {
    useDatabase(undefined)
    await database.close()
  })
  const { app, lines } = await startWithSessions(controllers, {
    database,
    configuration: {
      secretKeyBase: 'DZb2p0xw3RkT9uVnQmYc7sLhEa1JgXo5',
      upload: { location: uploads },
      server: {
        ...server,
        ...(handlerTimeout === undefined ? {} : { handlerTimeout: `${handlerTimeout}ms` }),
      },
    },
  })
  const { port } = await app.listen(0)
  const at = (path: string) => new URL(path, `http://127.0.0.1:${port}`)
  const page = async () => (await send(at('/up'), {})).status
  if (!isStopped) onTestFinished(await prepareChecks({ page, database, uploads }))
  return {
    app,
    database,
    /** The log lines of the application. `databaseLines` are those of its database. */
    lines,
    databaseLines,
    /** The folder for temporary files of uploads. */
    uploads,
    port,
    send: (path: string, options: RequestOptions = {}) => send(at(path), options),
    /** Waits until the pool has no reserved connection and no waiting request. */
    idle: () => idle(database),
  }
}

/** Polls until the expectation holds. The time limit of 15 seconds suffices for a busy machine. */
export const eventually = <T>(read: () => T) =>
  // oxlint-disable-next-line vitest/require-awaited-expect-poll -- the caller awaits it
  expect.poll(read, { interval: 5, timeout: 15_000 })

export async function idle(database: Database): Promise<void> {
  await eventually(() => database.state).toMatchObject({ reserved: 0, waiting: 0 })
}

/** Returns the codes of all logged errors and of their causes. */
export function loggedCodes(lines: readonly { readonly fields: object }[]): string[] {
  const codes: string[] = []
  for (const { fields } of lines) {
    for (const value of Object.values(fields)) {
      for (let at: unknown = value; at instanceof Error; at = at.cause)
        codes.push(String((at as { code?: unknown }).code))
    }
  }
  return codes
}

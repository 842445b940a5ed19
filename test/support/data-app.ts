/** Applications that write to PostgreSQL, over real HTTP, and what a test asks of them after each fault. */
import { type Agent, type IncomingHttpHeaders, request } from 'node:http'
import { expect, onTestFinished } from 'vitest'
import { ErrorPageFilter, FwSessionFilter, TxPerRequestFilter } from '../../src/feature.ts'
import { FwController, mix } from '../../src/controller.ts'
import { openDatabase, useDatabase, type Database } from '../../src/db.ts'
import { emptyDatabaseOn } from '../../src/db/test-server.fixture.ts'
import { sessionMigration } from '../../src/session.ts'
import type { Mountable } from '../../src/server.ts'
import { recordingLogger, type LogLine } from './serve.ts'
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

/** Where the filter stands must make no difference. */
export const mixingOrders: readonly (readonly [string, typeof TxFirst])[] = [
  ['mixed in first', TxFirst],
  ['mixed in last', TxLast],
]

/** A database of its own with the tables of sessions and these; `drop` removes it. */
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
    /** A connection that the application knows nothing of. */
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
}

export interface Answer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

export interface Question {
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  readonly agent?: Agent
  readonly signal?: AbortSignal
}

function ask(url: URL, { method = 'GET', headers = {}, body, ...rest }: Question): Promise<Answer> {
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

/** Serves the controllers on a port, with sessions in the database; ends with the test. */
export async function serveData(
  controllers: readonly Mountable[],
  url: string,
  options: DataAppOptions = {},
) {
  const { handlerTimeout, ...pool } = options
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
      secretKeyBase: 'x'.repeat(32),
      ...(handlerTimeout === undefined
        ? {}
        : { server: { handlerTimeout: `${handlerTimeout}ms` } }),
    },
  })
  const { port } = await app.listen(0)
  const at = (path: string) => new URL(path, `http://127.0.0.1:${port}`)
  return {
    app,
    database,
    /** What the application logged, and what its database did. */
    lines,
    databaseLines,
    port,
    ask: (path: string, question: Question = {}) => ask(at(path), question),
    /** The pool is idle: nothing reserved, nobody waits. */
    idle: () => idle(database),
  }
}

/** Asks again until it is so, however busy the machine. */
export const eventually = <T>(ask: () => T) =>
  // oxlint-disable-next-line vitest/require-awaited-expect-poll -- whoever calls it awaits it
  expect.poll(ask, { interval: 5, timeout: 15_000 })

export async function idle(database: Database): Promise<void> {
  await eventually(() => database.state).toMatchObject({ reserved: 0, waiting: 0 })
}

/** Codes of all errors that were logged, causes included. */
export function codesIn(lines: readonly { readonly fields: object }[]): string[] {
  const codes: string[] = []
  for (const { fields } of lines) {
    for (const value of Object.values(fields)) {
      for (let at: unknown = value; at instanceof Error; at = at.cause)
        codes.push(String((at as { code?: unknown }).code))
    }
  }
  return codes
}

/** Sends a statement, publishes its events, and adds an SQL comment that names the request. */
import {
  currentRequest,
  FwError,
  WorkChannel,
  type CurrentRequest,
  type Logger,
  type WorkEvent,
} from '../base.ts'
import type { Connection, Statement, StatementResult } from './connection.ts'
import { currentLocalSettings, usesLocalSettings, type LocalSettings } from './local-settings.ts'
import { ConnectionPool } from './pool.ts'
import { logStatement } from './statement-log.ts'
import { findTransactionControl } from './transaction-control.ts'

/** The event of an application's statement. BEGIN, COMMIT and ROLLBACK publish no event. */
export class StatementEvent implements WorkEvent {
  readonly sql: string
  readonly startedAt: number = performance.now()
  millis = 0
  error: unknown

  constructor(sql: string) {
    this.sql = sql
  }

  /** The first word of the SQL in upper case, such as `SELECT`. */
  get operation(): string {
    return /^[\s(]*([a-z]{1,20})/i.exec(this.sql)?.[1]?.toUpperCase() ?? 'OTHER'
  }
}

/** The diagnostics channels `fw:sql:start` and `fw:sql:end`. */
export const sqlChannel: WorkChannel<StatementEvent> = new WorkChannel('fw:sql')

/** The part of a database that `sendStatement` uses. */
interface Host {
  readonly logger: Logger
  readonly commentsStatements: boolean
  /** Warns if the database does not apply policies to statements with these settings. */
  checkPolicies?(settings: LocalSettings): void
}

type Executor = Pick<Connection, 'query'>

/**
 * Sends a statement through a pool or a transaction, with the local settings of the async context. All statements of the
 * application, also those of Kysely, use it.
 * @throws FwError `db.transaction-control`, `db.parameter-invalid`
 */
export function sendStatement<Row>(
  executor: Executor,
  statement: Statement,
  host: Host,
): Promise<StatementResult<Row>> {
  return usesLocalSettings() && statement.localSettings === undefined
    ? sendWithLocalSettings(executor, statement, host)
    : send(executor, statement, host)
}

/** An async function, so that an error of the function that reads the settings rejects. */
async function sendWithLocalSettings<Row>(executor: Executor, statement: Statement, host: Host) {
  const localSettings = currentLocalSettings()
  host.checkPolicies?.(localSettings)
  return send<Row>(executor, { ...statement, localSettings }, host)
}

function send<Row>(
  executor: Executor,
  statement: Statement,
  { logger, commentsStatements }: Host,
): Promise<StatementResult<Row>> {
  const refusal =
    findTransactionControl(statement.sql, !(executor instanceof ConnectionPool)) ??
    refuseTooMany(statement)
  if (refusal !== undefined) return Promise.reject(refusal)
  const request = commentsStatements ? currentRequest() : undefined
  const sent = request === undefined ? statement : addComment(statement, request)
  const query = (): Promise<StatementResult<Row>> => executor.query<Row>(sent)
  const result = sqlChannel.active
    ? sqlChannel.trace(new StatementEvent(statement.sql), query)
    : query()
  return logStatement(statement, result, logger)
}

/** PostgreSQL's protocol counts the parameters of a statement in 16 bits. */
const mostParameters = 65_535

/** Returns an error for more parameters: PostgreSQL would close the connection. */
function refuseTooMany({ parameters: { length } }: Statement): FwError | undefined {
  if (length <= mostParameters) return undefined
  return new FwError(
    'db.parameter-invalid',
    `The statement has ${length} parameters, and PostgreSQL accepts ${mostParameters}. Send a list as one array: id = any($1).`,
  )
}

/** Adds a comment in the format of sqlcommenter. The statement is not prepared, because its text differs for each request. */
function addComment(statement: Statement, request: CurrentRequest): Statement {
  const { action, controller, route, traceparent } = request
  const pairs = Object.entries({ action, controller, framework: 'fwjs', route, traceparent })
  const comment = pairs.flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}='${encodeValue(value)}'`],
  )
  return { ...statement, sql: `${statement.sql} /*${comment.join(',')}*/`, name: undefined }
}

/** Encodes every slash and quote, so that no value can end the comment. */
const encodeValue = (value: string): string => encodeURIComponent(value).replaceAll("'", '%27')

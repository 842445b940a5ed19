/** Sends a statement with its events, and with a comment that names the request that it belongs to. */
import {
  currentRequest,
  WorkChannel,
  type CurrentRequest,
  type Logger,
  type WorkEvent,
} from '../base.ts'
import type { Statement, StatementResult } from './connection.ts'
import { logStatement } from './statement-log.ts'

/** A statement of the application, without BEGIN, COMMIT and ROLLBACK. */
export class StatementEvent implements WorkEvent {
  readonly sql: string
  readonly startedAt: number = performance.now()
  millis = 0
  error: unknown

  constructor(sql: string) {
    this.sql = sql
  }

  /** The first word in upper case, such as `SELECT`. */
  get operation(): string {
    return /^[\s(]*([a-z]{1,20})/i.exec(this.sql)?.[1]?.toUpperCase() ?? 'OTHER'
  }
}

/** `fw:sql:start` and `fw:sql:end`. */
export const sqlChannel: WorkChannel<StatementEvent> = new WorkChannel('fw:sql')

/** A pool or a transaction. */
interface Executor {
  query<Row>(statement: Statement): Promise<StatementResult<Row>>
}

/** A database. */
interface Host {
  readonly logger: Logger
  readonly commentsStatements: boolean
}

/** Every statement of a database passes here, Kysely's included. */
export function sendStatement<Row>(
  executor: Executor,
  statement: Statement,
  { logger, commentsStatements }: Host,
): Promise<StatementResult<Row>> {
  const request = commentsStatements ? currentRequest() : undefined
  const sent = request === undefined ? statement : addComment(statement, request)
  const send = (): Promise<StatementResult<Row>> => executor.query<Row>(sent)
  const result = sqlChannel.active
    ? sqlChannel.trace(new StatementEvent(statement.sql), send)
    : send()
  return logStatement(statement, result, logger)
}

/** Adds the comment as sqlcommenter specifies it. The text differs for each request, so it is not prepared. */
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

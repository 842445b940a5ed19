/** Opens connections to a PostgreSQL server. */
import type { Socket } from 'node:net'
import type pg from 'pg'
import { connectServer } from './connect-server.ts'
import { readDefaultIsolation, type Connection } from './connection.ts'
import { PostgresConnection, type PostgresOptions } from './postgres-connection.ts'
import { readServerSettings, startupOptions } from './session-settings.ts'
import { UnavailableError } from './unavailable-error.ts'
import { decoderOf } from './values.ts'

/** Connects to the server. @throws HttpError 503 `db.unavailable` */
export async function connectPostgres(options: PostgresOptions): Promise<Connection> {
  const { address, prepare, statementTimeout, acquireTimeout } = options
  // Poolers refuse these parameters.
  const startup = prepare && {
    statement_timeout: statementTimeout,
    idle_in_transaction_session_timeout: options.idleTransactionTimeout,
  }
  const settings = {
    ...startup,
    options: [prepare && startupOptions, address.options].filter(Boolean).join(' ') || undefined,
    application_name: address.applicationName ?? options.applicationName,
    connectionTimeoutMillis: address.connectTimeout ?? acquireTimeout,
    keepAlive: true,
    pipeline: true,
    types: { getTypeParser: decoderOf },
  }
  const open = async (client: pg.Client, socket: Socket): Promise<PostgresConnection> => {
    const connection = new PostgresConnection(client, socket, options)
    try {
      await client.connect()
      if (prepare) connection.defaultIsolation = await readDefaultIsolation(connection)
      else Object.assign(connection, await readServerSettings(connection, statementTimeout))
      return connection
    } catch (error) {
      connection.destroy()
      throw error
    }
  }
  try {
    return await connectServer(address, settings, open)
  } catch (error) {
    throw new UnavailableError(error, options)
  }
}

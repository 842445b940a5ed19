/** Logs which setting has ended requests or connections. */
import { logRepeated, type Logger } from '../base.ts'

/** The messages by the setting below `server`. */
const messages = {
  maxConnections: 'connections are closed: more than server.maxConnections are open',
  maxTargetLength: 'requests get 414: path and query are longer than server.maxTargetLength',
  maxHeaders: 'requests get 431: they have more headers than server.maxHeaders',
  maxHeaderBytes: 'requests get 431: their headers are larger than server.maxHeaderBytes',
  headersTimeout: 'requests get 408: their headers do not arrive within server.headersTimeout',
  requestTimeout: 'requests get 408: they do not arrive within server.requestTimeout',
  minBodyRate: 'requests get 408: their bodies arrive slower than server.minBodyRate',
  minWriteRate:
    'clients are disconnected: for server.writeTimeout they read slower than server.minWriteRate',
} as const

export type ReportedLimit = keyof typeof messages

/** Logs the setting at its first use; further uses are counted, and logged once a second. */
export function reportLimit(logger: Logger, limit: ReportedLimit): void {
  logRepeated(logger, { code: `server.${limit}`, level: 'warn', message: messages[limit] })
}

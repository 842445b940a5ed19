/** The logger contract, and the default that writes one JSON line an event. */

export type LogLevel = 'debug' | 'info' | 'warn' | 'error'
export type LogFields = Readonly<Record<string, unknown>>

/** Fields first, then the message, as pino has it; a pino logger fits as it is. */
export interface Logger {
  debug(fields: LogFields, message: string): void
  info(fields: LogFields, message: string): void
  warn(fields: LogFields, message: string): void
  error(fields: LogFields, message: string): void
}

const rank: Readonly<Record<LogLevel, number>> = { debug: 10, info: 20, warn: 30, error: 40 }

function plain(_key: string, value: unknown): unknown {
  if (value instanceof Error) {
    const { name, message, stack, cause } = value
    return { name, code: (value as { code?: unknown }).code, message, stack, cause }
  }
  return typeof value === 'bigint' ? String(value) : value
}

function stringify(record: LogFields): string {
  try {
    return JSON.stringify(record, plain)
  } catch {
    return JSON.stringify({ level: record['level'], time: record['time'], msg: record['msg'], fields: 'unprintable' })
  }
}

/** Writes each event at or above `level` as one JSON line through `write`; JSON keeps control characters escaped. */
export function jsonLogger(write: (line: string) => void, level: LogLevel = 'info'): Logger {
  const at = (own: LogLevel) => (fields: LogFields, message: string) => {
    if (rank[own] < rank[level]) return
    write(stringify({ level: own, time: new Date().toISOString(), msg: message, ...fields }) + '\n')
  }
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') }
}

/** Drops every event. */
export const silentLogger: Logger = { debug() {}, info() {}, warn() {}, error() {} }

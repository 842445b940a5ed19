/** The logger contract, and its maker for production that writes one JSON line an event. */
import { escapeControls } from './log-text.ts'
import { redact, redactText } from './redact.ts'

/** From the least to the most urgent. */
export type LogLevel = 'debug' | 'info' | 'warn' | 'error'
/** What an event is about, by name; values under secret names are never printed. */
export type LogFields = Readonly<Record<string, unknown>>

/** Fields first, then the message, as pino has it; a pino logger fits as it is. */
export interface Logger {
  debug(fields: LogFields, message: string): void
  info(fields: LogFields, message: string): void
  warn(fields: LogFields, message: string): void
  error(fields: LogFields, message: string): void
}

/** One event, its fields free of secrets already. */
export interface LogEvent {
  readonly level: LogLevel
  readonly time: Date
  readonly message: string
  readonly fields: LogFields
}

const rank: Readonly<Record<LogLevel, number>> = { debug: 10, info: 20, warn: 30, error: 40 }
const longestLine = 65_536

/** A logger that hands each event at or above `level` to `print`, redacted. */
export function loggerOf(print: (event: LogEvent) => void, level: LogLevel): Logger {
  const at = (own: LogLevel) => {
    if (rank[own] < rank[level]) return () => {}
    return (fields: LogFields, message: unknown) =>
      print({
        level: own,
        time: new Date(),
        // What was thrown may have no message; telling of it must not throw again.
        message: redactText(String(message)),
        fields: redact(fields) as LogFields,
      })
  }
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') }
}

function jsonLine({ level, time, message, fields }: LogEvent): string {
  const head = { level, time: time.toISOString(), msg: message }
  // The head again at the end: a field named `level` must not forge one, and JSON keeps the first position.
  const line = JSON.stringify({ ...head, ...fields, ...head })
  // JSON has escaped C0 itself, so what is left to escape becomes `\uXXXX`, which is JSON still.
  if (line.length <= longestLine) return escapeControls(line)
  return escapeControls(JSON.stringify({ ...head, fields: '[too large]' }))
}

/**
 * Writes each event at or above `level` as one JSON line through `write`: `level`, `time`, `msg`, then the fields.
 * Secrets are redacted, control characters escaped, values cut at 2048 characters and lines at 64 Ki.
 */
export function jsonLogger(write: (line: string) => void, level: LogLevel = 'info'): Logger {
  return loggerOf((event) => write(jsonLine(event) + '\n'), level)
}

/** The same logger, with `fields` in every event; for what a request or a job has in common. */
export function withFields(logger: Logger, fields: LogFields): Logger {
  return {
    debug: (own, message) => logger.debug({ ...fields, ...own }, message),
    info: (own, message) => logger.info({ ...fields, ...own }, message),
    warn: (own, message) => logger.warn({ ...fields, ...own }, message),
    error: (own, message) => logger.error({ ...fields, ...own }, message),
  }
}

/** Drops every event. */
export const silentLogger: Logger = { debug() {}, info() {}, warn() {}, error() {} }

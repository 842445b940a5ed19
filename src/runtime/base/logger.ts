/** The interface `Logger`, with two implementations: JSON lines for production, and readable lines for development. */
import { styleText } from 'node:util'
import { redact, redactText } from './redact.ts'

/** The log levels, from the least to the most urgent. */
export type LogLevel = 'debug' | 'info' | 'warn' | 'error'
/** The fields of a log event. The value of a field with a secret name, such as `password`, is redacted. */
export type LogFields = Readonly<Record<string, unknown>>

/** A logger whose methods take the fields first, then the message, as in pino: pass a pino logger directly. */
export interface Logger {
  debug(fields: LogFields, message: string): void
  info(fields: LogFields, message: string): void
  warn(fields: LogFields, message: string): void
  error(fields: LogFields, message: string): void
}

/** A log event whose fields are redacted. */
interface LogEvent {
  readonly level: LogLevel
  readonly time: Date
  readonly message: string
  readonly fields: LogFields
}

const rank: Readonly<Record<LogLevel, number>> = { debug: 10, info: 20, warn: 30, error: 40 }

/** Returns a logger that calls `print` for each event at or above the level `least`. */
function createLogger(print: (event: LogEvent) => void, least: LogLevel): Logger {
  const at = (level: LogLevel) => {
    if (rank[level] < rank[least]) return () => {}
    return (fields: LogFields, message: unknown) => {
      // The message may be any value: errors that other code throws may lack a message, and logging them must not throw.
      const text = redactText(String(message))
      print({ level, time: new Date(), message: text, fields: redact(fields) as LogFields })
    }
  }
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') }
}

// The C0 and C1 control characters, DEL, line and paragraph separators, and the control characters of text direction.
const unsafeCharacters = /[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g
const shortEscapes: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' }

/** Escapes what could end or forge a log line, or control a terminal. Keeps backslashes, so that JSON stays valid. */
export const escapeControls = (text: string): string =>
  text.replace(
    unsafeCharacters,
    (char) => shortEscapes[char] ?? `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )

const longestLine = 65_536

function formatJson({ level, time, message, fields }: LogEvent): string {
  const head = `{"level":"${level}","time":"${time.toISOString()}","msg":${JSON.stringify(message)}`
  // Appends each field to the text, because `JSON.stringify` of one object with all fields takes three times as long.
  let line = head
  for (const name in fields) {
    // A field named `level`, `time` or `msg` must not replace the event's own.
    if (name === 'level' || name === 'time' || name === 'msg') continue
    const value = JSON.stringify(fields[name])
    if (value !== undefined) line += `,${JSON.stringify(name)}:${value}`
  }
  // `JSON.stringify` escapes only C0; `escapeControls` writes the others as `\uXXXX`, which is valid JSON.
  if (line.length < longestLine) return escapeControls(`${line}}`)
  return escapeControls(`${head},"fields":"[too large]"}`)
}

/**
 * Returns a logger that writes each event at or above `level` as one JSON line: `level`, `time`, `msg`, then the fields. It
 * redacts secrets and escapes control characters. A text longer than 2048 characters is truncated; the fields of a line longer
 * than 64 Ki characters are left out.
 */
export function jsonLogger(write: (line: string) => void, level: LogLevel = 'info'): Logger {
  return createLogger((event) => write(formatJson(event) + '\n'), level)
}

const colours = { debug: 'gray', info: 'cyan', warn: 'yellow', error: 'red' } as const

interface PrettyOptions {
  readonly level?: LogLevel
  /** True colours the level. */
  readonly colour?: boolean
  /** True replaces consecutive stack frames of Node and packages by one line with their number. */
  readonly foldFrames?: boolean
}

function formatValue(value: unknown): string {
  if (typeof value === 'string' && /^[^\s"=]+$/.test(value)) return value
  return JSON.stringify(value) ?? 'undefined'
}

/** Consecutive stack frames of Node and packages. */
const foreignFrames = /(?:^[ \t]+at(?= ).*(?:[ \t(]node:|\/node_modules\/).*(?:\n|$))+/gm

function foldFrames(stack: string): string {
  const fold = (frames: string): string => {
    const count = frames.trimEnd().split('\n').length
    return `    … ${count} ${count === 1 ? 'frame' : 'frames'} of Fw, packages and Node\n`
  }
  return stack.replace(foreignFrames, fold).trimEnd()
}

function formatStack(value: unknown, isFolded: boolean, title = ''): string {
  const { stack, cause } = (value ?? {}) as { stack?: unknown; cause?: unknown }
  if (typeof stack !== 'string') return ''
  const lines = (isFolded ? foldFrames(stack) : stack).split('\n')
  const text = lines.map((line) => `\n    ${escapeControls(line.trim())}`).join('')
  return text.replace('\n    ', `\n  ${title}`) + formatStack(cause, isFolded, 'caused by ')
}

function formatPretty(
  { level, time, message, fields }: LogEvent,
  { colour = false, foldFrames: isFolded = false }: PrettyOptions,
): string {
  const word = level.toUpperCase().padEnd(5)
  const tag = colour ? styleText(colours[level], word, { validateStream: false }) : word
  let line = `${time.toISOString().slice(11, 23)} ${tag} ${escapeControls(message)}`
  let stacks = ''
  for (const [name, value] of Object.entries(fields)) {
    const stack = formatStack(value, isFolded)
    stacks += stack
    if (stack === '' && value !== undefined)
      line += escapeControls(` ${name}=${formatValue(value)}`)
  }
  return line + stacks + '\n'
}

/**
 * Returns a logger that writes each event as `hour:minute:second LEVEL message name=value …` in UTC, and the stacks of errors
 * on the lines below. It logs all levels by default. It redacts, escapes and truncates values like {@link jsonLogger}.
 */
export function prettyLogger(write: (line: string) => void, options: PrettyOptions = {}): Logger {
  const { level = 'debug' } = options
  return createLogger((event) => write(formatPretty(event, options)), level)
}

/** Returns a logger that adds `fields` to every event, such as the id of a request or job. */
export function withFields(logger: Logger, fields: LogFields): Logger {
  return {
    debug: (own, message) => logger.debug({ ...fields, ...own }, message),
    info: (own, message) => logger.info({ ...fields, ...own }, message),
    warn: (own, message) => logger.warn({ ...fields, ...own }, message),
    error: (own, message) => logger.error({ ...fields, ...own }, message),
  }
}

/** A logger that discards every event. */
export const silentLogger: Logger = { debug() {}, info() {}, warn() {}, error() {} }

/** The logger for development: one readable line an event, the stack of an error below it. */
import { escapeControls } from './log-text.ts'
import { loggerOf } from './logger.ts'
import type { LogEvent, Logger, LogLevel } from './logger.ts'

const paint: Readonly<Record<LogLevel, string>> = {
  debug: '\u001b[90m',
  info: '\u001b[36m',
  warn: '\u001b[33m',
  error: '\u001b[31m',
}
const plain = '\u001b[39m'

interface PrettyOptions {
  readonly level?: LogLevel
  /** Paint the level; the caller knows whether a terminal reads. */
  readonly colour?: boolean
}

function shown(value: unknown): string {
  if (typeof value === 'string' && /^[^\s"=]+$/.test(value)) return value
  return JSON.stringify(value) ?? 'undefined'
}

function stackOf(value: unknown): string | undefined {
  const stack = (value as { stack?: unknown } | null | undefined)?.stack
  return typeof stack === 'string' ? stack : undefined
}

/** The stack of an error and of the errors that caused it, each frame on a line of its own. */
function stackLines(value: unknown, title = ''): string {
  const stack = stackOf(value)
  if (stack === undefined) return ''
  const lines = stack.split('\n').map((line) => `\n    ${escapeControls(line.trim())}`)
  const { cause } = value as { cause?: unknown }
  return lines.join('').replace('\n    ', `\n  ${title}`) + stackLines(cause, 'caused by ')
}

function prettyLine({ level, time, message, fields }: LogEvent, colour: boolean): string {
  const tag = level.toUpperCase().padEnd(5)
  let line = `${time.toISOString().slice(11, 23)} ${colour ? paint[level] + tag + plain : tag} `
  let below = ''
  line += escapeControls(message)
  for (const [name, value] of Object.entries(fields)) {
    const stack = stackLines(value)
    if (stack !== '') below += stack
    else if (value !== undefined) line += escapeControls(` ${name}=${shown(value)}`)
  }
  return line + below + '\n'
}

/**
 * Writes `hour:minute:second LEVEL message name=value …` in UTC through `write`, from `debug` up unless told otherwise.
 * Redacts, escapes and cuts as {@link jsonLogger} does.
 */
export function prettyLogger(write: (line: string) => void, options: PrettyOptions = {}): Logger {
  const { level = 'debug', colour = false } = options
  return loggerOf((event) => write(prettyLine(event, colour)), level)
}

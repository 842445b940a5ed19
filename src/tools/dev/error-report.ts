/** Describes an error as plain values: its message, its line in the application's code, its stack and its causes. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { redactText } from '../../runtime/base.ts'
import { ConfigurationError } from '../../runtime/config.ts'
import { MigrationError } from '../../runtime/db.ts'
import { mapTemplateError } from '../../runtime/view.ts'
import { TemplateError } from '../../templates/read.ts'

/** A line of a file with the surrounding lines; line and column start at 1. */
export interface SourceExcerpt {
  /** The file's path with `/`, relative to the application's folder if the file is inside that folder. */
  readonly file: string
  readonly line: number
  readonly column?: number
  /** The line and the surrounding lines, with a caret below the column; empty if the file cannot be read. */
  readonly frame: string
}

export interface StackLine {
  readonly text: string
  /** Whether the frame belongs to the application; false for a frame of Fw, of a package or of Node. */
  readonly own: boolean
}

/** The description of an error as plain values, which can be sent to another process. */
export interface ErrorReport {
  readonly name: string
  readonly message: string
  readonly code?: string
  /** The innermost line of the application's code in the stack; absent if the stack contains none. */
  readonly place?: SourceExcerpt
  readonly stack: readonly StackLine[]
  /** The error's `cause`, that cause's `cause`, and so on. */
  readonly causes: readonly { readonly message: string; readonly stack: readonly StackLine[] }[]
}

interface SourceLocation {
  readonly path: string
  readonly line: number
  readonly column?: number | undefined
}

const maxCauses = 5
const maxFrames = 60
/** The number of lines shown before and after the line of the error. */
const contextLines = 4
const maxLineLength = 200

/** The prefix of the message for a thrown value that is not an error. */
export const nonErrorPrefix = 'A value that is not an error was thrown: '

/** Describes an error or any other thrown value. */
export function describeError(error: unknown, root: string): ErrorReport {
  if (!(error instanceof Error))
    return {
      name: 'Thrown value',
      message: `${nonErrorPrefix}${redactText(String(error))}`,
      stack: [],
      causes: [],
    }
  const stack = readStack(error, root)
  const causes = listCauses(error).map((cause) => ({ cause, stack: readStack(cause, root) }))
  const location =
    templateLocation(error, root) ??
    ownLocation(error) ??
    stack.location ??
    importLocation(error) ??
    causes.find((one) => one.stack.location !== undefined)?.stack.location
  const { code } = error as { code?: unknown }
  return {
    name: error.name,
    // Use only the reason of a template error, because the report contains its location and source excerpt separately.
    message: error instanceof TemplateError ? error.reason : redactText(error.message),
    ...(typeof code === 'string' ? { code } : {}),
    ...(location === undefined ? {} : { place: readExcerpt(location, root) }),
    stack: stack.lines,
    causes: causes.map(({ cause: { name, message }, stack: { lines } }) => ({
      message: `${name}: ${redactText(message)}`,
      stack: lines,
    })),
  }
}

function templateLocation(error: Error, root: string): SourceLocation | undefined {
  if (!(error instanceof TemplateError)) return undefined
  const { file, line, column } = error
  return { path: join(root, 'src/main/webapp/WEB-INF', file), line, column }
}

/** Returns the location in a file without code: the SQL of a migration, the YAML of settings or messages. */
function ownLocation(error: Error): SourceLocation | undefined {
  if (error instanceof MigrationError) return error.location
  if (!(error instanceof ConfigurationError)) return undefined
  const origin = error.problems.find((problem) => problem.origin !== undefined)?.origin
  return origin && { path: origin.file, line: origin.line, column: origin.column }
}

const missingModule = /^Cannot find (?:module|package) '([^']+)' imported from (.+)$/

/** Finds the line of a failed import. Node's message contains the importing file but not the line, so the file is searched. */
function importLocation({ message }: Error): SourceLocation | undefined {
  const found = missingModule.exec(message)
  if (found === null) return undefined
  const [, specifier, path] = found
  const name = specifier!.slice(specifier!.lastIndexOf('/') + 1)
  const at = readLines(path!).findIndex((text) => /['"]/.test(text) && text.includes(name))
  return at === -1 ? undefined : { path: path!, line: at + 1 }
}

function listCauses(error: Error): Error[] {
  const causes: Error[] = []
  for (let at = error.cause; at instanceof Error && causes.length < maxCauses; at = at.cause)
    causes.push(at)
  return causes
}

const frameLine = /^\s+at (.*)$/
const frameLocation = /\(?((?:file:\/\/|\/|[A-Za-z]:[\\/])[^()]*?)(?:\?[^:()]*)?:(\d+):(\d+)\)?$/
/** Matches the first line that Node prints for a syntax error, such as `file:///app/a.ts:4`. */
const headLine = /^(file:\/\/\S+|\/\S+|[A-Za-z]:[\\/]\S+):(\d+)$/

const toPath = (file: string): string => (file.startsWith('file:') ? fileURLToPath(file) : file)

/** Returns the path relative to the application's folder if it is inside that folder, else the unchanged path. */
function displayPath(path: string, root: string): string {
  const isInside = path.startsWith(`${root}/`) || path.startsWith(`${root}\\`)
  return (isInside ? path.slice(root.length + 1) : path).replaceAll('\\', '/')
}

/** True for files in the application's folder that are neither installed nor generated. */
function isApplicationFile(path: string, root: string): boolean {
  const shown = displayPath(path, root)
  return shown !== path.replaceAll('\\', '/') && !/(^|\/)(node_modules|\.fw)\//.test(shown)
}

/**
 * Parses `error.stack`. Frames of compiled templates become frames of the template files. `location` is that of the innermost
 * frame that belongs to the application.
 */
function readStack(error: Error, root: string) {
  mapTemplateError(error)
  const { stack = '', message } = error
  const lines: StackLine[] = []
  let location = readHead(stack.split('\n'))
  // Skip the message, because a line of it can look like a stack frame, such as SQL with a column named `at`.
  const end = message === '' ? -1 : stack.indexOf(message)
  const below = end === -1 ? stack : stack.slice(end + message.length)
  for (const line of below.split('\n')) {
    const text = frameLine.exec(line)?.[1]
    if (text === undefined || lines.length === maxFrames) continue
    const found = frameLocation.exec(text)
    if (found === null) {
      lines.push({ text, own: false })
      continue
    }
    const [, file, at, column] = found
    const path = toPath(file!)
    const own = isApplicationFile(path, root)
    if (own) location ??= { path, line: Number(at), column: Number(column) }
    lines.push({ text: text.replace(file!, () => displayPath(path, root)), own })
  }
  return { lines, location }
}

/** Parses the location of a syntax error from the lines above the stack: file and line, source line, carets. */
function readHead(lines: readonly string[]): SourceLocation | undefined {
  const found = headLine.exec(lines[0] ?? '')
  if (found === null) return undefined
  const carets = lines.slice(1, 6).find((line) => /^\s*\^+\s*$/.test(line))
  const column = carets === undefined ? undefined : carets.indexOf('^') + 1
  return { path: toPath(found[1]!), line: Number(found[2]), column }
}

function readLines(path: string): readonly string[] {
  try {
    return readFileSync(path, 'utf8').split(/\r?\n/)
  } catch {
    return []
  }
}

function readExcerpt({ path, line, column }: SourceLocation, root: string): SourceExcerpt {
  const frame = formatFrame(readLines(path), line, column)
  const excerpt = { file: displayPath(path, root), line, frame }
  return column === undefined ? excerpt : { ...excerpt, column }
}

function formatFrame(lines: readonly string[], line: number, column: number | undefined): string {
  const text = lines[line - 1]
  if (text === undefined) return ''
  const from = Math.max(1, line - contextLines)
  const to = Math.min(lines.length, line + contextLines)
  const width = String(to).length
  const rows: string[] = []
  for (let at = from; at <= to; at++) {
    const head = `${at === line ? '>' : ' '} ${String(at).padStart(width)} |`
    rows.push(`${head} ${lines[at - 1]!.slice(0, maxLineLength)}`.trimEnd())
    if (at === line && column !== undefined && column <= maxLineLength)
      // Keep the tabs of the text, so that the caret fits any tab width.
      rows.push(`  ${' '.repeat(width)} | ${text.slice(0, column - 1).replace(/[^\t]/g, ' ')}^`)
  }
  return rows.join('\n')
}

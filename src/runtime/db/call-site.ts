/** Adds stack frames of the application to database errors, whose original stacks contain only frames of the driver. */
import { fileURLToPath } from 'node:url'
import { codeFolder, FwError } from '../base.ts'

/** A captured stack; V8 formats the text when `stack` is read. */
export type CallSite = Pick<Error, 'stack'>

/** The maximum number of captured stack frames. Many are needed, because frames of Kysely and Fw precede the application's. */
const maxFrames = 40

/** The errors whose stacks `addCallSite` has already replaced. */
const located = new WeakSet<FwError>()

/** Captures the current stack without the frames of `below` and of the functions that `below` calls. */
export function captureCallSite(below: (...args: never[]) => unknown): CallSite {
  const site: CallSite = {}
  const limit = Error.stackTraceLimit
  Error.stackTraceLimit = maxFrames
  Error.captureStackTrace(site, below)
  Error.stackTraceLimit = limit
  return site
}

const frameLocation = /\(?((?:file:\/\/)?\/[^()]*?|[A-Za-z]:[\\/][^()]*?):(\d+):\d+\)?$/

/** Whether a file belongs to Fw or to an installed package. Fw's own test files count as application code. */
const isFrameworkFile = (path: string): boolean =>
  path.includes('/node_modules/') || (path.startsWith(codeFolder) && !path.includes('.test.'))

/** The file and line of the application code that sent a statement, such as `/app/src/main/report.ts:12`. */
export function applicationLine({ stack = '' }: CallSite): string | undefined {
  for (const frame of stack.split('\n    at ').slice(1)) {
    const [, file, line] = frameLocation.exec(frame) ?? []
    if (file === undefined) continue
    const path = file.startsWith('file:') ? fileURLToPath(file) : file
    if (!isFrameworkFile(path)) return `${path}:${line}`
  }
  return undefined
}

/**
 * Replaces the stack of a database error with the stack of `site`, and returns the error. An asynchronous function that catches
 * an error can omit `site`: V8 then captures the functions that await that function, and successful statements cost nothing.
 * Of several calls without `site` for an error, only the first has an effect, because its caller is nearest to the statement.
 */
export function addCallSite(error: unknown, site?: CallSite): unknown {
  if (!(error instanceof FwError) || !error.code.startsWith('db.')) return error
  if (site === undefined && located.has(error)) return error
  located.add(error)
  const { stack = '' } = site ?? captureCallSite(addCallSite)
  const frames = stack.slice(stack.indexOf('\n    at '))
  if (frames.startsWith('\n    at ')) error.stack = `${error.name}: ${error.message}${frames}`
  return error
}

/** Adds the application's frames to errors of the database, whose own stack contains only frames of the driver. */
import { fileURLToPath } from 'node:url'
import { codeFolder, FwError } from '../base.ts'

/** A stack that is formatted when it is read. */
export interface CallSite {
  readonly stack?: string
}

/** Frames of Kysely and Fw come before the application's. */
const maxFrames = 40

/** Errors whose stack contains the call already. */
const located = new WeakSet<FwError>()

/** The stack of the running code, from the caller of `below`. */
export function captureCallSite(below: (...args: never[]) => unknown): CallSite {
  const site: CallSite = {}
  const limit = Error.stackTraceLimit
  Error.stackTraceLimit = maxFrames
  Error.captureStackTrace(site, below)
  Error.stackTraceLimit = limit
  return site
}

const frameLocation = /\(?((?:file:\/\/)?\/[^()]*?|[A-Za-z]:[\\/][^()]*?):(\d+):\d+\)?$/

/** Fw's own code; its tests count as applications. */
const isFrameworkFile = (path: string): boolean =>
  path.includes('/node_modules/') || (path.startsWith(codeFolder) && !path.includes('.test.'))

/** The file and line of the application that sent a statement, such as `/app/src/main/report.ts:12`. */
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
 * Replaces the stack of an error of the database by the one of `site`, and returns the error. Without a site, the caller is
 * an asynchronous function that caught the error: V8 then adds the functions that await it, at no cost to statements that
 * succeed. The first such caller counts, because it is the nearest one.
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

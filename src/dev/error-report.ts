/** An error as plain values: what it says, where in the application it comes from, and its stack. */
import { join } from 'node:path'
import { redactText } from '../base.ts'
import { mapTemplateError, TemplateError } from '../view.ts'
import { readLines, sourcePlace, type SourcePlace, type Spot } from './source-place.ts'
import { readStack, type StackLine } from './stack-lines.ts'

/** Plain values, so that one process can tell another. */
export interface ErrorReport {
  readonly name: string
  readonly message: string
  readonly code?: string
  /** The application's own line; absent when none is on the stack. */
  readonly place?: SourcePlace
  readonly stack: readonly StackLine[]
  /** What led to it, nearest first. */
  readonly causes: readonly { readonly message: string; readonly stack: readonly StackLine[] }[]
}

const mostCauses = 5

/** Before the text of what was thrown and is no error. */
export const thrownPrefix = 'Something that is no error was thrown: '

/** Describes whatever was thrown. */
export function describeError(error: unknown, root: string): ErrorReport {
  if (!(error instanceof Error))
    return {
      name: 'Thrown value',
      message: `${thrownPrefix}${redactText(String(error))}`,
      stack: [],
      causes: [],
    }
  mapTemplateError(error)
  const { lines, spot } = readStack(error.stack ?? '', root)
  const found = templateSpot(error, root) ?? spot ?? importSpot(error) ?? causeSpot(error, root)
  const { code } = error as { code?: unknown }
  return {
    name: error.name,
    message: messageOf(error),
    ...(typeof code === 'string' ? { code } : {}),
    ...(found === undefined ? {} : { place: sourcePlace(found, root) }),
    stack: lines,
    causes: causesOf(error, root),
  }
}

/** The place and the frame of a template's mistake are shown apart. */
const messageOf = (error: Error): string =>
  error instanceof TemplateError ? error.reason : redactText(error.message)

function templateSpot(error: Error, root: string): Spot | undefined {
  if (!(error instanceof TemplateError)) return undefined
  const { file, line, column } = error
  return { path: join(root, 'src/main/webapp/WEB-INF', file), line, column }
}

const imported = /^Cannot find (?:module|package) '([^']+)' imported from (.+)$/

/** Node names the file that asks for a module that is not there, but not the line. */
function importSpot({ message }: Error): Spot | undefined {
  const found = imported.exec(message)
  if (found === null) return undefined
  const [, wanted, path] = found
  const name = wanted!.slice(wanted!.lastIndexOf('/') + 1)
  const at = readLines(path!).findIndex((text) => /['"]/.test(text) && text.includes(name))
  return at === -1 ? undefined : { path: path!, line: at + 1 }
}

function causeSpot(error: Error, root: string): Spot | undefined {
  for (const cause of chainOf(error)) {
    const { spot } = readStack(cause.stack ?? '', root)
    if (spot !== undefined) return spot
  }
  return undefined
}

function causesOf(error: Error, root: string): ErrorReport['causes'] {
  return chainOf(error).map((cause) => {
    mapTemplateError(cause)
    return {
      message: `${cause.name}: ${redactText(cause.message)}`,
      stack: readStack(cause.stack ?? '', root).lines,
    }
  })
}

function chainOf(error: Error): Error[] {
  const chain: Error[] = []
  for (let at = error.cause; at instanceof Error && chain.length < mostCauses; at = at.cause)
    chain.push(at)
  return chain
}

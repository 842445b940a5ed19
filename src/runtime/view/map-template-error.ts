/** Adds the file and line of the template to the stack of an error. */
import { SourceMap } from 'node:module'
import { dirname, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { readText } from './template-files.ts'

/** The start of the comment that contains the source map of a module. */
export const inlineMapPrefix = '//# sourceMappingURL=data:application/json;base64,'

/** A position in a template. Line and column are counted from 1. */
export interface TemplatePosition {
  /** The absolute path of the template. */
  readonly path: string
  readonly line: number
  readonly column: number
}

/** Matches the path of a generated module (of any version) with line and column, in a stack frame. */
const frame =
  /(file:\/\/\/?)?([^\s()]*[\\/](?:views|layouts)[\\/][^\s()]*?\.ssp(?:\.[\da-f]{12})?\.(?:ts|js))(?:\?[^:\s)]*)?:(\d+):(\d+)/g
const mappedFrame = /\(?((?:file:\/\/)?[^\s()]*WEB-INF[\\/][^\s()]*\.(?:ssp|jade)):(\d+):(\d+)/

/** The maximum number of lines to process. A stack has fewer lines, but an error message may have more. */
const maximumFrames = 60
const maximumFrameLength = 1000

/**
 * Rewrites the frames of generated modules in `error.stack` to positions in their templates. Returns the innermost of
 * these positions, or `undefined` if no template is on the stack.
 */
export function mapTemplateError(error: unknown): TemplatePosition | undefined {
  if (!(error instanceof Error) || typeof error.stack !== 'string') return undefined
  const lines = error.stack.split('\n')
  const maps = new Map<string, Mapping | undefined>()
  let innermost: TemplatePosition | undefined
  for (let at = Math.max(1, lines.length - maximumFrames); at < lines.length; at++) {
    const line = lines[at]!
    if (line.length > maximumFrameLength || !/^\s+at /.test(line)) continue
    lines[at] = line.replace(frame, (...match) => mapped(match as string[], maps))
    innermost ??= positionOf(lines[at]!)
  }
  const stack = lines.join('\n')
  if (stack !== error.stack) setStack(error, stack)
  return innermost
}

function mapped(match: readonly string[], maps: Map<string, Mapping | undefined>): string {
  const [whole, scheme, path, line, column] = match
  const module =
    scheme === undefined ? path! : fileURLToPath(`file:///${path!.replace(/^\/+/, '')}`)
  if (!maps.has(module)) maps.set(module, mappingOf(module))
  const found = maps.get(module)?.(Number(line), Number(column))
  return found === undefined ? whole! : `${found.path}:${found.line}:${found.column}`
}

function positionOf(line: string): TemplatePosition | undefined {
  const found = mappedFrame.exec(line)
  if (found === null) return undefined
  const path = found[1]!.startsWith('file:') ? fileURLToPath(found[1]!) : found[1]!
  return { path, line: Number(found[2]), column: Number(found[3]) }
}

type Mapping = (line: number, column: number) => TemplatePosition | undefined

function mappingOf(module: string): Mapping | undefined {
  const text = readText(module) ?? ''
  const at = text.lastIndexOf(inlineMapPrefix)
  if (at < 0) return undefined
  const json = Buffer.from(text.slice(at + inlineMapPrefix.length).trim(), 'base64').toString()
  const map = new SourceMap(JSON.parse(json) as ConstructorParameters<typeof SourceMap>[0])
  return (line, column) => {
    const entry = map.findEntry(line - 1, column - 1)
    if (!('originalSource' in entry)) return undefined
    const path = resolve(dirname(module), entry.originalSource)
    // A generated line maps to one line of the template, independent of the column.
    const same = entry.originalLine === line - 1
    const past = Math.max(0, column - 1 - entry.generatedColumn)
    return { path, line, column: same ? entry.originalColumn + past + 1 : 1 }
  }
}

/** Replaces the stack, unless it is read-only. */
function setStack(error: Error, stack: string): void {
  try {
    error.stack = stack
  } catch {
    // The stack is read-only. The caller still gets the position.
  }
}

/** Adds a frame with a template's line to an error's stack. `webInf` is a URL, and `file` a path below it. */
export function addTemplateFrame(error: unknown, webInf: URL, file: string, line: number): unknown {
  if (!(error instanceof Error) || typeof error.stack !== 'string') return error
  const frame = `    at template (${fileURLToPath(new URL(file, webInf))}:${line}:1)`
  const lines = error.stack.split('\n')
  const first = lines.findIndex((text) => /^\s+at /.test(text))
  lines.splice(first === -1 ? lines.length : first, 0, frame)
  setStack(error, lines.join('\n'))
  return error
}

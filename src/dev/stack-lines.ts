/** The frames of a stack: which are the application's own. */
import { fileURLToPath } from 'node:url'
import { shownPath, type Spot } from './source-place.ts'

/** One frame, as it is shown. */
export interface StackLine {
  readonly text: string
  /** False for a frame of Fw, of a package or of Node. */
  readonly own: boolean
}

export interface Stack {
  readonly lines: readonly StackLine[]
  /** The innermost frame of the application's own code. */
  readonly spot: Spot | undefined
}

const mostFrames = 60
const frame = /^\s+at (.*)$/
const spotOf = /\(?((?:file:\/\/|\/|[A-Za-z]:[\\/])[^()]*?)(?:\?[^:()]*)?:(\d+):(\d+)\)?$/
/** `file:///app/a.ts:4`, the line above a frame of source: how Node tells of code that does not compile. */
const heading = /^(file:\/\/\S+|\/\S+|[A-Za-z]:[\\/]\S+):(\d+)$/

/** Files below the application's folder, but for what is installed and what is generated there. */
export function isOwn(path: string, root: string): boolean {
  const shown = shownPath(path, root)
  return shown !== path.replaceAll('\\', '/') && !/(^|\/)(node_modules|\.fw)\//.test(shown)
}

const pathOf = (file: string): string => (file.startsWith('file:') ? fileURLToPath(file) : file)

/** Reads `error.stack`; templates' frames name the templates once `mapTemplateError` has seen the error. */
export function readStack(stack: string, root: string): Stack {
  const lines: StackLine[] = []
  const all = stack.split('\n')
  let spot = headingSpot(all)
  for (const line of all) {
    const text = frame.exec(line)?.[1]
    if (text === undefined || lines.length === mostFrames) continue
    const found = spotOf.exec(text)
    if (found === null) {
      lines.push({ text, own: false })
      continue
    }
    const [, file, at, column] = found
    const path = pathOf(file!)
    const own = isOwn(path, root)
    if (own) spot ??= { path, line: Number(at), column: Number(column) }
    lines.push({ text: text.replace(file!, () => shownPath(path, root)), own })
  }
  return { lines, spot }
}

/** Node's own words above a stack: the file and line, the source, and carets below its column. */
function headingSpot(lines: readonly string[]): Spot | undefined {
  const found = heading.exec(lines[0] ?? '')
  if (found === null) return undefined
  const caret = lines.slice(1, 6).find((line) => /^\s*\^+\s*$/.test(line))
  const column = caret === undefined ? undefined : caret.indexOf('^') + 1
  return { path: pathOf(found[1]!), line: Number(found[2]), column }
}

/** A place in a file, with the lines around it. */
import { readFileSync } from 'node:fs'

/** Line and column count from 1. */
export interface SourcePlace {
  /** From the application's folder where it is inside, with `/`. */
  readonly file: string
  readonly line: number
  readonly column?: number
  /** The line with its neighbours and a caret below the column; empty when the file cannot be read. */
  readonly frame: string
}

/** Where something is, by the file's own path. */
export interface Spot {
  readonly path: string
  readonly line: number
  readonly column?: number | undefined
}

const neighbours = 4
const longestLine = 200

/** The path as it is shown: from the application's folder where it is inside. */
export function shownPath(path: string, root: string): string {
  const inside = path.startsWith(`${root}/`) || path.startsWith(`${root}\\`)
  return (inside ? path.slice(root.length + 1) : path).replaceAll('\\', '/')
}

/** Reads the lines around a spot. */
export function sourcePlace({ path, line, column }: Spot, root: string): SourcePlace {
  const place = { file: shownPath(path, root), line, frame: frameOf(readLines(path), line, column) }
  return column === undefined ? place : { ...place, column }
}

export function readLines(path: string): readonly string[] {
  try {
    return readFileSync(path, 'utf8').split(/\r?\n/)
  } catch {
    return []
  }
}

function frameOf(lines: readonly string[], line: number, column: number | undefined): string {
  const marked = lines[line - 1]
  if (marked === undefined) return ''
  const from = Math.max(1, line - neighbours)
  const to = Math.min(lines.length, line + neighbours)
  const width = String(to).length
  const shown: string[] = []
  for (let at = from; at <= to; at++) {
    const head = `${at === line ? '>' : ' '} ${String(at).padStart(width)} |`
    shown.push(`${head} ${lines[at - 1]!.slice(0, longestLine)}`.trimEnd())
    if (at === line && column !== undefined && column <= longestLine)
      shown.push(`  ${' '.repeat(width)} | ${caretUnder(marked, column)}`)
  }
  return shown.join('\n')
}

const caretUnder = (text: string, column: number): string =>
  `${text.slice(0, column - 1).replace(/[^\t]/g, ' ')}^`

/** Writes generated files: all or none, and over no file that differs. Removes them again if they are unchanged. */
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { diff } from 'node:util'
import { FwError } from '../../runtime/base.ts'
import type { GeneratedFile } from './project.ts'

/** How to treat existing files. */
export interface WriteOptions {
  /** Overwrites or removes files that differ. */
  readonly force?: boolean
  /** Returns the outcomes without writing. */
  readonly pretend?: boolean
}

/** The effect on one file. */
export interface FileOutcome {
  readonly path: string
  readonly done: 'created' | 'modified' | 'overwritten' | 'unchanged' | 'removed' | 'kept'
  /** Present for a file that changes. */
  readonly diff?: string
}

function planWrite(root: string, { path, text, kind }: GeneratedFile): FileOutcome {
  const file = join(root, path)
  if (!existsSync(file)) return { path, done: 'created' }
  const current = readFileSync(file, 'utf8')
  if (current === text || kind === 'shared') return { path, done: 'unchanged' }
  const done = kind === 'edit' ? 'modified' : 'overwritten'
  return { path, done, diff: diffLines(current, text) }
}

function write(root: string, { path, text, mode }: GeneratedFile): void {
  const file = join(root, path)
  mkdirSync(dirname(file), { recursive: true })
  try {
    writeFileSync(file, text, { mode: mode ?? 0o666 })
  } catch (error) {
    // Node omits the path of a file that it has opened and cannot write.
    throw Object.assign(error as NodeJS.ErrnoException, { path: file })
  }
  if (mode !== undefined) chmodSync(file, mode)
}

/** @throws FwError `generate.file-exists` if a file differs and `force` is not set; then nothing is written */
export function writeFiles(
  root: string,
  files: readonly GeneratedFile[],
  { force = false, pretend = false }: WriteOptions = {},
): readonly FileOutcome[] {
  const outcomes = files.map((file) => planWrite(root, file))
  const conflicts = outcomes.filter(({ done }) => done === 'overwritten')
  if (conflicts.length > 0 && !force)
    throw new FwError(
      'generate.file-exists',
      'Nothing was written, because these files exist and differ:\n\n' +
        conflicts.map(({ path, diff: text }) => `${path}\n${text}\n\n`).join('') +
        'Move them away, or overwrite them with --force.',
    )
  if (!pretend)
    for (const [index, file] of files.entries())
      if (outcomes[index]!.done !== 'unchanged') write(root, file)
  return outcomes
}

/** Removes what `writeFiles` wrote. Keeps a file that has changed since, unless forced; applies edits. */
export function removeFiles(
  root: string,
  files: readonly GeneratedFile[],
  { force = false, pretend = false }: WriteOptions = {},
): readonly FileOutcome[] {
  return files.flatMap(({ path, text, kind }): FileOutcome[] => {
    const file = join(root, path)
    if (kind === 'shared' || !existsSync(file)) return []
    const current = readFileSync(file, 'utf8')
    if (kind === 'edit') {
      if (current === text) return []
      if (!pretend) writeFileSync(file, text)
      return [{ path, done: 'modified', diff: diffLines(current, text) }]
    }
    if (current !== text && !force) return [{ path, done: 'kept', diff: diffLines(text, current) }]
    if (!pretend) rmSync(file)
    return [{ path, done: 'removed' }]
  })
}

const contextLines = 2
const maxLines = 2000

/** The changed lines, marked with `-` and `+`, and two unchanged lines around each change. */
export function diffLines(before: string, after: string): string {
  const [oldLines, newLines] = [before.split('\n'), after.split('\n')]
  if (oldLines.length > maxLines || newLines.length > maxLines)
    return `- ${oldLines.length} lines\n+ ${newLines.length} lines`
  const changes = diff(oldLines, newLines)
  const isNearChange = changes.map((_change, index) =>
    changes
      .slice(Math.max(0, index - contextLines), index + contextLines + 1)
      .some(([operation]) => operation !== 0),
  )
  return changes
    .flatMap(([operation, line], index) => {
      if (isNearChange[index]!)
        return [`${operation === 0 ? ' ' : operation > 0 ? '-' : '+'} ${line}`]
      return isNearChange[index - 1] === true ? ['  …'] : []
    })
    .join('\n')
}

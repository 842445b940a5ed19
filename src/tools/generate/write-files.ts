/** Writes and removes generated files. Writes all files or none, and by default overwrites or removes no file that differs. */
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { diff } from 'node:util'
import { FwError } from '../../runtime/base.ts'
import type { GeneratedFile } from './project.ts'

/** The options of writing and removing files. */
export interface WriteOptions {
  /** Whether files that differ are overwritten or removed. */
  readonly force?: boolean
  /** Whether the outcomes are only returned and no file is changed. */
  readonly pretend?: boolean
}

/** The effect of a plan on one file. */
export interface FileOutcome {
  readonly path: string
  readonly done: 'created' | 'modified' | 'overwritten' | 'unchanged' | 'removed' | 'kept'
  /** The changed lines, if an existing file changes or is kept because it differs. */
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
    // Add the path, because Node omits it if a file could be opened but not written.
    throw Object.assign(error as NodeJS.ErrnoException, { path: file })
  }
  if (mode !== undefined) chmodSync(file, mode)
}

/**
 * Writes files and returns the outcome for each.
 * @throws FwError `generate.file-exists` if a file differs and `force` is not set; no file is written in this case
 */
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

/** Removes the written files and applies edits. Keeps a file that was changed since, unless `force` is set. */
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

/** Returns the changed lines, marked with `-` and `+`, with two unchanged lines around each change. */
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

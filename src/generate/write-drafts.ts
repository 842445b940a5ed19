/** Writes drafts into an application: all of them or none, and never over a file that differs. */
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { FwError } from '../base.ts'
import type { Draft } from './draft.ts'
import { lineDiff } from './line-diff.ts'

/** How strictly files that exist are left alone. */
export interface WriteOptions {
  /** Overwrites files that differ. */
  readonly force?: boolean
  /** Writes nothing, and answers what it would. */
  readonly pretend?: boolean
}

/** What became of a file. */
export interface Outcome {
  readonly path: string
  readonly done: 'created' | 'modified' | 'overwritten' | 'unchanged' | 'removed' | 'kept'
  /** Of a file that changes. */
  readonly diff?: string
}

interface Step {
  readonly draft: Draft
  readonly outcome: Outcome
  readonly conflict: boolean
}

function stepOf(root: string, draft: Draft): Step {
  const file = join(root, draft.path)
  const { path } = draft
  if (!existsSync(file)) return { draft, conflict: false, outcome: { path, done: 'created' } }
  const now = readFileSync(file, 'utf8')
  if (now === draft.text || draft.kind === 'shared')
    return { draft, conflict: false, outcome: { path, done: 'unchanged' } }
  const isEdit = draft.kind === 'edit'
  const outcome: Outcome = {
    path,
    done: isEdit ? 'modified' : 'overwritten',
    diff: lineDiff(now, draft.text),
  }
  return { draft, conflict: !isEdit, outcome }
}

function refuse(steps: readonly Step[]): FwError {
  const files = steps.map(({ outcome }) => `${outcome.path}\n${outcome.diff}`)
  return new FwError(
    'generate.file-exists',
    `Nothing was written, because these files exist and differ:\n\n${files.join('\n\n')}\n\n` +
      'Take them away, or pass --force to overwrite them.',
  )
}

function write(root: string, { path, text, isExecutable }: Draft): void {
  const file = join(root, path)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
  if (isExecutable === true) chmodSync(file, 0o755)
}

/** In the order of the drafts. @throws FwError `generate.file-exists` */
export function writeDrafts(
  root: string,
  drafts: readonly Draft[],
  { force = false, pretend = false }: WriteOptions = {},
): readonly Outcome[] {
  const steps = drafts.map((draft) => stepOf(root, draft))
  const conflicts = steps.filter(({ conflict }) => conflict)
  if (conflicts.length > 0 && !force) throw refuse(conflicts)
  if (!pretend)
    for (const { draft, outcome } of steps) if (outcome.done !== 'unchanged') write(root, draft)
  return steps.map(({ outcome }) => outcome)
}

/** Takes away what the drafts would write; a file that was changed since stays, unless forced. Edits are written. */
export function removeDrafts(
  root: string,
  drafts: readonly Draft[],
  { force = false, pretend = false }: WriteOptions = {},
): readonly Outcome[] {
  return drafts.flatMap((draft): Outcome[] => {
    const file = join(root, draft.path)
    if (draft.kind === 'shared' || !existsSync(file)) return []
    const now = readFileSync(file, 'utf8')
    const { path, text, kind } = draft
    if (kind === 'edit') {
      if (now === text) return []
      if (!pretend) writeFileSync(file, text)
      return [{ path, done: 'modified', diff: lineDiff(now, text) }]
    }
    if (now !== text && !force) return [{ path, done: 'kept', diff: lineDiff(text, now) }]
    if (!pretend) rmSync(file)
    return [{ path, done: 'removed' }]
  })
}

/** The texts that TypeScript types as keys of messages, and that change with the keys. */
import type { CancellationToken } from 'vscode-languageserver'
import { codeFile } from '../workspace.ts'
import { changeDeclaredKeys } from './message-files.ts'
import { editOf, findUsesInCode, placeOf } from './message-names.ts'
import {
  type DraftMistake,
  type NameEdit,
  originalRange,
  placeKey,
  RenameDraft,
} from './rename-draft.ts'
import type { Session } from './session.ts'

/** The largest number of texts that are changed one by one to see whether a mistake goes. */
const maximumTries = 40

/** A key of a message, and its new one. */
export interface RenamedKey {
  readonly key: string
  readonly newKey: string
  /** Whether the old key stays beside the new one. */
  readonly isCopied?: boolean
}

/** Reports the texts that a rename of keys leaves, because they can mean something else than the message. */
export function warnOfTexts(
  session: Session,
  keys: readonly RenamedKey[],
  edits: readonly NameEdit[],
): void {
  for (const one of keys) {
    const left = possibleKeys(session, one, edits)
    if (left.length === 0) continue
    const places = left.slice(0, 5).map(({ path, start }) => placeOf(session, path, start))
    const more = left.length > 5 ? ` and ${left.length - 5} more` : ''
    session.warn(
      `Not renamed, because these texts may not be the message '${one.key}': ${places.join(', ')}${more}`,
    )
  }
}

/** Returns edits of the texts that have the form of a key, and that code does not read as a message where they are. */
function possibleKeys(
  session: Session,
  { key, newKey }: RenamedKey,
  edits: readonly NameEdit[],
): readonly NameEdit[] {
  const known = new Set(edits.map(placeKey))
  const newName = newKey.slice(newKey.lastIndexOf('.') + 1)
  return findUsesInCode(session, key)
    .filter(({ isRead }) => !isRead)
    .map((use) => editOf(use, newName))
    .filter((edit) => !known.has(placeKey(edit)))
}

/**
 * Returns `certain`, and edits of the other texts that must change too, because TypeScript types them as renamed keys. Returns the
 * mistakes that remain, and one that the rename of the keys has added to those of `base`, the edits before it.
 */
export async function withTypedKeys(
  session: Session,
  {
    base,
    certain,
    keys,
    token,
  }: {
    readonly base: readonly NameEdit[]
    readonly certain: readonly NameEdit[]
    readonly keys: readonly RenamedKey[]
    readonly token: CancellationToken
  },
): Promise<{
  readonly edits: readonly NameEdit[]
  readonly added: DraftMistake | undefined
  readonly remaining: readonly DraftMistake[]
}> {
  const { typescript } = session
  if (typescript === undefined) return { edits: certain, added: undefined, remaining: [] }
  const others = keys.flatMap((one) =>
    one.isCopied === true ? [] : possibleKeys(session, one, certain),
  )
  const declared = changeDeclaredKeys(session, (one) => changedKeys(one, keys))
  return typescript.withDraft(async (server) => {
    const draft = new RenameDraft(session, server, token)
    // A file without the key can read it from a constant of another file.
    const paths = session.checkedFiles()
    const mistakesWith = (edits: readonly NameEdit[]): Promise<readonly DraftMistake[]> => {
      draft.show(checkedEdits(edits))
      return draft.mistakes(paths)
    }
    const before = await mistakesWith(base)
    if (declared !== undefined) server.setText(declared.path, declared.text)
    let edits = certain
    let after = await mistakesWith(edits)
    const proven = others.filter((edit) => after.some((one) => isAt(session, one, edit)))
    if (proven.length > 0) {
      edits = [...edits, ...proven]
      after = await mistakesWith(edits)
    }
    let tries = 0
    const isSolved = (): boolean => after.length <= before.length
    // Texts beside a mistake first: those in other lines or files are seldom its cause.
    for (const isNear of [isBeside, isInFile, isAnywhere]) {
      const near = (): readonly NameEdit[] =>
        others.filter(
          (edit) => !edits.includes(edit) && after.some((one) => isNear(session, one, edit)),
        )
      for (const edit of near()) {
        if (isSolved() || tries >= maximumTries) break
        tries++
        const mistakes = await mistakesWith([...edits, edit])
        if (mistakes.length < after.length) [edits, after] = [[...edits, edit], mistakes]
      }
      // An expression with several keys is a mistake until all of them have changed.
      const together = near()
      if (together.length === 0 || isSolved() || tries >= maximumTries) continue
      edits = [...edits, ...together]
      after = await mistakesWith(edits)
      for (const edit of together) {
        const rest = edits.filter((one) => one !== edit)
        const mistakes = await mistakesWith(rest)
        if (mistakes.length <= after.length) [edits, after] = [rest, mistakes]
      }
    }
    return { edits, added: addedMistake(before, after), remaining: after }
  })
}

/** Returns what a key is called after the rename of keys: both names for a copied one. */
function changedKeys(one: string, keys: readonly RenamedKey[]): readonly string[] {
  for (const { key, newKey, isCopied } of keys) {
    const renamed = renamedKey(one, key, newKey)
    if (renamed !== undefined) return isCopied === true ? [one, renamed] : [renamed]
  }
  return []
}

const isAnywhere = (): boolean => true

const isInFile = (_: Session, { file }: DraftMistake, { path }: NameEdit): boolean =>
  file.path === path

/** Returns whether a mistake is that of the text in which an edit is. */
function isAt(session: Session, { file, start, end }: DraftMistake, edit: NameEdit): boolean {
  const range = file.path === edit.path ? originalRange(file, start, end) : undefined
  if (range === undefined || edit.start < range.start || range.end < edit.end) return false
  const text = session.linesOf(edit.path)?.text.slice(range.start, range.end) ?? ''
  return /^(['"`])[^'"`\s]*\1$/.test(text)
}

/** Returns whether an edit is in the lines of a mistake, or in the next one. */
function isBeside(session: Session, { file, start, end }: DraftMistake, edit: NameEdit): boolean {
  const lines = session.linesOf(edit.path)
  const range = file.path === edit.path ? originalRange(file, start, end) : undefined
  if (lines === undefined || range === undefined) return false
  const line = lines.lineOf(edit.start)
  return lines.lineOf(range.start) <= line && line <= lines.lineOf(range.end) + 1
}

/** Returns a mistake that is not in `before`; `undefined` if `after` has no more mistakes than `before`. */
function addedMistake(
  before: readonly DraftMistake[],
  after: readonly DraftMistake[],
): DraftMistake | undefined {
  if (after.length <= before.length) return undefined
  const known = new Set(before.map(({ code, message }) => code + message))
  return after.find(({ code, message }) => !known.has(code + message)) ?? after[0]
}

/** Returns what a key is called after a rename of `key`, if the key is it or begins with it. */
const renamedKey = (one: string, key: string, newKey: string): string | undefined =>
  one === key || one.startsWith(`${key}.`) ? newKey + one.slice(key.length) : undefined

/** Returns the edits of files that TypeScript checks. */
const checkedEdits = (edits: readonly NameEdit[]): NameEdit[] =>
  edits.filter(({ path }) => path.endsWith('.ssp') || codeFile.test(path))

/** The keys of messages as names: where files and code contain them, and their renames. */
import type { CancellationToken } from 'vscode-languageserver'
import { isJade } from '../../runtime/view.ts'
import { codeFile, type TextLines } from '../workspace.ts'
import { allFiles } from './complete-rename.ts'
import { FormFields } from './form-fields.ts'
import {
  changeDeclaredKeys,
  isMessageFile,
  renameWritten,
  requireReadable,
  writtenKeys,
} from './message-files.ts'
import { nameAt } from './names-in-code.ts'
import {
  type DraftMistake,
  type NameEdit,
  originalRange,
  placeKey,
  placeOfMistake,
  RenameDraft,
} from './rename-draft.ts'
import { refuse, type Session } from './session.ts'

/** The largest number of texts that are changed one by one to see whether a mistake goes. */
const maximumTries = 40

/** A part of a key in a text, such as `title` in `members.title`. */
export interface MessagePart {
  /** The key up to the end of the part. */
  readonly key: string
  readonly start: number
  readonly end: number
}

/** A place in a file that contains a part of a key. */
export interface MessageUse {
  readonly path: string
  readonly start: number
  readonly end: number
  /** Whether code reads the message there; other texts with a dot can have another meaning. */
  readonly isRead: boolean
}

const quoted = /(['"`])([\p{L}\p{N}_-]+(?:\.[\p{L}\p{N}_-]+)*)\1/gu
const readBefore = /\bi18n\s*\??\.\s*(?:get\w*|message)\(\s*$/

/** Returns the part of a key at an offset of a file of messages, a template or a file of code. */
export function messagePartAt(
  session: Session,
  path: string,
  lines: TextLines,
  offset: number,
): MessagePart | undefined {
  if (isMessageFile(session, path))
    return writtenKeys(session).find(
      (one) => one.path === path && one.start <= offset && offset <= one.end,
    )
  const { start: from, end } = lines.line(lines.lineOf(offset))
  const line = lines.text.slice(from, end)
  for (const { index, 2: text } of line.matchAll(quoted)) {
    const start = from + index + 1
    if (offset < start || offset > start + text!.length) continue
    const isRead = nameAt(lines, offset)?.kind === 'message'
    const isKnown = writtenKeys(session).some(({ key }) => key === text)
    if (!isKnown || !(isRead || text!.includes('.'))) return undefined
    const next = text!.indexOf('.', offset - start)
    const partEnd = next < 0 ? text!.length : next
    const partStart = text!.lastIndexOf('.', offset - start - 1) + 1
    return { key: text!.slice(0, partEnd), start: start + partStart, end: start + partEnd }
  }
  return undefined
}

/** Returns where files of messages, templates and code contain a key, or keys that begin with it. */
export const findMessageUses = (session: Session, key: string): readonly MessageUse[] => [
  ...writtenKeys(session)
    .filter((one) => one.key === key)
    .map(({ path, start, end }) => ({ path, start, end, isRead: true })),
  ...usesInCode(session, key),
]

function usesInCode(session: Session, key: string): readonly MessageUse[] {
  const known = new Set(writtenKeys(session).map((one) => one.key))
  const from = key.lastIndexOf('.') + 1
  return [...allFiles(session), ...jadeFiles(session)].flatMap((path): MessageUse[] => {
    const text = session.linesOf(path)?.text ?? ''
    if (!text.includes(key)) return []
    return [...text.matchAll(quoted)].flatMap(({ index, 2: found }) => {
      if (found !== key && !found!.startsWith(`${key}.`)) return []
      if (!known.has(found!)) return []
      const isRead = readBefore.test(text.slice(Math.max(0, index - 100), index))
      if (!isRead && !found!.includes('.')) return []
      const start = index + 1 + from
      return [{ path, start, end: index + 1 + key.length, isRead }]
    })
  })
}

/** Returns the paths of the Jade templates, which have no types. */
const jadeFiles = ({ workspace }: Session): string[] =>
  [...workspace.states.keys()].filter(isJade).map((file) => workspace.pathOf(file))

/** Returns the edits of files that TypeScript checks. */
const checkedEdits = (edits: readonly NameEdit[]): NameEdit[] =>
  edits.filter(({ path }) => path.endsWith('.ssp') || codeFile.test(path))

/** Returns the key in which the last part of another one is replaced. */
export const withLastPart = (key: string, name: string): string =>
  key.slice(0, key.lastIndexOf('.') + 1) + name

/** Returns the edits that replace a part of a key in all languages, and where code reads the message. */
export const messageEdits = (session: Session, key: string, newName: string): NameEdit[] => [
  ...writtenEdits(session, key, newName),
  ...usesInCode(session, key)
    .filter(({ isRead }) => isRead)
    .map((use) => editOf(use, newName)),
]

const writtenEdits = (session: Session, key: string, newName: string): NameEdit[] =>
  writtenKeys(session)
    .filter((one) => one.key === key)
    .map((one) => renameWritten(one, newName))

const editOf = ({ path, start, end }: MessageUse, newText: string): NameEdit => ({
  path,
  start,
  end,
  newText,
})

/** Returns what a key is called after a rename of `key`, if the key is it or begins with it. */
const renamedKey = (one: string, key: string, newKey: string): string | undefined =>
  one === key || one.startsWith(`${key}.`) ? newKey + one.slice(key.length) : undefined

/** Returns a place as messages name it, such as `src/main/titles.ts:3`. */
export const placeOf = (session: Session, path: string, offset: number): string =>
  `${session.relative(path)}:${session.linesOf(path)!.lineOf(offset) + 1}`

/** @throws ResponseError if a call of `i18n` has a key at the offset: TypeScript would rename the text in code alone */
export function refuseUnknownKey(session: Session, lines: TextLines, offset: number): void {
  const named = nameAt(lines, offset)
  if (named?.kind !== 'message') return
  requireReadable(session, named.name.slice(named.name.lastIndexOf('.') + 1))
  refuse(`No file of messages contains '${named.name}' in a form that a rename can change`)
}

/**
 * Returns the edits that rename a part of a key in all languages and in code.
 * @throws ResponseError for a name that no key can have or another message has, and for a key that Fw or code computes
 */
export async function renameMessage(
  session: Session,
  { key }: MessagePart,
  newName: string,
  token: CancellationToken,
): Promise<readonly NameEdit[]> {
  if (!/^[\p{L}\p{N}_-]+$/u.test(newName)) refuse(`'${newName}' is no name of a message`)
  const newKey = withLastPart(key, newName)
  if (newKey === key) return []
  requireReadable(session, key.slice(key.lastIndexOf('.') + 1))
  if (writtenKeys(session).some((one) => one.key === newKey))
    refuse(`There is a message '${newKey}' already`)
  requireNamed(session, key)
  const field = new FormFields(session).labelled(key)
  if (field !== undefined)
    refuse(`'${key}' is the label of the field '${field.name}': rename the field instead`)
  if (usesInCode(session, key).length === 0)
    refuse(`No code contains '${key}': Fw finds this message by its name, or code computes the key`)
  const { edits, mistake } = await withTypedKeys(session, {
    base: [],
    certain: messageEdits(session, key, newName),
    keys: [{ key, newKey }],
    token,
  })
  if (mistake !== undefined)
    refuse(
      `${placeOfMistake(session, mistake)} gets the key '${key}' from other code: rename it there by hand`,
    )
  warnOfTexts(session, [{ key, newKey }], edits)
  return edits
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
  return usesInCode(session, key)
    .filter(({ isRead }) => !isRead)
    .map((use) => editOf(use, newName))
    .filter((edit) => !known.has(placeKey(edit)))
}

/** Throws if code or Fw adds the rest of a key to the part that is renamed. */
function requireNamed(session: Session, key: string): void {
  const escaped = key.replaceAll('.', String.raw`\.`)
  const computed = new RegExp(`['"\`]${escaped}\\.(?:['"\`]|[\\w.]*\\$\\{)`)
  const named = new RegExp(
    `\\b(?:messageResourceName|resourceName)\\s*[:=]\\s*(['"])${escaped}\\1|\\bwithPrefix\\(\\s*(['"])${escaped}\\2`,
  )
  for (const path of [...allFiles(session), ...jadeFiles(session)]) {
    const text = session.linesOf(path)?.text ?? ''
    if (computed.test(text)) refuse(`Code computes keys that begin with '${key}.'`)
    if (named.test(text)) refuse(`Fw finds messages of a resource or form by the name '${key}'`)
  }
  // Jade has no types, which would show a key that begins with a section and is computed.
  const sections = key.split('.').slice(0, -1)
  const computedKey = sections.map((_, at) => {
    const section = sections.slice(0, at + 1).join('\\.')
    return new RegExp(`['"\`]${section}\\.(?:['"\`]|[\\w.]*[$#]\\{)`)
  })
  for (const path of jadeFiles(session))
    if (computedKey.some((one) => one.test(session.linesOf(path)?.text ?? '')))
      refuse(`A Jade template computes keys that can be '${key}'`)
}

/** A key of a message, and its new one. */
export interface RenamedKey {
  readonly key: string
  readonly newKey: string
  /** Whether the old key stays beside the new one. */
  readonly isCopied?: boolean
}

/**
 * Returns `certain`, and edits of the other texts that must change too, because TypeScript types them as renamed keys. Returns the
 * mistakes that are left, and one of them that `base`, the edits before the rename of the keys, does not cause.
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
  readonly mistake?: DraftMistake | undefined
  readonly mistakes?: readonly DraftMistake[]
}> {
  const { typescript } = session
  if (typescript === undefined) return { edits: certain }
  const others = keys.flatMap((one) =>
    one.isCopied === true ? [] : possibleKeys(session, one, certain),
  )
  const declared = changeDeclaredKeys(session, (one) => changedKeys(one, keys))
  return typescript.withDraft(async (server) => {
    const draft = new RenameDraft(session, server, token)
    // A file without the key can read it from a constant of another file.
    const paths = allFiles(session)
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
    return { edits, mistake: addedMistake(before, after), mistakes: after }
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

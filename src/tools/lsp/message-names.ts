/** The keys of messages as names: where files of messages, templates and code contain them. */
import { isJade } from '../../runtime/view.ts'
import type { TextLines } from '../workspace.ts'
import { isMessageFile, renameWritten, writtenKeys } from './message-files.ts'
import { nameAt } from './names-in-code.ts'
import type { NameEdit } from './rename-draft.ts'
import type { Session } from './session.ts'

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
  ...findUsesInCode(session, key),
]

/** Returns where templates and code contain a key, or keys that begin with it. */
export function findUsesInCode(session: Session, key: string): readonly MessageUse[] {
  const known = new Set(writtenKeys(session).map((one) => one.key))
  const from = key.lastIndexOf('.') + 1
  return [...session.checkedFiles(), ...jadeFiles(session)].flatMap((path): MessageUse[] => {
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
export const jadeFiles = ({ workspace }: Session): string[] =>
  [...workspace.states.keys()].filter(isJade).map((file) => workspace.pathOf(file))

/** Returns the key in which the last part of another one is replaced. */
export const withLastPart = (key: string, name: string): string =>
  key.slice(0, key.lastIndexOf('.') + 1) + name

/** Returns the edits that replace a part of a key in all languages, and where code reads the message. */
export const messageEdits = (session: Session, key: string, newName: string): NameEdit[] => [
  ...writtenEdits(session, key, newName),
  ...findUsesInCode(session, key)
    .filter(({ isRead }) => isRead)
    .map((use) => editOf(use, newName)),
]

const writtenEdits = (session: Session, key: string, newName: string): NameEdit[] =>
  writtenKeys(session)
    .filter((one) => one.key === key)
    .map((one) => renameWritten(one, newName))

/** Returns the edit that replaces a part of a key. */
export const editOf = ({ path, start, end }: MessageUse, newText: string): NameEdit => ({
  path,
  start,
  end,
  newText,
})

/** Returns a place as messages name it, such as `src/main/titles.ts:3`. */
export const placeOf = (session: Session, path: string, offset: number): string =>
  `${session.relative(path)}:${session.linesOf(path)!.lineOf(offset) + 1}`

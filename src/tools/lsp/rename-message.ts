/** Renames a part of the key of a message in the files of all languages and in code. */
import type { CancellationToken } from 'vscode-languageserver'
import type { TextLines } from '../workspace.ts'
import { FormFields } from './form-fields.ts'
import { requireReadable, writtenKeys } from './message-files.ts'
import {
  findUsesInCode,
  jadeFiles,
  messageEdits,
  type MessagePart,
  withLastPart,
} from './message-names.ts'
import { nameAt } from './names-in-code.ts'
import { type NameEdit, placeOfMistake } from './rename-draft.ts'
import { refuse, type Session } from './session.ts'
import { warnOfTexts, withTypedKeys } from './typed-keys.ts'

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
  if (findUsesInCode(session, key).length === 0)
    refuse(`No code contains '${key}': Fw finds this message by its name, or code computes the key`)
  const { edits, added } = await withTypedKeys(session, {
    base: [],
    certain: messageEdits(session, key, newName),
    keys: [{ key, newKey }],
    token,
  })
  if (added !== undefined)
    refuse(
      `${placeOfMistake(session, added)} gets the key '${key}' from other code: rename it there by hand`,
    )
  warnOfTexts(session, [{ key, newKey }], edits)
  return edits
}

/** Throws if code or Fw adds the rest of a key to the part that is renamed. */
function requireNamed(session: Session, key: string): void {
  const escaped = key.replaceAll('.', String.raw`\.`)
  const computed = new RegExp(`['"\`]${escaped}\\.(?:['"\`]|[\\w.]*\\$\\{)`)
  const named = new RegExp(
    `\\b(?:messageResourceName|resourceName)\\s*[:=]\\s*(['"])${escaped}\\1|\\bwithPrefix\\(\\s*(['"])${escaped}\\2`,
  )
  for (const path of [...session.checkedFiles(), ...jadeFiles(session)]) {
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

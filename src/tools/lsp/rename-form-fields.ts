/** Completes the rename of a column: the names of parameters, form fields and labels, which TypeScript does not link to it. */
import type { CancellationToken } from 'vscode-languageserver'
import { type FieldNames, type FieldUse, FormFields } from './form-fields.ts'
import { requireReadable, writtenKeys, yamlName, type WrittenKey } from './message-files.ts'
import { findMessageUses, messageEdits, placeOf, withLastPart } from './message-names.ts'
import { type RenamedKey, warnOfTexts, withTypedKeys } from './typed-keys.ts'
import { describeMistake, type DraftMistake, type NameEdit, placeKey } from './rename-draft.ts'
import type { CompletedRename } from './complete-rename.ts'
import type { Session } from './session.ts'

interface Names {
  readonly name: string
  readonly newName: string
}

/**
 * Returns the edits of a rename with those of form fields and labels. Leaves these out if they would cause a mistake, and reports
 * each name that it leaves, and a mistake that remains.
 */
export async function renameFormFields(
  session: Session,
  { edits, remaining }: CompletedRename,
  names: Names,
  token: CancellationToken,
): Promise<readonly NameEdit[]> {
  const fields = new FormFields(session)
  const columns = edits.flatMap(({ path, start }) =>
    fields.columnsAt(path, start).filter((one) => one.start === start && one.name === names.name),
  )
  const found = columns.map((column) => fields.namesOf(column))
  if (found.length === 0) {
    warnOfMistake(session, remaining)
    return edits
  }
  requireReadable(session, names.name)
  const { labels, uncopied } = labelsOf(session, found, names)
  const known = new Set(edits.map(placeKey))
  const added = [
    ...found.flatMap(({ uses }) =>
      uses.map((use) => ({
        path: use.path,
        start: use.start,
        end: use.end,
        newText: use.keepsOld === true ? bothNames(session, use, names) : names.newName,
      })),
    ),
    ...labels.flatMap((label) => labelEdits(session, label, names.newName, found)),
  ].filter((edit) => !known.has(placeKey(edit)))
  const distinct = [...new Map(added.map((edit) => [placeKey(edit), edit])).values()]
  const completed = await withTypedKeys(session, {
    base: edits,
    certain: [...edits, ...distinct],
    keys: labels,
    token,
  })
  // Nothing is reported before: the rename begins again if a file changes meanwhile.
  warnOfUnlinked(
    session,
    columns.flatMap((column) => fields.unlinkedOf(column)),
    names,
  )
  const ambiguous = found.flatMap((one) => one.ambiguous)
  if (completed.added !== undefined) {
    session.warn(
      `Form fields and labels are still called '${names.name}', because their rename causes a mistake: ${describeMistake(session, completed.added)}`,
    )
    warnOfMistake(session, remaining)
    return edits
  }
  for (const { key, newKey } of uncopied)
    session.warn(
      `The label '${key}' is that of other forms too, and one language writes it in several lines or in braces, so it is not copied. Add '${newKey}' to each language.`,
    )
  if (ambiguous.length > 0)
    session.warn(
      `'${names.name}' can be the field of another model too, and stays in ${ambiguous.map((path) => session.relative(path)).join(', ')}`,
    )
  warnOfTexts(
    session,
    labels.filter(({ isCopied }) => isCopied !== true),
    completed.edits,
  )
  warnOfMistake(
    session,
    remaining.filter((one) => completed.remaining.some((other) => isSame(one, other))),
  )
  return completed.edits
}

function warnOfMistake(session: Session, [first]: readonly DraftMistake[]): void {
  if (first !== undefined)
    session.warn(
      `The rename leaves a mistake, correct it by hand: ${describeMistake(session, first)}`,
    )
}

const isSame = (one: DraftMistake, other: DraftMistake): boolean =>
  one.file.path === other.file.path && one.code === other.code && one.message === other.message

/** Reports permitted parameters that code may give to the model by a variable: their rules and fields keep the name. */
function warnOfUnlinked(session: Session, unlinked: readonly FieldUse[], { name }: Names): void {
  const places = unlinked.map(({ path, start }) => placeOf(session, path, start))
  if (places.length > 0)
    session.warn(
      `The permitted parameter '${name}' can be the renamed field in ${places.join(', ')}: its rules and form fields keep the name there, so rename them by hand`,
    )
}

/** Returns the text between quotes of a type that gets both names. */
function bothNames(session: Session, { path, start }: FieldUse, { name, newName }: Names): string {
  const quote = nameIn(session, path, start - 1, start)
  return `${name}${quote} | ${quote}${newName}`
}

/** Returns the labels to rename or copy, and those that cannot be copied in each language. */
function labelsOf(
  session: Session,
  found: readonly FieldNames[],
  { newName }: Names,
): { readonly labels: readonly RenamedKey[]; readonly uncopied: readonly RenamedKey[] } {
  const written = writtenKeys(session)
  const taken = new Set(written.map(({ key }) => key))
  const labels = new Map<string, RenamedKey>()
  const uncopied = new Map<string, RenamedKey>()
  for (const { labels: own, ambiguous } of found)
    for (const { key, isShared } of own) {
      const label = {
        key,
        newKey: withLastPart(key, newName),
        isCopied: isShared || ambiguous.length > 0,
      }
      if (taken.has(label.newKey)) continue
      const places = written.filter((one) => one.key === key)
      const isUncopied =
        label.isCopied && places.some((one) => copyOf(session, one, newName) === undefined)
      ;(isUncopied ? uncopied : labels).set(key, label)
    }
  return { labels: [...labels.values()], uncopied: [...uncopied.values()] }
}

/** Returns the edit that adds a copy of a key under another name; `undefined` for a key in braces, or with several lines. */
function copyOf(
  session: Session,
  { path, start, name, nameStart, value, valueEnd, isInFlowMapping }: WrittenKey,
  newName: string,
): NameEdit | undefined {
  const lines = session.linesOf(path)!
  const line = lines.line(lines.lineOf(start))
  const indent = lines.text.slice(line.start, nameStart).replace(/['"]$/, '')
  if (value === undefined || isInFlowMapping || indent.trim() !== '') return undefined
  const lineBreak = /\r\n|\n/.exec(lines.text)?.[0] ?? '\n'
  const newText = `${lineBreak}${indent}${yamlName(name.slice(0, start - nameStart) + newName)}: ${value}`
  return { path, start: valueEnd, end: valueEnd, newText }
}

/** Returns the edits that rename a label, or that copy it if fields of other models have it too. */
function labelEdits(
  session: Session,
  { key, isCopied }: RenamedKey,
  newName: string,
  found: readonly FieldNames[],
): NameEdit[] {
  if (isCopied !== true) return messageEdits(session, key, newName)
  const copies = writtenKeys(session).flatMap((one) =>
    one.key === key ? (copyOf(session, one, newName) ?? []) : [],
  )
  const own = new Set(found.flatMap(({ uses }) => uses.map(({ path }) => path)))
  const uses = findMessageUses(session, key)
    .filter(({ path, isRead }) => isRead && own.has(path))
    .map(({ path, start, end }) => ({ path, start, end, newText: newName }))
  return [...copies, ...uses]
}

const nameIn = (session: Session, path: string, start: number, end: number): string =>
  session.linesOf(path)?.text.slice(start, end) ?? ''

/** Completes the rename of a column: the names of parameters, form fields and labels, which TypeScript does not link to it. */
import type { CancellationToken } from 'vscode-languageserver'
import { allFiles } from './complete-rename.ts'
import { type Column, type FieldNames, type FieldUse, FormFields } from './form-fields.ts'
import {
  changeDeclaredKeys,
  requireReadable,
  writtenKeys,
  yamlName,
  type WrittenKey,
} from './message-files.ts'
import {
  checkedEdits,
  findMessageUses,
  messageEdits,
  placeOf,
  renamedKey,
  withLastPart,
} from './message-names.ts'
import { type DraftMistake, type NameEdit, RenameDraft } from './rename-draft.ts'
import type { Session } from './session.ts'

interface Names {
  readonly name: string
  readonly newName: string
}

/** A label of the column, and its new key. */
interface RenamedLabel {
  readonly key: string
  readonly newKey: string
  readonly isShared: boolean
}

/**
 * Returns the edits of a rename with those of form fields and labels. Leaves these out if they would cause a mistake, and reports
 * each name that it leaves.
 */
export async function renameFormFields(
  session: Session,
  edits: readonly NameEdit[],
  names: Names,
  token: CancellationToken,
): Promise<readonly NameEdit[]> {
  const fields = new FormFields(session)
  const columns = new Map<string, Column>()
  for (const { path, start } of edits) {
    const column = fields.columnAt(path, start)
    if (column?.start === start && column.name === names.name)
      columns.set(`${path}:${start}`, column)
  }
  const found = [...columns.values()].map((column) => fields.namesOf(column))
  if (found.length === 0) return edits
  requireReadable(session, names.name)
  warnOfUnlinked(session, found, names)
  const labels = labelsOf(session, found, names)
  const known = new Set(edits.map(keyOf))
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
  ].filter((edit) => !known.has(keyOf(edit)))
  const distinct = [...new Map(added.map((edit) => [keyOf(edit), edit])).values()]
  const mistake = await firstMistake(session, edits, [...edits, ...distinct], { labels, token })
  const ambiguous = found.flatMap((one) => one.ambiguous)
  if (mistake !== undefined) {
    session.warn(
      `Form fields and labels are still called '${names.name}', because their rename causes a mistake: ${mistake.message}`,
    )
    return edits
  }
  if (ambiguous.length > 0)
    session.warn(
      `'${names.name}' can be the field of another model too, and stays in ${ambiguous.map((path) => path.slice(session.root.length + 1)).join(', ')}`,
    )
  return [...edits, ...distinct]
}

/** Reports permitted parameters that code may give to the model by a variable: their rules and fields keep the name. */
function warnOfUnlinked(session: Session, found: readonly FieldNames[], { name }: Names): void {
  const places = found.flatMap(({ unlinked }) =>
    unlinked.map(({ path, start }) => placeOf(session, path, start)),
  )
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

const keyOf = ({ path, start }: NameEdit): string => `${path}:${start}`

function labelsOf(
  session: Session,
  found: readonly FieldNames[],
  { newName }: Names,
): readonly RenamedLabel[] {
  const written = writtenKeys(session)
  const taken = new Set(written.map(({ key }) => key))
  const labels = new Map<string, RenamedLabel>()
  for (const { labels: own, ambiguous } of found)
    for (const { key, isShared } of own) {
      const label = {
        key,
        newKey: withLastPart(key, newName),
        isShared: isShared || ambiguous.length > 0,
      }
      if (taken.has(label.newKey)) continue
      const places = written.filter((one) => one.key === key)
      if (label.isShared && places.some((one) => copyOf(session, one, newName) === undefined))
        session.warn(
          `The label '${key}' is that of other forms too, and one language writes it in several lines or in braces, so it is not copied. Add '${label.newKey}' to each language.`,
        )
      else labels.set(key, label)
    }
  return [...labels.values()]
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
  { key, isShared }: RenamedLabel,
  newName: string,
  found: readonly FieldNames[],
): NameEdit[] {
  if (!isShared) return messageEdits(session, key, newName)
  const copies = writtenKeys(session).flatMap((one) =>
    one.key === key ? (copyOf(session, one, newName) ?? []) : [],
  )
  const own = new Set(found.flatMap(({ uses }) => uses.map(({ path }) => path)))
  const uses = findMessageUses(session, key)
    .filter(({ path, isRead }) => isRead && own.has(path))
    .map(({ path, start, end }) => ({ path, start, end, newText: newName }))
  return [...copies, ...uses]
}

/** Returns the first mistake that edits add to those of the edits before; `undefined` without one. */
async function firstMistake(
  session: Session,
  before: readonly NameEdit[],
  after: readonly NameEdit[],
  {
    labels,
    token,
  }: { readonly labels: readonly RenamedLabel[]; readonly token: CancellationToken },
): Promise<DraftMistake | undefined> {
  const { typescript } = session
  const names = new Set(after.map(({ path, start, end }) => nameIn(session, path, start, end)))
  const edited = new Set(after.map(({ path }) => path))
  const paths = allFiles(session).filter((path) => {
    const text = session.linesOf(path)?.text ?? ''
    return edited.has(path) || [...names].some((name) => name !== '' && text.includes(name))
  })
  return typescript?.withDraft(async (server) => {
    const draft = new RenameDraft(session, server, token)
    draft.show(checkedEdits(before))
    const known = await draft.mistakes(paths)
    const declared = changeDeclaredKeys(session, (one) => changedKeys(one, labels))
    if (declared !== undefined) server.setText(declared.path, declared.text)
    draft.show(checkedEdits(after))
    const mistakes = await draft.mistakes(paths)
    if (mistakes.length <= known.length) return undefined
    const messages = new Set(known.map(({ code, message }) => code + message))
    return mistakes.find(({ code, message }) => !messages.has(code + message)) ?? mistakes[0]
  })
}

const nameIn = (session: Session, path: string, start: number, end: number): string =>
  session.linesOf(path)?.text.slice(start, end) ?? ''

/** Returns what a key is called after the rename of labels: both names for a copied one. */
function changedKeys(one: string, labels: readonly RenamedLabel[]): readonly string[] {
  for (const { key, newKey, isShared } of labels) {
    const renamed = renamedKey(one, key, newKey)
    if (renamed !== undefined) return isShared ? [one, renamed] : [renamed]
  }
  return []
}

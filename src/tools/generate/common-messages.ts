/**
 * The messages of the section `common`, which the pages of all resources share: buttons, confirmations, search and paging. Adds
 * those that generated views use to each language's file, and removes those that no file uses any more.
 */
import { editSections, removeTexts, type Messages } from './edit-messages.ts'
import { listTextFiles } from './message-files.ts'
import { readScaffoldTexts } from './message-texts.ts'
import {
  planEdit,
  type Direction,
  type GeneratedFile,
  type PlannedProject,
  type Project,
} from './project.ts'

const section = 'common'

/** Returns the keys of the section that the code of files uses. */
const usedKeys = (texts: Iterable<string>): ReadonlySet<string> =>
  new Set(
    [...texts].flatMap((text) => [...text.matchAll(/\bcommon\.(\w+)/g)].map(([, key]) => key!)),
  )

const codeFile = /\.(?:ssp|jade|[cm]?[jt]sx?)$/

/** Iterates over the code and templates in a folder, and in its folders. */
function* readCode(
  project: Project,
  folder: string,
): Generator<readonly [path: string, text: string]> {
  for (const name of project.list(folder)) {
    const path = `${folder}/${name}`
    if (codeFile.test(name)) yield [path, project.read(path) ?? '']
    else yield* readCode(project, path)
  }
}

/** Returns the keys that the planned files use and, for a removal, that no remaining file of the application uses. */
function chooseKeys(
  project: Project,
  planned: readonly GeneratedFile[],
  direction: Direction,
): ReadonlySet<string> {
  const own = usedKeys(planned.map(({ text }) => text))
  if (direction === 'add' || own.size === 0) return own
  // A removal keeps the files that were changed.
  const removed = new Map(planned.map(({ path, text }) => [path, text]))
  const remaining = [...readCode(project, 'src')].filter(
    ([path, text]) => removed.get(path) !== text,
  )
  return own.difference(usedKeys(remaining.map(([, text]) => text)))
}

/** Plans the edits of the files of messages, for the views that are planned to be written or removed. */
export function editCommonMessages(
  project: Project,
  planned: PlannedProject,
  direction: Direction,
): readonly GeneratedFile[] {
  const keys = chooseKeys(project, planned.files, direction)
  if (keys.size === 0) return []
  return listTextFiles(planned).flatMap(({ path, textLanguage }) => {
    const texts = Object.entries(readScaffoldTexts(textLanguage).common)
    const messages: Messages = Object.fromEntries(texts.filter(([key]) => keys.has(key)))
    return planEdit(planned, path, (text) =>
      direction === 'add'
        ? editSections(text, [[section, messages]], direction)
        : removeTexts(text, section, messages),
    )
  })
}

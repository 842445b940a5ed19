/** Edits that keep names correct when files of templates or code are renamed. */
import type {
  CancellationToken,
  FileRename,
  RenameFilesParams,
  TextEdit,
  WorkspaceEdit,
} from 'vscode-languageserver'
import { templateName } from '../../runtime/view.ts'
import type { TextLines } from '../workspace.ts'
import { editsOf, ResultMapper } from './map-results.ts'
import { isIncludedAs, partialNames } from './names-in-code.ts'
import { pathOf, type Session } from './session.ts'

/** The template that a rename moves, as paths below `WEB-INF/`. */
interface MovedTemplate {
  readonly from: string
  readonly to: string
}

/** Returns the edits for files that an editor is about to rename. */
export async function renameFiles(
  session: Session,
  { files }: RenameFilesParams,
  token: CancellationToken,
): Promise<WorkspaceEdit> {
  const edits = new Map<string, TextEdit[]>()
  const add = (uri: string, list: readonly TextEdit[]): void => {
    if (list.length > 0) edits.set(uri, [...(edits.get(uri) ?? []), ...list])
  }
  const { workspace } = session
  const moved: MovedTemplate[] = []
  const others: FileRename[] = []
  for (const file of files) {
    const [from, to] = [file.oldUri, file.newUri].map((uri) => {
      const path = pathOf(uri)
      return path === undefined ? undefined : workspace.fileOf(path)
    })
    if (from !== undefined && to !== undefined) moved.push({ from, to })
    else others.push(file)
  }
  if (others.length > 0 && session.servesCode) {
    const mapper = new ResultMapper(session)
    const method = 'workspace/willRenameFiles'
    const response = await session.typescript?.request<WorkspaceEdit>(
      method,
      { files: others },
      token,
    )
    for (const [uri, list] of editsOf(response)) {
      const mapped = mapper.edits(uri, list)
      if (mapped !== undefined) add(mapped.uri, mapped.edits)
    }
  }
  if (moved.length > 0) {
    for (const { file, text } of workspace.states.values())
      add(
        session.uriOf(workspace.pathOf(file)),
        editsInTemplate(file, text, moved, workspace.states),
      )
    for (const path of session.codeFiles()) {
      const lines = session.linesOf(path)
      if (lines !== undefined) add(session.uriOf(path), editsInCode(lines, moved))
    }
  }
  return { changes: Object.fromEntries(edits) }
}

const include = /<%@include\s+(['"])([^'"\r\n]+)\1/g
const views = /\b(?:render\w*|stream)\(\s*(['"])([^'"\r\n]+)\1/g
const layouts =
  /(?:\bset\(\s*(?:'layout'|"layout")\s*,\s*|\bview\s*\.\s*layout\(\s*)(['"])([^'"\r\n]+)\1/g

/** Returns edits of the texts in quotes that a pattern finds; `change` returns the new text, or `undefined`. */
function changeQuoted(
  lines: TextLines,
  pattern: RegExp,
  change: (name: string) => string | undefined,
): TextEdit[] {
  return [...lines.text.matchAll(pattern)].flatMap(({ index, 0: all, 2: name }) => {
    const newText = change(name!)
    if (newText === undefined || newText === name) return []
    const end = index + all.length - 1
    return [{ range: lines.range(end - name!.length, end), newText }]
  })
}

function editsInTemplate(
  file: string,
  lines: TextLines,
  moved: readonly MovedTemplate[],
  states: ReadonlyMap<string, unknown>,
): TextEdit[] {
  const newFile = moved.find(({ from }) => from === file)?.to ?? file
  const changeInclude = (name: string): string | undefined => {
    const included = [...states.keys()].find((one) => isIncludedAs(file, one, name))
    if (included === undefined) return undefined
    const target = moved.find(({ from }) => from === included)?.to ?? included
    if (target === included && newFile === file) return undefined
    const names = partialNames(newFile, target)
    return name.startsWith('/') ? names.at(-1) : names[0]
  }
  return [...changeQuoted(lines, include, changeInclude), ...editsOfLayouts(lines, moved)]
}

function editsInCode(lines: TextLines, moved: readonly MovedTemplate[]): TextEdit[] {
  const changeView = (name: string): string | undefined => {
    const one = moved.find(({ from }) => {
      const found = templateName(from)
      return found?.name === name && found.kind !== 'layout' && !found.isMail
    })
    return one === undefined ? undefined : templateName(one.to)?.name
  }
  return [...changeQuoted(lines, views, changeView), ...editsOfLayouts(lines, moved)]
}

function editsOfLayouts(lines: TextLines, moved: readonly MovedTemplate[]): TextEdit[] {
  return changeQuoted(lines, layouts, (name) => {
    const one = moved.find(({ from }) => from === `layouts/${name}.ssp`)
    return one === undefined ? undefined : templateName(one.to)?.name
  })
}

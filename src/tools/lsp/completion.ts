/** Completions: code by TypeScript, names of templates, HTML and CSS. */
import {
  type CancellationToken,
  type CompletionItem,
  CompletionItemKind,
  type CompletionList,
  type CompletionParams,
  type InsertReplaceEdit,
  InsertTextFormat,
  type TextEdit,
} from 'vscode-languageserver'
import { isJade, templateName } from '../../runtime/view.ts'
import type { Twin } from '../workspace.ts'
import { cssDocument, editorRange, embeddedServices, htmlDocument } from './embedded-html.ts'
import { importDeclaration } from './import-declaration.ts'
import { nameAt, partialNames, type QuotedName, relativeNames } from './names-in-code.ts'
import { pathOf, type Session, type TemplatePlace } from './session.ts'

type Response = CompletionList | CompletionItem[] | null

/** The directives, with the snippet that each inserts. */
const directives: readonly (readonly [name: string, snippet: string, meaning: string])[] = [
  ['if', 'if (${1:condition})\n$0\n#end', 'a condition'],
  ['elseif', 'elseif (${1:condition})', 'another condition of #if'],
  ['else', 'else', 'the other case of #if'],
  ['for', 'for (${1:item} of ${2:list})\n$0\n#end', 'a loop'],
  ['match', 'match (${1:value})\n#case (${2:value})\n$0\n#end', 'a selection by value'],
  ['case', 'case (${1:value})', 'a value of #match'],
  ['otherwise', 'otherwise', 'all other values of #match'],
  ['set', 'set (${1:name})\n$0\n#end', 'a block for the layout'],
  ['do', 'do (${1:call()})\n$0\n#end', 'a call that gets the block'],
  ['end', 'end', 'the end of a block'],
]

const declarations: readonly (readonly [name: string, snippet: string, meaning: string])[] = [
  ['val', 'val ${1:name}: ${2:string}', 'a value of the template'],
  ['import', "import type { ${1:Name} } from '${2:#model/name}'", 'an import'],
  ['include', "include '${1:_partial}'", 'a partial'],
]

/** Returns the completions at a place. */
export async function complete(
  session: Session,
  params: CompletionParams,
  token: CancellationToken,
): Promise<CompletionItem[] | CompletionList | null> {
  const { textDocument, position, context } = params
  const place = session.templateAt(textDocument, position)
  if (place === undefined) {
    const path = pathOf(textDocument.uri)
    if (path === undefined || !session.servesCode) return null
    const method = 'textDocument/completion'
    return (await session.askAt<Response>(method, path, position, token, { context })) ?? null
  }
  if (isJade(place.state.file)) return null
  const names = completeNames(session, place)
  if (names !== undefined) return names
  const { twin, offset } = place
  const code = twin?.toCode(offset)
  if (twin !== undefined && code !== undefined)
    return completeCode(session, twin, code, params, token)
  return completeText(place)
}

/** Completes what is after `#` and `<%@`, and the names of partials and layouts. */
function completeNames(session: Session, place: TemplatePlace): CompletionItem[] | undefined {
  const { state, offset } = place
  const lines = state.text
  const before = lines.text.slice(lines.line(lines.lineOf(offset)).start, offset)
  const directive = /(?:^|[\s>])#([a-z]*)$/.exec(before)
  if (directive !== null) return snippets(directives, place, directive[1]!, '')
  const declaration = /<%@([a-z]*)$/.exec(before)
  if (declaration !== null) {
    const isClosed = /^[ \t]*%>/.test(lines.text.slice(offset))
    return snippets(declarations, place, declaration[1]!, isClosed ? '' : ' %>')
  }
  const name = nameAt(lines, offset)
  if (name?.kind === 'partial')
    return names(place, name, findPartials(session, state.file, name.name))
  if (name?.kind === 'layout') return names(place, name, findLayouts(session))
  return undefined
}

function snippets(
  list: typeof directives,
  { state, offset }: TemplatePlace,
  typed: string,
  end: string,
): CompletionItem[] {
  const range = state.text.range(offset - typed.length, offset)
  return list.map(([label, snippet, detail]) => ({
    label,
    detail,
    kind: CompletionItemKind.Keyword,
    insertTextFormat: InsertTextFormat.Snippet,
    textEdit: { range, newText: snippet + end },
  }))
}

const names = (
  { state }: TemplatePlace,
  { start, end }: QuotedName,
  list: readonly string[],
): CompletionItem[] =>
  [...new Set(list)].map((label) => ({
    label,
    kind: CompletionItemKind.File,
    textEdit: { range: state.text.range(start, end), newText: label },
  }))

/** Returns the paths of the partials that a template can include; a path that begins with `/` or `..` continues so. */
const findPartials = ({ workspace }: Session, file: string, begun: string): readonly string[] =>
  [...workspace.states.keys()]
    .filter((one) => one !== file)
    .flatMap((one) => {
      const names = partialNames(file, one)
      if (begun.startsWith('/')) return names.slice(-1)
      return (begun.startsWith('.') ? relativeNames(file, one) : names).slice(0, 1)
    })

const findLayouts = ({ workspace }: Session): readonly string[] =>
  [...workspace.states.keys()].flatMap((one) => {
    const found = templateName(one)
    return found?.kind === 'layout' && !found.isMail ? [found.name] : []
  })

async function completeCode(
  session: Session,
  twin: Twin,
  code: number,
  { context }: CompletionParams,
  token: CancellationToken,
): Promise<CompletionList> {
  const method = 'textDocument/completion'
  const response = await session.askInTwin<Response>(method, twin, code, token, { context })
  const list = Array.isArray(response) ? { items: response, isIncomplete: false } : response
  const items = (list?.items ?? []).flatMap((item) => mapItem(item, twin) ?? [])
  const { itemDefaults, isIncomplete = false } = list ?? {}
  const range = itemDefaults?.editRange
  if (range === undefined) return { items, isIncomplete, ...(itemDefaults && { itemDefaults }) }
  const mapped =
    'insert' in range
      ? { insert: twin.nearestRange(range.insert), replace: twin.nearestRange(range.replace) }
      : twin.nearestRange(range)
  return { items, isIncomplete, itemDefaults: { ...itemDefaults, editRange: mapped } }
}

/** Returns a completion for the template; `undefined` for one that cannot be applied or is a name of the generated code. */
function mapItem(item: CompletionItem, twin: Twin): CompletionItem | undefined {
  if (item.label.startsWith('__')) return undefined
  const edit = item.textEdit
  const mapped = edit === undefined ? undefined : mapEdit(edit, twin)
  if (edit !== undefined && mapped === undefined) return undefined
  return {
    ...item,
    ...(mapped !== undefined && { textEdit: mapped }),
    ...(item.additionalTextEdits && {
      additionalTextEdits: importEdits(item.additionalTextEdits, twin),
    }),
  }
}

function mapEdit(
  edit: TextEdit | InsertReplaceEdit,
  twin: Twin,
): TextEdit | InsertReplaceEdit | undefined {
  if ('range' in edit) {
    const range = twin.copiedRange(edit.range)
    return range === undefined ? undefined : { ...edit, range }
  }
  const [insert, replace] = [twin.copiedRange(edit.insert), twin.copiedRange(edit.replace)]
  return insert === undefined || replace === undefined ? undefined : { ...edit, insert, replace }
}

/** Converts edits of a module, which add imports, to a declaration of the template. */
const importEdits = (edits: readonly TextEdit[], twin: Twin): TextEdit[] =>
  edits.flatMap(({ newText }) => importDeclaration(newText, twin.template) ?? [])

/** Adds the documentation and the imports of a completion. */
export async function resolveCompletion(
  session: Session,
  item: CompletionItem,
  token: CancellationToken,
): Promise<CompletionItem> {
  const { fileName } = (item.data ?? {}) as { readonly fileName?: unknown }
  if (typeof fileName !== 'string') return item
  const file = session.workspace.templateOfModule(fileName)
  const twin = file === undefined ? undefined : session.workspace.states.get(file)?.twin
  const { textEdit, ...request } = item
  const resolved = await session.typescript?.request<CompletionItem>(
    'completionItem/resolve',
    request,
    token,
  )
  if (resolved === undefined) return item
  const { additionalTextEdits, ...rest } = resolved
  const edits =
    twin === undefined || additionalTextEdits === undefined
      ? additionalTextEdits
      : importEdits(additionalTextEdits, twin)
  return { ...rest, ...(textEdit && { textEdit }), ...(edits && { additionalTextEdits: edits }) }
}

/** Completes HTML and CSS. */
async function completeText({ state, offset }: TemplatePlace): Promise<CompletionList | null> {
  if (templateName(state.file)?.format !== 'html') return null
  const services = await embeddedServices()
  const document = htmlDocument(services, state.text)
  const position = document.positionAt(offset)
  const { html, css } = services
  const styles = cssDocument(services, document, offset)
  const list =
    styles === undefined
      ? html.doComplete(document, position, html.parseHTMLDocument(document))
      : css.doComplete(styles, position, css.parseStylesheet(styles))
  const items = list.items.map((item) => {
    const edit = item.textEdit
    if (edit === undefined || !('range' in edit)) return item
    return { ...item, textEdit: { ...edit, range: editorRange(document, state.text, edit.range) } }
  })
  return { isIncomplete: list.isIncomplete, items }
}

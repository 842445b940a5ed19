/**
 * The code actions of an editor: corrections of mistakes, declarations of unknown values, imports, and new messages, views and partials.
 */
import {
  type CancellationToken,
  type CodeAction,
  CodeActionKind,
  type CodeActionParams,
  type Diagnostic,
  type TextEdit,
  type WorkspaceEdit,
} from 'vscode-languageserver'
import { pathToFileURL } from 'node:url'
import type { TemplateState } from '../workspace.ts'
import { importDeclaration } from './import-declaration.ts'
import { addMessage } from './add-message.ts'
import { editsOf, ResultMapper } from './map-results.ts'
import { nameAt } from './names-in-code.ts'
import { pathOf, type Session } from './session.ts'
import type { CorrectionData } from './template-diagnostics.ts'

/** Returns the corrections of the mistakes in a range. */
export async function codeActions(
  session: Session,
  params: CodeActionParams,
  token: CancellationToken,
): Promise<CodeAction[]> {
  const { textDocument, context } = params
  const { only } = context
  const state = session.templateOf(textDocument)
  const wantsFixes =
    only === undefined || only.some((kind) => CodeActionKind.QuickFix.startsWith(kind))
  const own = wantsFixes ? context.diagnostics.flatMap((one) => fixes(session, params, one)) : []
  const typescript =
    state === undefined
      ? await fixesOfCode(session, params, token)
      : wantsFixes
        ? await importsOf(session, state, context.diagnostics, token)
        : []
  return [...own, ...typescript]
}

const quickFix = (
  title: string,
  diagnostic: Diagnostic,
  edit: WorkspaceEdit,
  isPreferred = false,
): CodeAction => ({
  title,
  kind: CodeActionKind.QuickFix,
  diagnostics: [diagnostic],
  edit,
  ...(isPreferred && { isPreferred }),
})

function fixes(session: Session, params: CodeActionParams, found: Diagnostic): CodeAction[] {
  const { uri } = params.textDocument
  const state = session.templateOf(params.textDocument)
  const correction = found.data as CorrectionData | undefined
  if (state !== undefined && Array.isArray(correction?.edits))
    return [quickFix('Correct this', found, { changes: { [uri]: [...correction.edits] } }, true)]
  const message = typeof found.message === 'string' ? found.message : found.message.value
  const [, value] = /^Cannot find name '([A-Za-z_$][\w$]*)'/.exec(message) ?? []
  if (state !== undefined && found.code === 'TS2304' && value !== undefined) {
    const edit = declareValue(state, value)
    return [quickFix(`Declare the value ${value}`, found, { changes: { [uri]: [edit] } })]
  }
  const [, key] = /^There is no message '([^']+)'/.exec(message) ?? []
  if (key !== undefined) {
    const changes = addMessage(session, key)
    return changes === undefined
      ? []
      : [quickFix(`Add the message ${key} in every language`, found, { changes })]
  }
  if (message.startsWith("There is no view '") || message.startsWith('there is no partial '))
    return createTemplate(session, params, found)
  return []
}

/** Returns the edit that declares a value after the other declarations. */
function declareValue({ text }: TemplateState, name: string): TextEdit {
  const declarations = [
    ...text.text.matchAll(/<%@(?:val|import)\b(?:(?!<%)[^])*?%>[ \t]*(?:\r?\n)?/g),
  ]
  const last = declarations.at(-1)
  const at =
    last === undefined ? (text.text.startsWith('\ufeff') ? 1 : 0) : last.index + last[0].length
  const lineBreak = /\r\n|\n/.exec(text.text)?.[0] ?? '\n'
  const isNewLine = at === 0 || /[\n\ufeff]/.test(text.text[at - 1]!)
  return {
    range: text.range(at, at),
    newText: `${isNewLine ? '' : lineBreak}<%@val ${name}: string %>${lineBreak}`,
  }
}

/** Returns the action that creates the view or partial whose name is at a mistake. */
function createTemplate(
  session: Session,
  { textDocument }: CodeActionParams,
  found: Diagnostic,
): CodeAction[] {
  const state = session.templateOf(textDocument)
  const path = pathOf(textDocument.uri)
  const lines = state?.text ?? (path === undefined ? undefined : session.linesOf(path))
  if (lines === undefined) return []
  const start = lines.offset(found.range.start)
  const name = nameAt(lines, start) ?? nameAt(lines, start + 1)
  const file =
    name?.kind === 'view' && /^\/[\w./-]+$/.test(name.name)
      ? `views${name.name.replace(/\.(json|xml|txt)$/, '')}.${/\.(json|xml|txt)$/.exec(name.name)?.[1] ?? 'html'}.ssp`
      : /WEB-INF\/([\w./-]+\.ssp)/.exec(String(found.message))?.[1]
  if (file === undefined || file.includes('..')) return []
  const uri = pathToFileURL(session.workspace.pathOf(file)).href
  const start0 = { line: 0, character: 0 }
  const newText = file.endsWith('.html.ssp') && !/\/_[^/]*$/.test(file) ? '<h1></h1>\n' : '\n'
  const edit: WorkspaceEdit = {
    documentChanges: [
      { kind: 'create', uri, options: { ignoreIfExists: true } },
      {
        textDocument: { uri, version: null },
        edits: [{ range: { start: start0, end: start0 }, newText }],
      },
    ],
  }
  return [quickFix(`Create WEB-INF/${file}`, found, edit)]
}

/** Returns the imports that TypeScript suggests for unknown names, as declarations of the template. */
async function importsOf(
  session: Session,
  { file, twin, text }: TemplateState,
  diagnostics: readonly Diagnostic[],
  token: CancellationToken,
): Promise<CodeAction[]> {
  if (twin === undefined) return []
  const found: CodeAction[] = []
  for (const diagnostic of diagnostics.slice(0, 20)) {
    const [, number] = /^TS(\d+)$/.exec(String(diagnostic.code)) ?? []
    const code = twin.toCode(text.offset(diagnostic.range.start))
    if (number === undefined || code === undefined) continue
    const length = text.offset(diagnostic.range.end) - text.offset(diagnostic.range.start)
    const range = twin.code.range(code, code + length)
    const context = {
      diagnostics: [{ ...diagnostic, range, code: Number(number), source: 'ts' }],
      only: [CodeActionKind.QuickFix],
    }
    const textDocument = { uri: pathToFileURL(session.workspace.modulePath(file)).href }
    const method = 'textDocument/codeAction'
    const actions = await session.typescript?.request<CodeAction[]>(
      method,
      { textDocument, range, context },
      token,
    )
    for (const { title, edit } of actions ?? []) {
      const edits = editsOf(edit).flatMap(([, list]) => list)
      const imports = edits.flatMap(({ newText }) => importDeclaration(newText, text) ?? [])
      if (imports.length !== edits.length || imports.length === 0) continue
      const changes = { [session.uriOf(session.workspace.pathOf(file))]: imports }
      found.push(quickFix(title, diagnostic, { changes }))
    }
  }
  return found
}

async function fixesOfCode(
  session: Session,
  params: CodeActionParams,
  token: CancellationToken,
): Promise<CodeAction[]> {
  if (!session.servesCode) return []
  const mapper = new ResultMapper(session)
  // Other servers of the editor have diagnostics of the same place with codes that TypeScript does not know.
  const diagnostics = params.context.diagnostics.flatMap((one) => {
    const [, number] = /^(?:TS)?(\d+)$/.exec(String(one.code)) ?? []
    return number === undefined ? [] : { ...one, code: Number(number), source: 'ts' }
  })
  const context = { ...params.context, diagnostics }
  const method = 'textDocument/codeAction'
  const actions = await session.typescript?.request<CodeAction[]>(
    method,
    { ...params, context },
    token,
  )
  return (actions ?? []).map((action) => {
    if (action.edit === undefined) return action
    const changes: Record<string, TextEdit[]> = {}
    for (const [uri, list] of editsOf(action.edit)) {
      const mapped = mapper.edits(uri, list)
      if (mapped !== undefined) changes[mapped.uri] = mapped.edits
    }
    return { ...action, edit: { changes } }
  })
}

/** Formats documents: templates by `fw format`, code by TypeScript. */
import type { CancellationToken, DocumentFormattingParams, TextEdit } from 'vscode-languageserver'
import { resultOrError } from '../../templates/compile.ts'
import { isJade } from '../../runtime/view.ts'
import { formatTemplate } from '../../templates/format.ts'
import { TemplateError } from '../../templates/read.ts'
import { pathOf, type Session } from './session.ts'

/** Returns the edits that format a document; none for a template with a mistake. */
export async function formatDocument(
  session: Session,
  params: DocumentFormattingParams,
  token: CancellationToken,
): Promise<TextEdit[] | null> {
  const state = session.templateOf(params.textDocument)
  if (state === undefined) {
    if (!session.servesCode || pathOf(params.textDocument.uri) === undefined) return null
    const method = 'textDocument/formatting'
    return (await session.typescript?.request<TextEdit[]>(method, params, token)) ?? null
  }
  if (isJade(state.file)) return []
  const { text } = state.text
  const formatted = resultOrError(() => formatTemplate(state.file, text))
  if (formatted instanceof TemplateError || formatted === text) return []
  let start = 0
  while (text[start] === formatted[start]) start++
  let end = 0
  const shorter = Math.min(text.length, formatted.length) - start
  while (end < shorter && text.at(-1 - end) === formatted.at(-1 - end)) end++
  const range = state.text.range(start, text.length - end)
  return [{ range, newText: formatted.slice(start, formatted.length - end) }]
}

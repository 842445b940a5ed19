/** The kinds of the names in a template's code, for highlighting. */
import type { CancellationToken, SemanticTokens } from 'vscode-languageserver'
import { pathToFileURL } from 'node:url'
import type { TemplateState } from '../workspace.ts'
import type { Session } from './session.ts'

/** One token: line, character, length, type and modifiers; all but the last two relative to the token before. */
const width = 5

/** Returns TypeScript's tokens in the code that is copied from the template. */
export async function semanticTokens(
  session: Session,
  { file, twin }: TemplateState,
  token: CancellationToken,
): Promise<SemanticTokens> {
  const textDocument = { uri: pathToFileURL(session.workspace.modulePath(file)).href }
  const method = 'textDocument/semanticTokens/full'
  const response = await session.typescript?.request<SemanticTokens>(
    method,
    { textDocument },
    token,
  )
  if (twin === undefined || response === undefined) return { data: [] }
  const found: { line: number; character: number; rest: readonly [number, number, number] }[] = []
  let [line, character] = [0, 0]
  for (let at = 0; at + width <= response.data.length; at += width) {
    const [lines, characters, length, type, modifiers] = response.data.slice(at, at + width)
    line += lines!
    character = lines === 0 ? character + characters! : characters!
    const end = { line, character: character + length! }
    const range = twin.copiedRange({ start: { line, character }, end })
    if (range !== undefined && range.start.line === range.end.line) {
      const rest = [range.end.character - range.start.character, type!, modifiers!] as const
      found.push({ ...range.start, rest })
    }
  }
  found.sort((a, b) => a.line - b.line || a.character - b.character)
  return { data: encode(found) }
}

function encode(
  tokens: readonly { line: number; character: number; rest: readonly number[] }[],
): number[] {
  const data: number[] = []
  let [line, character] = [0, -1]
  for (const one of tokens) {
    // A name that two parts of the module contain is one token.
    if (one.line === line && one.character === character) continue
    const lines = one.line - line
    data.push(lines, lines === 0 ? one.character - Math.max(character, 0) : one.character)
    data.push(...one.rest)
    ;[line, character] = [one.line, one.character]
  }
  return data
}

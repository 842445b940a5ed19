/** The symbols and the foldable parts of a template. */
import {
  type DocumentSymbol,
  type FoldingRange,
  FoldingRangeKind,
  SymbolKind,
} from 'vscode-languageserver'
import { isJade, templateName } from '../../runtime/view.ts'
import { resultOrError } from '../../templates/compile.ts'
import {
  parseTemplate,
  TemplateError,
  type TemplateNode,
  TemplateSource,
} from '../../templates/read.ts'
import type { TemplateState, TextLines } from '../workspace.ts'
import { editorRange, embeddedServices, htmlDocument } from './embedded-html.ts'

/** Returns the nodes of a template; those before its mistake if it has one. */
function parseNodes({ file, text }: TemplateState): readonly TemplateNode[] {
  const parse = (part: string) => resultOrError(() => parseTemplate(new TemplateSource(file, part)))
  const nodes = parse(text.text)
  if (!(nodes instanceof TemplateError)) return nodes
  const before = parse(text.text.slice(0, text.line(nodes.line - 1).start))
  return before instanceof TemplateError ? [] : before
}

/** Returns the values, partials and blocks of a template, and then its HTML elements. */
export async function documentSymbols(state: TemplateState): Promise<DocumentSymbol[]> {
  const { text: lines, file } = state
  if (isJade(file)) return []
  const own = parseNodes(state).flatMap((node) => symbolOf(node, lines) ?? [])
  if (templateName(file)?.format !== 'html') return own
  const services = await embeddedServices()
  const document = htmlDocument(services, lines)
  const { html } = services
  const mapSymbol = (one: DocumentSymbol): DocumentSymbol => ({
    ...one,
    range: editorRange(document, lines, one.range),
    selectionRange: editorRange(document, lines, one.selectionRange),
    ...(one.children && { children: one.children.map(mapSymbol) }),
  })
  const elements = html.findDocumentSymbols2(document, html.parseHTMLDocument(document))
  return [...own, ...elements.map(mapSymbol)]
}

function symbolOf(node: TemplateNode, lines: TextLines): DocumentSymbol | undefined {
  const symbol = (name: string, kind: SymbolKind, from: number, to: number, detail?: string) => ({
    name,
    kind,
    ...(detail !== undefined && { detail }),
    range: lines.range(node.pos, node.end),
    selectionRange: lines.range(from, to),
  })
  if (node.kind === 'value') {
    const { name, namePos, type } = node
    return symbol(name, SymbolKind.Variable, namePos, namePos + name.length, type)
  }
  if (node.kind === 'include') {
    const { path, pathPos } = node
    return symbol(path, SymbolKind.Module, pathPos, pathPos + path.length + 2)
  }
  if (node.kind === 'directive' && node.name === 'set' && node.code !== undefined) {
    const { start, end } = node.code
    return symbol(`#set ${lines.text.slice(start, end).trim()}`, SymbolKind.Field, start, end)
  }
  return undefined
}

const openers: ReadonlySet<string> = new Set(['if', 'for', 'match', 'set', 'do'])
const inner: ReadonlySet<string> = new Set(['elseif', 'else', 'case', 'otherwise'])

/** Returns the parts that an editor can fold: blocks, comments, and HTML elements. */
export async function foldingRanges(state: TemplateState): Promise<FoldingRange[]> {
  const { text: lines, file } = state
  if (isJade(file)) return []
  const found: FoldingRange[] = []
  const open: number[] = []
  const fold = (start: number, endLine: number, kind?: FoldingRangeKind): void => {
    const startLine = lines.lineOf(start)
    if (endLine > startLine) found.push({ startLine, endLine, ...(kind && { kind }) })
  }
  for (const node of parseNodes(state)) {
    if (node.kind === 'comment') fold(node.pos, lines.lineOf(node.end), FoldingRangeKind.Comment)
    if (node.kind !== 'directive') continue
    if (openers.has(node.name)) open.push(node.pos)
    else {
      // The line of the end stays visible.
      const start = open.pop()
      if (start !== undefined) fold(start, lines.lineOf(node.pos) - 1)
      if (inner.has(node.name)) open.push(node.pos)
    }
  }
  if (templateName(file)?.format !== 'html') return found
  const services = await embeddedServices()
  const elements = services.html.getFoldingRanges(htmlDocument(services, lines))
  const starts = new Set(found.map(({ startLine }) => startLine))
  return [
    ...found,
    ...elements
      .filter(({ startLine }) => !starts.has(startLine))
      .map(({ startLine, endLine }) => ({ startLine, endLine })),
  ]
}

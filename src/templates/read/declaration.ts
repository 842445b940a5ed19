/** Parses the declarations `<%@val …%>`, `<%@import …%>` and `<%@include …%>`. */
import { posix } from 'node:path'
import type { TemplateName } from '../../runtime/view.ts'
import type {
  Code,
  CommentNode,
  ImportNode,
  IncludeNode,
  TemplateNode,
  ValueNode,
} from './nodes.ts'
import { scanCode } from './code-scanner.ts'
import type { TemplateSource } from './template-source.ts'

const keyword = /\s*(val|import|include)\b\s*/y
const valueName = /([A-Za-z_$][\w$]*)\s*:\s*/y
/** Matches the type of the view helper `s` in a declaration such as `<%@val s: fw.Fw %>`. */
const helperType = /^(?:fw\.)?Fw$/
const includePath = /(["'])([^"'\n]+)\1\s*/y

export function parseDeclaration(source: TemplateSource, at: number): TemplateNode {
  const code = scanCode(source, at + 3, '%>', at)
  const odd = code.open[0] ?? code.close[0]
  if (odd) throw source.error(odd.pos, `the '${odd.char}' of this declaration has no counterpart`)
  const found = source.match(keyword, code.start)
  if (found === null) {
    const name = source.text.slice(code.start, code.end).trim().split(/\s/)[0]!
    throw source.error(at + 3, `'<%@${name}' is no declaration: there are val, import and include`)
  }
  const from = keyword.lastIndex
  if (found[1] === 'val') return value(source, at, from, code)
  if (found[1] === 'import') return importNode(source, at, from, code)
  return include(source, at, from, code)
}

function value(
  source: TemplateSource,
  pos: number,
  from: number,
  code: Code,
): ValueNode | CommentNode {
  const found = source.match(valueName, from)
  if (found === null) throw source.error(from, 'expected a name and a type: <%@val name: Type %>')
  const typePos = valueName.lastIndex
  const whole = source.text.slice(typePos, code.codeEnd)
  const equals = defaultSign(whole)
  const type = (equals < 0 ? whole : whole.slice(0, equals)).trimEnd()
  if (type === '' || typePos > code.end)
    throw source.error(
      Math.min(typePos, code.end),
      `the type of '${found[1]}' is missing: <%@val ${found[1]}: Type %>`,
    )
  const span = { pos, end: code.next }
  const node = { kind: 'value', ...span, name: found[1]!, namePos: from, type, typePos } as const
  // The view helper is an argument of every template, so its declaration needs no code.
  if (node.name === 's' && helperType.test(type) && equals < 0) return { kind: 'comment', ...span }
  if (equals < 0) return { ...node, fallback: undefined }
  const text = whole.slice(equals + 1)
  const lead = text.length - text.trimStart().length
  if (text.trim() === '')
    throw source.error(typePos + equals, `the default of '${found[1]}' is missing after '='`)
  return {
    ...node,
    fallback: { text: text.trim(), pos: typePos + equals + 1 + lead, names: code.names },
  }
}

/**
 * Returns the position of the first `=` outside brackets and quotes; -1 if there is none. Skips operators that contain
 * `=`, such as `=>`.
 */
function defaultSign(text: string): number {
  let depth = 0
  for (let at = 0; at < text.length; at++) {
    const char = text[at]!
    if ('([{<'.includes(char)) depth++
    else if (')]}'.includes(char) || (char === '>' && text[at - 1] !== '=')) depth--
    else if (char === '"' || char === "'" || char === '`') {
      const end = text.indexOf(char, at + 1)
      if (end < 0) return -1
      at = end
    } else if (char === '=' && text[at + 1] === '>') at++
    else if (char === '=' && depth === 0) return at
  }
  return -1
}

function importNode(source: TemplateSource, pos: number, from: number, code: Code): ImportNode {
  const text = source.text.slice(from, code.codeEnd).trimEnd().replace(/;$/, '')
  if (!/^(type\s+)?[\w$*{]/.test(text) || !/(['"])[^'"]+\1$/.test(text)) {
    throw source.error(from, "expected <%@import type { Name } from 'module' %>")
  }
  return { kind: 'import', pos, end: code.next, text, textPos: from }
}

function include(source: TemplateSource, pos: number, from: number, code: Code): IncludeNode {
  const found = source.match(includePath, from)
  if (found === null)
    throw source.error(from, "expected a quoted path: <%@include '_form' { values } %>")
  const start = includePath.lastIndex
  const text = source.text.slice(start, code.codeEnd).trimEnd()
  const node = { kind: 'include', pos, end: code.next, path: found[2]!, pathPos: from } as const
  if (text === '') return { ...node, values: undefined }
  if (!text.startsWith('{') || !text.endsWith('}')) {
    throw source.error(
      start,
      "expected the partial's values in braces: <%@include '_form' { name: value } %>",
    )
  }
  return { ...node, values: { start, end: start + text.length, names: code.names } }
}

/**
 * Returns the file of an included partial. A path with a leading slash is relative to `views/`, or to `mail/` in a mail; any
 * other path is relative to the folder of the including template.
 */
export function includedFile(
  source: TemplateSource,
  node: IncludeNode,
  name: TemplateName,
): string {
  const absolute = node.path.startsWith('/')
  const path = absolute
    ? posix.join(name.isMail ? 'mail' : 'views', node.path)
    : posix.join(posix.dirname(source.file), node.path)
  const root = path.split('/')[0]
  const isAllowed = name.isMail ? root === 'mail' : root === 'views' || root === 'layouts'
  if (!isAllowed) {
    const folders = name.isMail ? 'WEB-INF/mail' : 'WEB-INF/views and WEB-INF/layouts'
    throw source.error(node.pathPos, `the partial '${node.path}' lies outside ${folders}`)
  }
  if (path.endsWith(`.${name.format}.ssp`) || (root === 'layouts' && path.endsWith('.ssp')))
    return path
  if (path.endsWith('.ssp')) {
    throw source.error(
      node.pathPos,
      `a ${name.format} template cannot include '${node.path}', for it is escaped for another format`,
    )
  }
  return root === 'layouts' ? `${path}.ssp` : `${path}.${name.format}.ssp`
}

/** Returns the identifiers in the code of a template. */
export const scanNames = (nodes: readonly TemplateNode[]): ReadonlySet<string> =>
  new Set(nodes.flatMap((node) => [...namesOf(node)]))

function namesOf(node: TemplateNode): Iterable<string> {
  switch (node.kind) {
    case 'output':
    case 'code':
      return node.code.names
    case 'directive':
      return node.code?.names ?? []
    case 'include':
      return node.values?.names ?? []
    case 'value':
      return [...node.type.matchAll(/[\w$]+/g)]
        .map(([name]) => name)
        .concat([...(node.fallback?.names ?? [])])
    default:
      return []
  }
}

/** Returns the names that a template imports with `<%@import …%>`. */
export function importedNames(nodes: readonly TemplateNode[]): ReadonlySet<string> {
  const names = new Set<string>()
  for (const node of nodes) {
    if (node.kind !== 'import') continue
    const clause = node.text.replace(/\bfrom\s*(['"]).*$/s, '')
    for (const [, original, as] of clause.matchAll(/([\w$]+)(?:\s+as\s+([\w$]+))?/g))
      names.add(as ?? original!)
  }
  return names
}

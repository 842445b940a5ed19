/** Formats the tags, expressions and directives of a template. Text stays as it is, because white space is content. */
import {
  blanksStart,
  type Code,
  type DirectiveNode,
  type IncludeNode,
  parseTemplate,
  TemplateSource,
  type TemplateNode,
  trimControlLines,
  type ValueNode,
} from '../read.ts'

/**
 * Returns the text of a template with one space inside `<% … %>`, none inside `${…}`, one before the parenthesis of a directive,
 * and with `#else` and `#end` indented like the directive that they belong to. Code of several lines stays as it is. The formatted
 * template prints the same text, and formatting it again changes nothing.
 * @throws TemplateError for a mistake in a tag, an expression or a directive
 */
export function formatTemplate(file: string, text: string): string {
  const mark = text.startsWith('\ufeff') ? '\ufeff' : ''
  const source = new TemplateSource(file, text.slice(mark.length))
  const nodes = parseTemplate(source)
  const formatted = formatLines(source, nodes)
  // Return the text unchanged if the formatted template would print something else.
  return printed(file, formatted) === printed(file, source.text) ? mark + formatted : text
}

function formatLines(source: TemplateSource, nodes: readonly TemplateNode[]): string {
  const control = new ControlIndents(source.text)
  const indents = nodes.map((node) => control.of(node))
  return nodes
    .map((node, at) =>
      node.kind === 'text'
        ? formatText(source.text, node, indents[at + 1])
        : formatNode(source, node),
    )
    .join('')
}

/** The indentation of the directives that stand alone in their lines. */
class ControlIndents {
  readonly #text: string
  readonly #open: (string | undefined)[] = []

  constructor(text: string) {
    this.#text = text
  }

  /** Returns the indentation of a directive, or `undefined` if that of the text stays. Call it for each node in order. */
  of(node: TemplateNode): string | undefined {
    if (node.kind !== 'directive') return undefined
    const own = this.#ownIndent(node)
    if (['if', 'for', 'match', 'set', 'do'].includes(node.name)) {
      this.#open.push(own)
      return undefined
    }
    const opener = node.name === 'end' ? this.#open.pop() : this.#open.at(-1)
    // The values of #match may be indented.
    if (node.name === 'case' || node.name === 'otherwise') return undefined
    return own === undefined ? undefined : opener
  }

  /** Returns the blanks before a directive that stands alone in its line; `undefined` for other directives. */
  #ownIndent({ pos, end }: DirectiveNode): string | undefined {
    const start = blanksStart(this.#text, pos)
    if (start > 0 && this.#text[start - 1] !== '\n') return undefined
    const restOfLine = /[ \t]*(?:\r?\n|$)/y
    restOfLine.lastIndex = end
    return restOfLine.test(this.#text) ? this.#text.slice(start, pos) : undefined
  }
}

/** Returns a text node as it is written, with another indentation of the directive that follows it. */
function formatText(text: string, { pos, end }: TemplateNode, indent: string | undefined): string {
  const written = text.slice(pos, end)
  if (indent === undefined) return written
  return written.slice(0, blanksStart(written, written.length)) + indent
}

function formatNode(source: TemplateSource, node: TemplateNode): string {
  const written = source.text.slice(node.pos, node.end)
  if (/[\r\n]/.test(written)) return written
  switch (node.kind) {
    case 'output': {
      const code = codeOf(source, node.code)
      if (code === undefined) return written
      return written.startsWith('$') ? `\${${code}}` : `<%${node.raw ? '==' : '='} ${code} %>`
    }
    case 'code': {
      const code = codeOf(source, node.code)
      return code === undefined ? written : code === '' ? '<% %>' : `<% ${code} %>`
    }
    case 'directive': {
      if (node.code === undefined) return written
      const code = codeOf(source, node.code)
      return code === undefined ? written : `#${node.name} (${code})`
    }
    case 'value':
      return formatValue(written, node)
    case 'import':
      return hasComment(written) ? written : `<%@import ${node.text.trim()} %>`
    case 'include':
      return formatInclude(source, written, node)
    default:
      return written
  }
}

/** Returns code without the blanks around it; `undefined` for code that ends with a comment. */
function codeOf(source: TemplateSource, { start, end, codeEnd }: Code): string | undefined {
  return codeEnd === end ? source.text.slice(start, end).trim() : undefined
}

/** True if a declaration may contain a comment, which the nodes do not keep. */
const hasComment = (written: string): boolean => /\/[/*]/.test(written.replace(/(['"]).*?\1/g, ''))

function formatValue(written: string, { name, type, fallback }: ValueNode): string {
  if (hasComment(written)) return written
  const value = fallback === undefined ? '' : ` = ${fallback.text.trim()}`
  return `<%@val ${name}: ${type.trim()}${value} %>`
}

function formatInclude(source: TemplateSource, written: string, node: IncludeNode): string {
  if (hasComment(written)) return written
  const path = source.text.slice(node.pathPos, node.pathPos + node.path.length + 2)
  if (node.values === undefined) return `<%@include ${path} %>`
  const values = source.text.slice(node.values.start + 1, node.values.end - 1).trim()
  return `<%@include ${path} ${values === '' ? '{}' : `{ ${values} }`} %>`
}

/** Returns the nodes of a template that print, run or declare something, without the blanks around code. */
function printed(file: string, text: string): string {
  const source = new TemplateSource(file, text)
  const nodes = parseTemplate(source)
  trimControlLines(source, nodes)
  const parts = nodes.map((node) => {
    if (node.kind === 'text') return ['text', node.text]
    if (node.kind === 'value') return ['value', node.name, node.type, node.fallback?.text.trim()]
    if (node.kind === 'import') return ['import', node.text.trim()]
    if (node.kind === 'include') {
      const { path, values } = node
      const inner = values && source.text.slice(values.start + 1, values.end - 1).trim()
      return ['include', path, inner]
    }
    if (node.kind === 'comment') return ['comment']
    const code = node.code && source.text.slice(node.code.start, node.code.end).trim()
    return [node.kind, node.kind === 'directive' ? node.name : '', code]
  })
  // Empty texts come from lines that print nothing.
  return JSON.stringify(parts.filter(([kind, value]) => kind !== 'text' || value !== ''))
}

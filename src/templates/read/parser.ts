/** Parses a template into its nodes: text, expressions, directives and tags. */
import { scanCode } from './code-scanner.ts'
import { parseDeclaration } from './declaration.ts'
import type { DirectiveName, DirectiveNode, OutputNode, TemplateNode } from './nodes.ts'
import type { TemplateSource } from './template-source.ts'

const candidate = /<%|\$\{|#[a-z(]|\\/g
const withCode = /#(if|elseif|for|match|case|set|do)[ \t]*\(/y
const directiveWord =
  /#(?:if|elseif|else|for|match|case|otherwise|set|do|end)(?![\w-])|#\((?:else|end|otherwise)\)/y
const withoutCode = /#(?:(else|end|otherwise)(?![\w-])|\((else|end|otherwise)\))/y
const misspelt = /#(elif|elsif|elseIf|else[ \t]+if|foreach|forEach|unless|switch|default)[ \t]*\(/y
const corrections: Readonly<Record<string, string>> = {
  foreach: '#for (x of xs)',
  unless: '#if (!condition)',
  switch: '#match (value)',
  default: '#otherwise',
}
const blockOpeners = new Set<DirectiveName>(['if', 'for', 'match', 'set', 'do'])

/**
 * Returns the nodes of a template.
 * @throws TemplateError at the first error
 */
export function parseTemplate(source: TemplateSource): TemplateNode[] {
  return new Parser(source).parse()
}

class Parser {
  readonly #source: TemplateSource
  readonly #text: string
  readonly #nodes: TemplateNode[] = []
  #depth = 0

  constructor(source: TemplateSource) {
    this.#source = source
    this.#text = source.text
  }

  parse(): TemplateNode[] {
    let from = 0
    let at = 0
    while (at < this.#text.length) {
      candidate.lastIndex = at
      const found = candidate.exec(this.#text)
      if (found === null) break
      const next = this.#construct(found.index, from)
      if (next === undefined) at = found.index + 1
      else from = at = next
    }
    this.#addText(from, this.#text.length)
    return this.#nodes
  }

  #addText(from: number, to: number, pos = from): void {
    if (from === to) return
    const text = this.#text.slice(from, to)
    this.#nodes.push({ kind: 'text', pos, end: to, text, textPos: from })
  }

  /**
   * Parses the expression, directive or tag at `at`, and first adds the text since `from`. Returns its end; `undefined`
   * if none starts there.
   */
  #construct(at: number, from: number): number | undefined {
    if (this.#text[at] === '\\') return this.#literal(at, from)
    if (!this.#startsConstruct(at)) {
      this.#refuseMisspelt(at)
      return undefined
    }
    this.#addText(from, at)
    const node = this.#node(at)
    this.#nodes.push(node)
    return node.end
  }

  /**
   * Parses backslashes before an expression, directive or tag. Each pair of them prints one backslash; a remaining
   * single one turns what follows into plain text.
   */
  #literal(at: number, from: number): number | undefined {
    let end = at
    while (this.#text[end] === '\\') end++
    const isLiteral = [directiveWord, misspelt].some((one) => this.#source.match(one, end))
    if (!isLiteral && !this.#startsConstruct(end)) return undefined
    const kept = (end - at) >> 1
    this.#addText(from, at + kept)
    if ((end - at) % 2 === 0) return end
    const after = end + (this.#text[end] === '#' ? 1 : 2)
    this.#addText(end, after, at + kept)
    return after
  }

  #startsConstruct(at: number): boolean {
    if (this.#text.startsWith('<%', at) || this.#text.startsWith('${', at)) return true
    if (this.#source.match(withCode, at)) return true
    return this.#depth > 0 && this.#source.match(withoutCode, at) !== null
  }

  #refuseMisspelt(at: number): void {
    const wrong = this.#source.match(misspelt, at)?.[1]
    if (this.#depth === 0 || wrong === undefined) return
    const correction = corrections[wrong.toLowerCase()] ?? '#elseif (condition)'
    throw this.#source.error(
      at,
      `'#${wrong}' is no directive: write ${correction}, or \\#${wrong} for the text`,
    )
  }

  #node(at: number): TemplateNode {
    if (this.#text[at] === '$') return this.#output(at, at + 2, '}', false)
    if (this.#text[at] === '#') return this.#directive(at)
    if (this.#text.startsWith('<%--', at)) return this.#comment(at, '--%>')
    const kind = this.#text[at + 2]
    if (kind === '#') return this.#comment(at, '%>')
    if (kind === '@') return parseDeclaration(this.#source, at)
    if (kind === '=') {
      const raw = this.#text[at + 3] === '='
      return this.#output(at, at + (raw ? 4 : 3), '%>', raw)
    }
    const code = scanCode(this.#source, at + 2, '%>', at)
    return { kind: 'code', pos: at, end: code.next, code }
  }

  #comment(at: number, closing: string): TemplateNode {
    const end = this.#text.indexOf(closing, at + 2)
    if (end < 0)
      throw this.#source.error(at, `unclosed comment: the closing '${closing}' is missing`)
    return { kind: 'comment', pos: at, end: end + closing.length }
  }

  #output(at: number, start: number, terminator: '%>' | '}', raw: boolean): OutputNode {
    const code = scanCode(this.#source, start, terminator, at)
    const odd = code.close[0]
    if (odd) throw this.#source.error(odd.pos, `unexpected '${odd.char}' in an expression`)
    const open = code.open[0]
    if (open)
      throw this.#source.error(open.pos, `the '${open.char}' of this expression is never closed`)
    if (this.#text.slice(code.start, code.codeEnd).trim() === '') {
      throw this.#source.error(at, 'empty expression: write the value to print')
    }
    return { kind: 'output', pos: at, end: code.next, code, raw }
  }

  #directive(at: number): DirectiveNode {
    const found = this.#source.match(withCode, at) ?? this.#source.match(withoutCode, at)!
    const [text, withParenthesis, alone] = found
    const name = (withParenthesis ?? alone) as DirectiveName
    if (blockOpeners.has(name)) this.#depth++
    if (name === 'end') this.#depth--
    const end = at + text.length
    if (!text.endsWith('(')) return { kind: 'directive', name, pos: at, end, code: undefined }
    const code = scanCode(this.#source, end, ')', end - 1)
    return { kind: 'directive', name, pos: at, end: code.next, code }
  }
}

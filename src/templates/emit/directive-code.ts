/** Writes the TypeScript code of the directives `#if`, `#for`, `#match`, `#set` and `#do`. */
import type { CodeWriter } from './code-writer.ts'
import type { Code, DirectiveNode } from '../read.ts'
import type { ParsedTemplate } from '../escaping.ts'

const loopHead =
  /^\s*(?:(?:const|let)\s+)?(?:\(\s*([\w$]+|\[[^\]]*\]|\{[^}]*\})\s*,\s*([\w$]+)\s*\)|([\w$]+|\[[^\]]*\]|\{[^}]*\}))\s*\bof\b\s*/
const capture = " { const __before = __out; __out = '';"

export class DirectiveCode {
  readonly #parsed: ParsedTemplate
  readonly #out: CodeWriter
  readonly #escapers: Set<string>
  readonly #ends = new Map<DirectiveNode, string | (() => void)>()

  constructor(parsed: ParsedTemplate, out: CodeWriter, escapers: Set<string>) {
    this.#parsed = parsed
    this.#out = out
    this.#escapers = escapers
  }

  write(node: DirectiveNode): void {
    this.#out.toLineOf(node.pos)
    switch (node.name) {
      case 'if':
        return this.#head(' if (', node, ') {', ' }')
      case 'elseif':
        return this.#between(' } else if (', node, ') {')
      case 'else':
        return this.#out.write(' } else {')
      case 'match':
        return this.#head(' switch (', node, ') {', ' break; } }')
      case 'case':
        return this.#case(node)
      case 'otherwise':
        return this.#out.write(`${this.#endOfCase(node)} default: {`)
      case 'for':
        return this.#for(node)
      case 'set':
        return this.#set(node)
      case 'do':
        return this.#do(node)
      case 'end':
        return this.#end(this.#ends.get(this.#parsed.blocks.openers.get(node)!)!)
    }
  }

  #end(code: string | (() => void)): void {
    if (typeof code === 'string') this.#out.write(code)
    else code()
  }

  #text(code: Code): string {
    return this.#parsed.source.text.slice(code.start, code.codeEnd)
  }

  #requireCode(node: DirectiveNode, expected: string): Code {
    const code = node.code!
    if (this.#text(code).trim() === '')
      throw this.#parsed.source.error(code.start, `expected ${expected}`)
    return code
  }

  #head(before: string, node: DirectiveNode, after: string, end: string): void {
    this.#between(before, node, after)
    this.#ends.set(node, end)
  }

  #between(before: string, node: DirectiveNode, after: string): void {
    const code = this.#requireCode(
      node,
      `a ${node.name === 'match' ? 'value' : 'condition'}: #${node.name} (…)`,
    )
    this.#out.write(before)
    this.#out.copy(code.start, code.codeEnd)
    this.#out.write(after)
  }

  #endOfCase(node: DirectiveNode): string {
    return this.#parsed.blocks.firstCases.has(node) ? '' : ' break; }'
  }

  #case(node: DirectiveNode): void {
    const code = this.#requireCode(node, 'one or more values: #case (a, b)')
    this.#out.write(this.#endOfCase(node))
    let from = code.start
    for (const to of [...code.commas, code.codeEnd]) {
      this.#out.write(' case ')
      this.#out.copy(from, to)
      this.#out.write(':')
      from = to + 1
    }
    this.#out.write(' {')
  }

  #for(node: DirectiveNode): void {
    const code = node.code!
    const text = this.#text(code)
    const head = loopHead.exec(text)
    if (head === null)
      throw this.#parsed.source.error(
        code.start,
        'expected #for (item of list) or #for ((item, index) of list)',
      )
    const list = code.start + head[0].length
    if (text.slice(head[0].length).trim() === '')
      throw this.#parsed.source.error(list, 'the list to loop over is missing')
    const [, item, index, single] = head
    const binding = item ?? single!
    const start = code.start + text.indexOf(binding)
    if (index !== undefined) this.#out.write(` { let ${index} = -1;`)
    this.#out.write(' for (const ')
    this.#out.copy(start, start + binding.length)
    this.#out.write(' of ')
    this.#out.copy(list, code.codeEnd)
    this.#out.write(index === undefined ? ') {' : `) { ${index}++;`)
    this.#ends.set(node, index === undefined ? ' }' : ' } }')
  }

  #set(node: DirectiveNode): void {
    const { source, name } = this.#parsed
    const code = node.code!
    const key = /^\s*(['"]?)([A-Za-z_$][\w$]*)\1\s*$/.exec(this.#text(code))?.[2]
    if (key === undefined) throw source.error(code.start, 'expected a name: #set (head)')
    if (name.format !== 'html')
      throw source.error(node.pos, '#set hands a block to the layout; only HTML has one')
    this.#escapers.add('unescape')
    this.#out.write(capture)
    const at = code.start + this.#text(code).indexOf(key)
    this.#ends.set(node, () => {
      this.#out.write(' set(')
      this.#out.writeFor(at, `'${key}', __unescape(__out)`)
      this.#out.write('); __out = __before; }')
    })
  }

  /**
   * Writes the function call in the line of `#do`, so that type errors refer to this line. The call runs at `#end`,
   * when the block has been rendered.
   */
  #do(node: DirectiveNode): void {
    const { source, name } = this.#parsed
    const code = node.code!
    const text = this.#text(code)
    if (text.trim() === '') {
      this.#out.write(' {')
      this.#ends.set(node, ' }')
      return
    }
    const group = code.lastGroup
    if (
      group === undefined ||
      source.text[group.open] !== '(' ||
      source.text.slice(group.close + 1, code.codeEnd).trim() !== ''
    ) {
      throw source.error(
        code.start,
        "expected a call, which gets the block as its last argument: #do (card('Title'))",
      )
    }
    const given = source.text.slice(group.open + 1, group.close).trim()
    const html = name.format === 'html'
    const waits = code.names.has('await')
    for (const escaper of html ? ['escapeText', 'unescape'] : ['plainText'])
      this.#escapers.add(escaper)
    this.#out.write(
      ` { const __do = ${waits ? 'async ' : ''}(__block: ${html ? '__SafeHtml' : 'string'}) => `,
    )
    this.#out.copy(code.start, group.close)
    this.#out.write(
      `${given === '' || given.endsWith(',') ? '' : ', '}__block);${capture.slice(2)}`,
    )
    const block = html ? '__unescape(__out)' : '__out'
    this.#ends.set(
      node,
      ` __out = __before + ${html ? '__escapeText' : '__plainText'}(${waits ? 'await ' : ''}__do(${block})); }`,
    )
  }
}

/** Writes the TypeScript code of the directives `#if`, `#for`, `#match`, `#set` and `#do`. */
import type { CodeWriter } from './code-writer.ts'
import type { Code, DirectiveNode } from '../read.ts'
import type { ParsedTemplate } from '../escaping.ts'

const loopHead =
  /^\s*(?:(?:const|let)\s+)?(?:\(\s*([\w$]+|\[[^\]]*\]|\{[^}]*\})\s*,\s*([\w$]+)\s*\)|([\w$]+|\[[^\]]*\]|\{[^}]*\}))\s*\bof\b\s*/
const capture = " const __before = __out; __out = '';"

export class DirectiveCode {
  readonly #parsed: ParsedTemplate
  readonly #out: CodeWriter
  readonly #escapers: Set<string>
  /** The functions that write the ends of the open blocks, innermost last. */
  readonly #ends: (() => void)[] = []
  /** The code that ends the previous `#case` of the innermost `#match`. */
  #endOfCase = ''

  constructor(parsed: ParsedTemplate, out: CodeWriter, escapers: Set<string>) {
    this.#parsed = parsed
    this.#out = out
    this.#escapers = escapers
  }

  write(node: DirectiveNode): void {
    this.#out.toLineOf(node.pos)
    switch (node.name) {
      case 'if':
        this.#endWith(' }')
        return this.#condition(' if (', node)
      case 'elseif':
        return this.#condition(' } else if (', node)
      case 'else':
        return this.#out.write(' } else {')
      case 'match':
        this.#endWith(' break; } }')
        this.#endOfCase = ''
        return this.#condition(' switch (', node)
      case 'case':
        return this.#case(node)
      case 'otherwise':
        return this.#nextCase(' default: {')
      case 'for':
        return this.#for(node)
      case 'set':
        return this.#set(node)
      case 'do':
        return this.#do(node)
      case 'end':
        this.#ends.pop()!()
    }
  }

  #endWith(code: string): void {
    this.#ends.push(() => this.#out.write(code))
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

  #condition(before: string, node: DirectiveNode): void {
    const what = node.name === 'match' ? 'value' : 'condition'
    const code = this.#requireCode(node, `a ${what}: #${node.name} (…)`)
    this.#out.write(before)
    this.#out.copy(code.start, code.codeEnd)
    this.#out.write(') {')
  }

  #nextCase(code: string): void {
    this.#out.write(this.#endOfCase + code)
    this.#endOfCase = ' break; }'
  }

  #case(node: DirectiveNode): void {
    const code = this.#requireCode(node, 'one or more values: #case (a, b)')
    this.#nextCase('')
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
    this.#endWith(index === undefined ? ' }' : ' } }')
  }

  #set(node: DirectiveNode): void {
    const { source, name } = this.#parsed
    const code = node.code!
    const key = /^\s*(['"]?)([A-Za-z_$][\w$]*)\1\s*$/.exec(this.#text(code))?.[2]
    if (key === undefined) throw source.error(code.start, 'expected a name: #set (head)')
    if (name.format !== 'html')
      throw source.error(node.pos, '#set hands a block to the layout; only HTML has one')
    this.#escapers.add('unescape')
    this.#out.write(` {${capture}`)
    const at = code.start + this.#text(code).indexOf(key)
    this.#ends.push(() => {
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
    if (this.#text(code).trim() === '') {
      this.#out.write(' {')
      return this.#endWith(' }')
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
    const [async, wait] = code.names.has('await') ? ['async ', 'await '] : ['', '']
    const [escapers, escape, type, block] =
      name.format === 'html'
        ? ([['escapeText', 'unescape'], '__escapeText', '__SafeHtml', '__unescape(__out)'] as const)
        : ([['plainText'], '__plainText', 'string', '__out'] as const)
    for (const escaper of escapers) this.#escapers.add(escaper)
    this.#out.write(` { const __do = ${async}(__block: ${type}) => `)
    this.#out.copy(code.start, group.close)
    this.#out.write(`${given === '' || given.endsWith(',') ? '' : ', '}__block);${capture}`)
    this.#endWith(` __out = __before + ${escape}(${wait}__do(${block})); }`)
  }
}

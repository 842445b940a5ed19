/** Writes the TypeScript module of a parsed template: line N of the module is line N of the template. */
import { CodeWriter, type Segment, OutputSum } from './code-writer.ts'
import { DirectiveCode } from './directive-code.ts'
import { neededEscapers, type ParsedTemplate } from '../escaping.ts'
import {
  checkName,
  hasImplicitBody,
  moduleHead,
  moduleTail,
  relativeSpecifier,
  setsValues,
  signature,
  type ModuleOptions,
} from './module-frame.ts'
import type {
  ImportNode,
  IncludeNode,
  OutputNode,
  TemplateNode,
  TextNode,
  ValueNode,
} from '../read.ts'

export interface GeneratedModule {
  readonly code: string
  readonly segments: readonly Segment[]
}

export function generateModule(parsed: ParsedTemplate, options: ModuleOptions): GeneratedModule {
  return new Generator(parsed, options).run()
}

/** The minimum number of characters in a part of a streamed page. Only the last part can be shorter. */
const partLength = 16_384

class Generator {
  readonly #parsed: ParsedTemplate
  readonly #options: ModuleOptions
  readonly #out: CodeWriter
  readonly #sum: OutputSum
  readonly #directives: DirectiveCode
  readonly #escapers = new Set<string>()
  readonly #values = new Map<string, ValueNode>()
  readonly #included: readonly string[]
  readonly #partEnds: PartEnds
  #opened = false

  constructor(parsed: ParsedTemplate, options: ModuleOptions) {
    this.#parsed = parsed
    this.#options = options
    this.#out = new CodeWriter(parsed.source)
    this.#sum = new OutputSum(this.#out)
    this.#directives = new DirectiveCode(parsed, this.#out, this.#escapers)
    this.#included = [...new Set(parsed.includes.values())]
    this.#partEnds = new PartEnds(parsed)
  }

  run(): GeneratedModule {
    const { nodes } = this.#parsed
    const lastDeclaration = nodes.findLastIndex(
      (node) => node.kind === 'value' || node.kind === 'import',
    )
    nodes.forEach((node, at) => {
      if (node.kind === 'value') this.#value(node)
      else if (node.kind === 'import') this.#import(node)
      else if (node.kind === 'comment') return
      else if (at < lastDeclaration && node.kind === 'text' && node.text.trim() === '') return
      else this.#statement(node)
    })
    this.#open()
    this.#sum.end()
    this.#out.write(' return __out }')
    this.#out.write(moduleTail(this.#parsed, this.#options))
    const head = moduleHead(this.#parsed, this.#options, {
      escapers: this.#escapers,
      included: this.#included,
    })
    return this.#out.finish(head)
  }

  #refuseLate(node: ValueNode | ImportNode): void {
    if (!this.#opened) return
    const word = node.kind === 'value' ? 'val' : 'import'
    throw this.#parsed.source.error(
      node.pos,
      `<%@${word} %> must come before everything that is printed or run`,
    )
  }

  #value(node: ValueNode): void {
    this.#refuseLate(node)
    const { source, name: template } = this.#parsed
    checkName(source, node, template.kind)
    if (this.#values.has(node.name)) {
      throw source.error(
        node.namePos,
        `'${node.name}' is declared twice, first at ${source.place(this.#values.get(node.name)!.namePos)}`,
      )
    }
    this.#values.set(node.name, node)
    this.#out.toLineOf(node.pos)
    this.#out.write(' export interface Values { ')
    this.#out.toLineOf(node.namePos)
    this.#out.copy(node.namePos, node.namePos + node.name.length)
    this.#out.write(node.fallback === undefined ? ': ' : '?: ')
    this.#out.toLineOf(node.typePos)
    this.#out.copy(node.typePos, node.typePos + node.type.length)
    this.#out.write(' }')
  }

  #import({ text, textPos, pos }: ImportNode): void {
    this.#refuseLate({ kind: 'import', pos } as ImportNode)
    this.#out.toLineOf(textPos)
    this.#out.write(' import ')
    const found = /(['"])(\.{1,2}\/[^'"]*)\1$/.exec(text)
    const end = textPos + text.length
    if (found === null) this.#out.copy(textPos, end)
    else {
      const path = textPos + found.index + 1
      this.#out.copy(textPos, path)
      this.#out.writeFor(
        path,
        relativeSpecifier(this.#parsed.source.file, found[2]!, this.#options),
      )
      this.#out.copy(end - 1, end)
    }
    this.#out.write(';')
  }

  /** Writes the start of the function `render`, and declares the template's values as constants. */
  #open(): void {
    if (this.#opened) return
    this.#opened = true
    this.#out.write(` export ${signature(this.#options)} {`)
    if (setsValues(this.#parsed))
      this.#out.write(' const set: __Set = (name, value) => { __page[name] = value };')
    if (hasImplicitBody(this.#parsed, this.#options)) this.#out.write(' const { body } = __values;')
    this.#requireOwn()
    if (this.#values.size > 0) this.#destructure()
    this.#out.write(" let __out = '';")
  }

  /**
   * Writes code that accepts optional values only as own properties, so that a polluted `Object.prototype` cannot
   * supply them.
   */
  #requireOwn(): void {
    const optional = [...this.#values.values()].filter(
      ({ type, fallback }) => fallback !== undefined || /\b(?:undefined|any|unknown)\b/.test(type),
    )
    if (optional.length === 0) return
    this.#escapers.add('ownValues')
    const inherited = optional.map(
      ({ name }) => `('${name}' in __values && !Object.hasOwn(__values, '${name}'))`,
    )
    this.#out.write(` if (${inherited.join(' || ')}) __values = __ownValues(__values);`)
  }

  #destructure(): void {
    this.#out.write(' const {')
    for (const { name, namePos, fallback } of this.#values.values()) {
      this.#out.write(' ')
      this.#out.writeFor(namePos, name)
      if (fallback !== undefined) {
        this.#out.write(' = ((')
        this.#out.copyInOneLine(fallback.pos, fallback.pos + fallback.text.length)
        this.#out.write(`) satisfies Values['${name}'])`)
      }
      this.#out.write(',')
    }
    this.#out.write(' } = __values;')
  }

  #statement(node: Exclude<TemplateNode, ValueNode | ImportNode>): void {
    this.#open()
    switch (node.kind) {
      case 'text':
        return this.#text(node)
      case 'output':
        return this.#output(node)
      case 'include':
        return this.#include(node)
      case 'directive':
        this.#sum.end()
        this.#endPart(node)
        return this.#directives.write(node)
      case 'comment':
        return
      case 'code':
        this.#sum.end()
        this.#endPart(node)
        this.#out.toLineOf(node.code.start)
        this.#out.write(' ')
        this.#out.copy(node.code.start, node.code.codeEnd)
        if (needsSemicolon(this.#parsed.source.text.slice(node.code.start, node.code.codeEnd)))
          this.#out.write(';')
    }
  }

  /** Writes code after a loop that yields the output so far, if it is long enough for a part of the streamed page. */
  #endPart(node: TemplateNode): void {
    if (this.#partEnds.mayEndBefore(node) && this.#options.inParts === true)
      this.#out.write(` if (__out.length > ${partLength}) { yield __out; __out = ''; }`)
  }

  #text(node: TextNode): void {
    for (const part of this.#parsed.plan.texts.get(node) ?? []) {
      if (part !== 'nonce') this.#sum.text(part.text)
      else {
        this.#escapers.add('nonceAttribute')
        this.#sum.plus()
        this.#out.write('__nonceAttribute(s)')
      }
    }
  }

  #output(node: OutputNode): void {
    const { escapers, before } = this.#parsed.plan.escapes.get(node)!
    const code = this.#parsed.source.text.slice(node.code.start, node.code.codeEnd)
    const used = node.raw ? ['plainText'] : neededEscapers(code, escapers)
    this.#sum.text(before)
    this.#out.toLineOf(node.pos)
    this.#sum.plus()
    for (const name of used) this.#escapers.add(name)
    this.#out.writeFor(node.pos, used.map((name) => `__${name}(`).join('') || '(')
    this.#out.copy(node.code.start, node.code.codeEnd)
    this.#out.write(')'.repeat(used.length || 1))
  }

  #include(node: IncludeNode): void {
    const at = this.#included.indexOf(this.#parsed.includes.get(node)!)
    this.#out.toLineOf(node.pos)
    this.#sum.plus()
    this.#out.write(this.#options.included?.(this.#included[at]!).isAsync ? '(await ' : '(')
    this.#out.writeFor(node.pathPos, `__render${at}(`)
    this.#includedValues(node)
    this.#out.write(', s, __page))')
  }

  /**
   * Writes the values that a partial gets: the values of the including template with defaults applied, then those of
   * the include, which override them.
   */
  #includedValues({ values, pathPos }: IncludeNode): void {
    const defaults = [...this.#values.values()].filter((value) => value.fallback !== undefined)
    if (values === undefined && defaults.length === 0)
      return this.#out.writeFor(pathPos, '__values')
    this.#out.writeFor(pathPos, '{ ...__values,')
    if (defaults.length > 0)
      this.#out.write(` ...{ ${defaults.map(({ name }) => name).join(', ')} },`)
    if (values !== undefined) {
      this.#out.toLineOf(values.start)
      this.#out.write(' ')
      this.#out.copy(values.start + 1, values.end - 1)
    }
    this.#out.write(' }')
  }
}

/** False for code such as `if (a) {`, which continues in the next tag. */
function needsSemicolon(code: string): boolean {
  return !/(^|[{}([,;:]|=>)\s*$/.test(code)
}

interface Open {
  readonly isLoop: boolean
  /**
   * True if the block's output is captured or its code is a separate function: a streamed page cannot be split inside
   * such a block.
   */
  readonly isClosed: boolean
}

export class PartEnds {
  readonly #parsed: ParsedTemplate
  readonly #open: Open[] = []

  constructor(parsed: ParsedTemplate) {
    this.#parsed = parsed
  }

  /** True if a part of a streamed page may end just before `node`. The caller must pass all nodes in order. */
  mayEndBefore(node: TemplateNode): boolean {
    let ends = false
    for (const flow of this.#parsed.blocks.flows.get(node) ?? []) {
      if (flow.step === 'open') {
        const isClosed = flow.block === 'capture' || this.#isFunction(flow.pos)
        this.#open.push({ isLoop: flow.block === 'loop', isClosed })
      } else if (flow.step === 'close') {
        const all = this.#open.every((one) => !one.isClosed)
        const closed = this.#open.pop()
        ends ||= all && closed?.isLoop === true
      }
    }
    return ends
  }

  #isFunction(pos: number): boolean {
    return /=>\s*$/.test(this.#parsed.source.text.slice(Math.max(0, pos - 20), pos))
  }
}

/** Compiles one template to one TypeScript module: line N of the module is line N of the template. */
import { dirname, join } from 'node:path'
import { type DeclaredValue, projectPaths, type TemplateName } from '../../runtime/view.ts'
import { CodeWriter, type GeneratedModule } from './code-writer.ts'
import { DirectiveCode } from './directive-code.ts'
import { neededEscapers, parse, type ParsedTemplate, type PlacedUse } from '../escaping.ts'
import {
  checkName,
  type CompileOptions,
  hasImplicitBody,
  type IncludedTemplate,
  moduleHead,
  moduleTail,
  pathFromModule,
  setsValues,
  signature,
  type ModuleOptions,
} from './module-frame.ts'
import type {
  CodeNode,
  DirectiveNode,
  ImportNode,
  IncludeNode,
  OutputNode,
  PrintingNode,
  TextNode,
  ValueNode,
} from '../read.ts'
import { encodeSourceMap } from './source-map.ts'

/** The TypeScript module of a template, with the properties of the template. */
export interface CompiledTemplate extends GeneratedModule, TemplateName, IncludedTemplate {
  /** The path of the template below `WEB-INF/`, such as `views/members/index.html.ssp`. */
  readonly file: string
  readonly source: string
  readonly declared: readonly DeclaredValue[]
  readonly includes: readonly string[]
  /** The attributes that a Content-Security-Policy may forbid. */
  readonly policyUses: readonly PlacedUse[]
  /** Returns a source map, version 3, as JSON. */
  sourceMap(): string
}

/**
 * Compiles a template. `file` is its path below `WEB-INF/`, which determines its kind and format.
 *
 * @throws TemplateError (`view.syntax`) at the first error
 */
export function compileTemplate(file: string, source: string): CompiledTemplate {
  return compileParsed(parse(file, source), {})
}

/** Compiles a parsed template; `options.included` describes the templates that it includes. */
export function compileParsed(parsed: ParsedTemplate, options: CompileOptions): CompiledTemplate {
  const { source, name, nodes } = parsed
  const includes = [...new Set(parsed.includes.values())]
  const included = includes.map((file) => options.included?.(file))
  const properties = {
    isAsync: parsed.names.has('await') || included.some((one) => one?.isAsync),
    usesNonce: parsed.plan.usesNonce || included.some((one) => one?.usesNonce),
    styles: [...new Set([...parsed.plan.styles, ...included.flatMap((one) => one?.styles ?? [])])],
    policyUses: parsed.plan.policyUses,
    declared: nodes
      .filter((node) => node.kind === 'value')
      .map(({ name, type, fallback }) => ({ name, type, optional: fallback !== undefined })),
    includes,
  }
  const defaults = {
    paths: projectPaths({ root: '/' }),
    moduleFile: (file: string) => `${file}.ts`,
  }
  const full: ModuleOptions = { ...defaults, ...options, ...properties }
  const module = new Generator(parsed, full).run()
  return {
    file: source.file,
    source: source.text,
    ...name,
    ...module,
    ...properties,
    sourceMap: () => {
      const path = pathFromModule(source.file, join(full.paths.webInf, source.file), full)
      return encodeSourceMap(module, source, path)
    },
  }
}

/** The minimum number of characters in a part of a streamed page. Only the last part can be shorter. */
const partLength = 16_384

class Generator {
  readonly #parsed: ParsedTemplate
  readonly #options: ModuleOptions
  readonly #out: CodeWriter
  readonly #directives: DirectiveCode
  readonly #escapers = new Set<string>()
  readonly #values = new Map<string, ValueNode>()
  #opened = false

  constructor(parsed: ParsedTemplate, options: ModuleOptions) {
    this.#parsed = parsed
    this.#options = options
    this.#out = new CodeWriter(parsed.source)
    this.#directives = new DirectiveCode(parsed, this.#out, this.#escapers)
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
    this.#out.endPrint()
    this.#out.write(' return __out }' + moduleTail(this.#parsed, this.#options))
    return this.#out.finish(moduleHead(this.#parsed, this.#options, this.#escapers))
  }

  #refuseLate(pos: number, declaration: string): void {
    if (!this.#opened) return
    throw this.#parsed.source.error(
      pos,
      `<%@${declaration} %> must come before everything that is printed or run`,
    )
  }

  #value(node: ValueNode): void {
    this.#refuseLate(node.pos, 'val')
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
    this.#refuseLate(pos, 'import')
    this.#out.toLineOf(textPos)
    this.#out.write(' import ')
    const found = /(['"])(\.{1,2}\/[^'"]*)\1$/.exec(text)
    const end = textPos + text.length
    if (found === null) this.#out.copy(textPos, end)
    else {
      const { file } = this.#parsed.source
      const target = join(this.#options.paths.webInf, dirname(file), found[2]!)
      const path = textPos + found.index + 1
      this.#out.copy(textPos, path)
      this.#out.writeFor(path, pathFromModule(file, target, this.#options))
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

  #statement(node: PrintingNode | DirectiveNode | CodeNode): void {
    this.#open()
    if (node.kind === 'text') return this.#text(node)
    if (node.kind === 'output') return this.#output(node)
    if (node.kind === 'include') return this.#include(node)
    this.#out.endPrint()
    // Yield the output at the end of a loop, if it is long enough for a part of the streamed page.
    if (this.#options.streamed !== undefined && this.#parsed.loopEnds.has(node))
      this.#out.write(` if (__out.length > ${partLength}) { yield __out; __out = ''; }`)
    if (node.kind === 'directive') return this.#directives.write(node)
    const { start, codeEnd } = node.code
    this.#out.toLineOf(start)
    this.#out.write(' ')
    this.#out.copy(start, codeEnd)
    if (needsSemicolon(this.#parsed.source.text.slice(start, codeEnd))) this.#out.write(';')
  }

  #text(node: TextNode): void {
    for (const part of this.#parsed.plan.texts.get(node) ?? [node]) {
      if (part !== 'nonce') this.#out.print(part.text)
      else {
        this.#escapers.add('nonceAttribute')
        this.#out.beginPrint()
        this.#out.write('__nonceAttribute(s)')
      }
    }
  }

  #output(node: OutputNode): void {
    const { escapers, before, attribute } = this.#parsed.plan.escapes.get(node)!
    const code = this.#parsed.source.text.slice(node.code.start, node.code.codeEnd)
    const used = node.raw ? ['plainText'] : neededEscapers(code, escapers)
    this.#out.print(before)
    this.#out.toLineOf(node.pos)
    this.#out.beginPrint()
    for (const name of used) this.#escapers.add(name)
    const first = attribute === undefined ? '' : `${JSON.stringify(attribute)}, `
    this.#out.writeFor(node.pos, (used.map((name) => `__${name}(`).join('') || '(') + first)
    this.#out.copy(node.code.start, node.code.codeEnd)
    this.#out.write(')'.repeat(used.length || 1))
  }

  #include(node: IncludeNode): void {
    const file = this.#parsed.includes.get(node)!
    this.#out.toLineOf(node.pos)
    this.#out.beginPrint()
    this.#out.write(this.#options.included?.(file).isAsync ? '(await ' : '(')
    this.#out.writeFor(node.pathPos, `__render${this.#options.includes.indexOf(file)}(`)
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

/** Compiles one template to one TypeScript module. */
import { analyzeBlocks, type Blocks } from './blocks.ts'
import { scanNames } from './template-names.ts'
import { trimControlLines } from './control-lines.ts'
import type { Segment } from './code-writer.ts'
import type { DeclaredValue, ViewFormat } from './engine.ts'
import { planEscaping, type EscapingPlan } from './escaping-plan.ts'
import { generateModule } from './generator.ts'
import { includedFile } from './include-path.ts'
import type { IncludeNode, TemplateNode } from './nodes.ts'
import { parseTemplate } from './parser.ts'
import { defaultModules, type TemplateModules } from './project.ts'
import { encodeSourceMap } from './source-map.ts'
import { templateName, type TemplateName } from './template-name.ts'
import { TemplateSource } from './template-source.ts'

/** A template that is parsed and checked by itself, before what it includes is known. */
export interface ParsedTemplate {
  readonly source: TemplateSource
  readonly name: TemplateName
  readonly nodes: readonly TemplateNode[]
  readonly blocks: Blocks
  readonly plan: EscapingPlan
  /** Every identifier in its code. */
  readonly names: ReadonlySet<string>
  /** The files it includes, below `WEB-INF/`, with the place of the path. */
  readonly includes: ReadonlyMap<IncludeNode, string>
}

/** What a template needs to know of another that it includes. */
export interface IncludedTemplate {
  readonly isAsync: boolean
  readonly usesNonce: boolean
}

export interface CompileOptions {
  readonly modules?: Partial<TemplateModules>
  /** The path of `WEB-INF` relative to the folder of generated modules, for relative imports in templates. */
  readonly webInf?: string
  /** Answers for an included file, below `WEB-INF/`; without it no partial is asynchronous or uses a nonce. */
  readonly included?: (file: string) => IncludedTemplate
  /** The specifier by which the module of an included file is imported; relative, ending in `.ts`, by default. */
  readonly specifier?: (file: string) => string | undefined
}

/** A template as a TypeScript module. */
export interface CompiledTemplate {
  /** Below `WEB-INF/`: `views/members/index.html.ssp`. */
  readonly file: string
  readonly source: string
  readonly name: string
  readonly kind: TemplateName['kind']
  readonly format: ViewFormat
  readonly code: string
  readonly segments: readonly Segment[]
  readonly isAsync: boolean
  readonly usesNonce: boolean
  readonly declared: readonly DeclaredValue[]
  readonly includes: readonly string[]
  /** A source map, version 3, as JSON; `source` is what it calls the template. */
  sourceMap(source?: string): string
}

/**
 * Compiles a template. `file` is its path below `WEB-INF/`, which tells its kind and format.
 *
 * @throws TemplateError (`view.syntax`) at the first mistake.
 */
export function compileTemplate(file: string, source: string, options: CompileOptions = {}): CompiledTemplate {
  return compileParsed(parse(file, source), options)
}

export function parse(file: string, text: string): ParsedTemplate {
  const source = new TemplateSource(file, text.replace(/^\ufeff/, ''))
  const name = templateName(file)
  if (name === undefined) {
    throw source.error(0, 'a template is views/<path>.<html|json|xml|txt>.ssp or layouts/<name>.ssp')
  }
  const nodes = parseTemplate(source)
  const blocks = analyzeBlocks(source, nodes)
  trimControlLines(source, nodes)
  const plan = planEscaping(source, nodes, blocks, name.format)
  const includes = new Map<IncludeNode, string>()
  for (const node of nodes) {
    if (node.kind === 'include') includes.set(node, includedFile(source, node, name))
  }
  return { source, name, nodes, blocks, plan, names: scanNames(nodes), includes }
}

export function compileParsed(parsed: ParsedTemplate, options: CompileOptions): CompiledTemplate {
  const { source, name } = parsed
  const includes = [...new Set(parsed.includes.values())]
  const included = includes.map((file) => options.included?.(file))
  const isAsync = parsed.names.has('await') || included.some((one) => one?.isAsync)
  const usesNonce = parsed.plan.usesNonce || included.some((one) => one?.usesNonce)
  const declared = declaredValues(parsed)
  const modules = { ...defaultModules, ...options.modules }
  const module = generateModule(parsed, { ...options, modules, isAsync, usesNonce, declared })
  return {
    file: source.file,
    source: source.text,
    name: name.name,
    kind: name.kind,
    format: name.format,
    ...module,
    isAsync,
    usesNonce,
    declared,
    includes,
    sourceMap: (as = source.file) => encodeSourceMap(module, source, as),
  }
}

function declaredValues(parsed: ParsedTemplate): DeclaredValue[] {
  const declared: DeclaredValue[] = []
  for (const node of parsed.nodes) {
    if (node.kind === 'value') declared.push({ name: node.name, type: node.type, optional: node.fallback !== undefined })
  }
  return declared
}

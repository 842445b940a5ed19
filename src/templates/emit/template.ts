/** Compiles one template to one TypeScript module. */
import type { Segment } from './code-writer.ts'
import type { CompileOptions } from './module-frame.ts'
import {
  type DeclaredValue,
  type ViewFormat,
  defaultModules,
  type TemplateName,
} from '../../runtime/view.ts'
import { generateModule } from './generator.ts'
import { parse, type ParsedTemplate } from '../escaping.ts'
import { encodeSourceMap } from './source-map.ts'

/** The TypeScript module of a template, with the properties of the template. */
export interface CompiledTemplate {
  /** The path of the template below `WEB-INF/`, such as `views/members/index.html.ssp`. */
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
  /** Returns a source map, version 3, as JSON. `source` is the template's name in it. */
  sourceMap(source?: string): string
}

/**
 * Compiles a template. `file` is its path below `WEB-INF/`, which determines its kind and format.
 *
 * @throws TemplateError (`view.syntax`) at the first error
 */
export function compileTemplate(
  file: string,
  source: string,
  options: CompileOptions = {},
): CompiledTemplate {
  return compileParsed(parse(file, source), options)
}

/** Compiles a parsed template; `options.included` describes the templates that it includes. */
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
    if (node.kind === 'value')
      declared.push({ name: node.name, type: node.type, optional: node.fallback !== undefined })
  }
  return declared
}

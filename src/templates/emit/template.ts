/** Compiles one template to one TypeScript module. */
import { join } from 'node:path'
import { type DeclaredValue, projectPaths, type TemplateName } from '../../runtime/view.ts'
import type { GeneratedModule } from './code-writer.ts'
import {
  type CompileOptions,
  type IncludedTemplate,
  type ModuleOptions,
  pathFromModule,
} from './module-frame.ts'
import { generateModule } from './generator.ts'
import { parse, type ParsedTemplate } from '../escaping.ts'
import { encodeSourceMap } from './source-map.ts'

/** The TypeScript module of a template, with the properties of the template. */
export interface CompiledTemplate extends GeneratedModule, TemplateName, IncludedTemplate {
  /** The path of the template below `WEB-INF/`, such as `views/members/index.html.ssp`. */
  readonly file: string
  readonly source: string
  readonly declared: readonly DeclaredValue[]
  readonly includes: readonly string[]
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
  const module = generateModule(parsed, full)
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

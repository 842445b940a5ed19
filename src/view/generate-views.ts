/** Generates the modules of all templates of a project and the registry of their names. */
import { join, posix, relative } from 'node:path'
import { projectPaths, type ProjectPaths, type ViewProject } from './project.ts'
import { compilePug, isPug } from './pug-template.ts'
import { registryModule } from './registry.ts'
import { inlineSourceMap } from './source-map.ts'
import {
  readText,
  removeOthers,
  templateEndings,
  templatesOf,
  writeIfChanged,
} from './template-files.ts'
import { TemplateSet } from './template-set.ts'
import { TemplateError } from './template-source.ts'
import type { CompileOptions } from './compile-options.ts'
import type { CompiledTemplate } from './template.ts'

/** What `generateViews` found and did. */
export interface GeneratedViews {
  readonly templates: readonly CompiledTemplate[]
  /** At most one a template, for a template is read up to its first mistake. */
  readonly errors: readonly TemplateError[]
  /** How many files were written or removed; 0 when all was up to date. */
  readonly changed: number
}

/**
 * Writes `.fw/views/`, `.fw/layouts/` and `.fw/registry.ts`. Files that would stay the same are not touched, files
 * of templates that are gone are removed. Mistakes in templates are collected, not thrown.
 */
export function generateViews(project: ViewProject): GeneratedViews {
  const paths = projectPaths(project)
  const files = templatesOf(paths.webInf)
  const set = new TemplateSet({
    read: (file) => readText(join(paths.webInf, file)),
    list: () => files,
  })
  const templates: CompiledTemplate[] = []
  const errors: TemplateError[] = []
  let changed = 0
  for (const file of files.filter((one) => !isPug(one))) {
    const compiled = compileOrError(set, file, compileOptions(paths))
    if (compiled instanceof TemplateError) errors.push(compiled)
    else templates.push(compiled)
    const module =
      compiled instanceof TemplateError ? brokenModule(compiled) : moduleText(compiled, paths)
    if (writeIfChanged(join(paths.generated, `${file}.ts`), module)) changed++
    if (compiled instanceof TemplateError || compiled.kind !== 'view') continue
    if (writeIfChanged(join(paths.generated, streamedFile(file)), streamedText(set, file, paths)))
      changed++
  }
  for (const file of files.filter(isPug)) {
    const module = pugModule(paths, file)
    if (module instanceof TemplateError) errors.push(module)
    const text = module instanceof TemplateError ? brokenModule(module) : module
    if (writeIfChanged(join(paths.generated, `${file}.ts`), text)) changed++
  }
  if (
    writeIfChanged(join(paths.generated, 'registry.ts'), registryModule(files, paths.modules.view))
  )
    changed++
  return { templates, errors, changed: changed + removeStale(paths, files) }
}

/** How templates of this project are compiled. */
export function compileOptions(paths: ProjectPaths): CompileOptions {
  const webInf = relative(paths.generated, paths.webInf).replaceAll('\\', '/')
  return { modules: paths.modules, webInf }
}

function compileOrError(
  set: TemplateSet,
  file: string,
  options: CompileOptions,
): CompiledTemplate | TemplateError {
  try {
    return set.compile(file, options)
  } catch (error) {
    if (error instanceof TemplateError) return error
    throw error
  }
}

function pugModule(paths: ProjectPaths, file: string): string | TemplateError {
  try {
    return compilePug(paths, file).code
  } catch (error) {
    if (error instanceof TemplateError) return error
    throw error
  }
}

function moduleText(template: CompiledTemplate, paths: ProjectPaths): string {
  return withSourceMap(template, compileOptions(paths).webInf!)
}

/** `webInf` is seen from the folder that holds `views` and `layouts`. */
export function withSourceMap(template: CompiledTemplate, webInf: string): string {
  const up = '../'.repeat(template.file.split('/').length - 1)
  return template.code + inlineSourceMap(template.sourceMap(posix.join(up, webInf, template.file)))
}

/** The module of a page in parts, below `.fw`; the dot keeps it out of `tsc`'s patterns, for its code is checked once. */
export const streamedFile = (file: string): string => `.streamed/${file}.ts`

function streamedText(set: TemplateSet, file: string, paths: ProjectPaths): string {
  const options = compileOptions(paths)
  const webInf = posix.join('..', options.webInf!)
  const up = '../'.repeat(file.split('/').length)
  const specifier = (other: string): string => `${up}${other}.ts`
  return withSourceMap(set.compile(file, { ...options, webInf, specifier, inParts: true }), webInf)
}

/** Stands for a template with a mistake, so that the mistake is reported once and not again wherever it is used. */
function brokenModule(error: TemplateError): string {
  const message = JSON.stringify(error.message)
  return (
    `// @ts-nocheck\n// oxlint-disable\nexport type Values = any\nexport function render(): any { throw new Error(${message}) }\n` +
    `export const file = ${JSON.stringify(error.file)}, version = '', usesNonce = false, declared = []\n`
  )
}

const moduleEndings = templateEndings.map((ending) => `${ending}.ts`)

function removeStale(paths: ProjectPaths, files: readonly string[]): number {
  const known = new Set(files)
  const folders = ['views', 'layouts', '.streamed/views']
  return folders.reduce((count, folder) => {
    const kind = folder.replace('.streamed/', '')
    const isKnown = (file: string): boolean => known.has(`${kind}/${file.slice(0, -'.ts'.length)}`)
    return count + removeOthers(join(paths.generated, folder), moduleEndings, isKnown)
  }, 0)
}

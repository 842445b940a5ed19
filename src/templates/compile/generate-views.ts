/** Generates the modules of all templates of a project, and the registry of their names. */
import { existsSync } from 'node:fs'
import { join, posix, relative } from 'node:path'
import {
  projectPaths,
  type ProjectPaths,
  type ViewProject,
  readText,
  removeOthers,
  templateEndings,
  templatesOf,
  writeIfChanged,
  isJade,
  streamedFile,
} from '../../runtime/view.ts'
import { compilePug } from './pug-template.ts'
import {
  registryModule,
  inlineSourceMap,
  type CompileOptions,
  type CompiledTemplate,
} from '../emit.ts'
import { TemplateSet } from './template-set.ts'
import { TemplateError } from '../read.ts'

/** The compiled templates of a project, and their errors. */
export interface GeneratedViews {
  readonly templates: readonly CompiledTemplate[]
  /** The errors in templates; at most one for each template, because the compiler stops at the first. */
  readonly errors: readonly TemplateError[]
  /** The number of files that were written or removed; 0 if all were up to date. */
  readonly changed: number
  /**
   * Runs the proof of the escaping and returns its errors, if the option `proof` is `later`. Otherwise returns none,
   * because `errors` contains them.
   */
  readonly prove: () => readonly TemplateError[]
}

/**
 * Writes `.fw/views/`, `.fw/layouts/` and `.fw/registry.ts`. Does not write unchanged files; removes the files of
 * deleted templates. Returns errors in templates instead of throwing them.
 */
export function generateViews(
  project: ViewProject,
  { proof = 'now' }: { readonly proof?: 'now' | 'later' } = {},
): GeneratedViews {
  const paths = projectPaths(project)
  const files = templatesOf(paths.webInf)
  const set = new TemplateSet({
    read: (file) => readText(join(paths.webInf, file)),
    list: () => files,
  })
  const templates: CompiledTemplate[] = []
  const errors: TemplateError[] = []
  let changed = 0
  for (const file of files.filter((one) => !isJade(one))) {
    const compiled = compileOrError(set, file, compileOptions(paths), proof === 'now')
    if (compiled instanceof TemplateError) errors.push(compiled)
    else templates.push(compiled)
    const module =
      compiled instanceof TemplateError ? brokenModule(compiled) : moduleText(compiled, paths)
    if (writeIfChanged(join(paths.generated, `${file}.ts`), module)) changed++
    if (compiled instanceof TemplateError || compiled.kind !== 'view') continue
    if (writeIfChanged(join(paths.generated, streamedFile(file)), streamedText(set, file, paths)))
      changed++
  }
  for (const file of files.filter(isJade)) {
    const module = pugModule(paths, file)
    if (module instanceof TemplateError) errors.push(module)
    const text = module instanceof TemplateError ? brokenModule(module) : module
    if (writeIfChanged(join(paths.generated, `${file}.ts`), text)) changed++
  }
  const hasControllers = existsSync(join(paths.root, 'src/main/controller/controllers.ts'))
  const registry = registryModule(
    files,
    paths.modules.view,
    hasControllers ? paths.modules.controllers : undefined,
  )
  if (writeIfChanged(join(paths.generated, 'registry.ts'), registry)) changed++
  changed += removeStale(paths, files)
  const prove = (): readonly TemplateError[] =>
    proof === 'now' ? [] : templates.flatMap(({ file }) => proofError(set, file) ?? [])
  return { templates, errors, changed, prove }
}

function proofError(set: TemplateSet, file: string): TemplateError | undefined {
  try {
    set.prove(file)
    return undefined
  } catch (error) {
    if (error instanceof TemplateError) return error
    throw error
  }
}

/** Returns the compiler options for the templates of a project. */
export function compileOptions(paths: ProjectPaths): CompileOptions {
  const webInf = relative(paths.generated, paths.webInf).replaceAll('\\', '/')
  return { modules: paths.modules, webInf }
}

function compileOrError(
  set: TemplateSet,
  file: string,
  options: CompileOptions,
  proves: boolean,
): CompiledTemplate | TemplateError {
  try {
    const compiled = set.compile(file, options)
    return (proves ? proofError(set, file) : undefined) ?? compiled
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

/**
 * Returns the module's code with its source map. `webInf` is the path of `WEB-INF` relative to the generated folder
 * that contains `views` and `layouts`.
 */
export function withSourceMap(template: CompiledTemplate, webInf: string): string {
  const up = '../'.repeat(template.file.split('/').length - 1)
  return template.code + inlineSourceMap(template.sourceMap(posix.join(up, webInf, template.file)))
}

function streamedText(set: TemplateSet, file: string, paths: ProjectPaths): string {
  const options = compileOptions(paths)
  const webInf = posix.join('..', options.webInf!)
  const up = '../'.repeat(file.split('/').length)
  const specifier = (other: string): string => `${up}${other}.ts`
  return withSourceMap(set.compile(file, { ...options, webInf, specifier, inParts: true }), webInf)
}

/**
 * Returns a module for a template with an error. Modules that import it still compile, so that the error is reported
 * only once.
 */
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

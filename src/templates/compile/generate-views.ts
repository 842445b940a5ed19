/** Generates the modules that an application and its type check need: of templates, message keys and settings. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { applicationSettings } from '../../runtime/app.ts'
import {
  type ConfigProblem,
  generateConfigKeys,
  previewConfiguration,
} from '../../runtime/config.ts'
import { generateMessageKeys, MessageCatalog } from '../../runtime/i18n.ts'
import {
  isJade,
  projectPaths,
  type ProjectPaths,
  removeOthers,
  streamedFile,
  templateEndings,
  templateName,
  templatesOf,
  type ViewProject,
  writeIfChanged,
} from '../../runtime/view.ts'
import { compilePug } from './pug-template.ts'
import { type CompiledTemplate, inlineSourceMap } from '../emit.ts'
import { resultOrError, TemplateSet } from './template-set.ts'
import type { TemplateError } from '../read.ts'

/** The compiled templates of a project, and their errors. */
export interface GeneratedViews {
  readonly templates: readonly CompiledTemplate[]
  /** The errors in templates. The compiler stops at the first error of a template, or at the first of several alike. */
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
  const set = new TemplateSet(paths)
  const templates: CompiledTemplate[] = []
  const errors: TemplateError[] = []
  let changed = 0
  const write = (file: string, code: string): void => {
    if (writeIfChanged(join(paths.generated, file), code)) changed++
  }
  const writeTemplate = (file: string): void => {
    if (isJade(file)) return write(`${file}.ts`, compilePug(paths, file).code)
    const compiled = set.compile(file)
    if (proof === 'now') set.prove(file)
    templates.push(compiled)
    write(`${file}.ts`, moduleText(compiled))
    if (compiled.kind !== 'view') return
    const streamed = streamedFile(file)
    write(streamed, moduleText(set.compile(file, { streamed })))
  }
  for (const file of files) {
    const error = resultOrError(() => writeTemplate(file))
    if (error === undefined) continue
    errors.push(error, ...error.others)
    write(`${file}.ts`, brokenModule(error))
  }
  write('registry.ts', registryModule(paths, files))
  changed += removeStale(paths, files)
  const prove = (): readonly TemplateError[] =>
    proof === 'now'
      ? []
      : templates.flatMap(({ file }) => resultOrError(() => set.prove(file)) ?? [])
  return { templates, errors, changed, prove }
}

/** Returns the module's code with its source map. */
export const moduleText = (template: CompiledTemplate): string =>
  template.code + inlineSourceMap(template.sourceMap())

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

/** Returns the module that declares the names and values of all views and layouts for the type checker. */
function registryModule({ root, modules }: ProjectPaths, files: readonly string[]): string {
  const imports: string[] = []
  const views: string[] = []
  const layouts: string[] = []
  for (const file of files) {
    const found = templateName(file)
    if (found === undefined) continue
    // An `.ssp` template takes precedence over a `.jade` template of the same name.
    if (isJade(file) && files.includes(file.replace(/jade$/, 'ssp'))) continue
    const type = `Values${imports.length}`
    imports.push(`import type { Values as ${type} } from ${JSON.stringify(`./${file}.ts`)}`)
    const list = found.kind === 'layout' ? layouts : views
    list.push(`${JSON.stringify(found.name)}: ${type}`)
  }
  const registered: string[] = []
  if (existsSync(join(root, 'src/main/controller/controllers.ts'))) {
    imports.push(`import type { controllers } from ${JSON.stringify(modules.controllers)}`)
    registered.push('readonly controllers: typeof controllers')
  }
  return [
    '/** Generated from the templates. */',
    ...imports,
    `declare module ${JSON.stringify(modules.view)} {`,
    ...interfaceOf('Views', views),
    ...interfaceOf('Layouts', layouts),
    ...interfaceOf('ControllerRegistry', registered),
    '}',
    'export {}',
    '',
  ].join('\n')
}

const interfaceOf = (name: string, members: readonly string[]): string[] =>
  members.length === 0
    ? []
    : [`  interface ${name} {`, ...members.map((member) => `    ${member}`), '  }']

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

/**
 * Writes all generated modules into `.fw`. Does not write unchanged files. An error in a template is reported when the
 * view is rendered; `fw check` reports all of them.
 * @throws FwError `config.invalid`, `i18n.invalid`
 */
export function generateSources(root: string): void {
  generateViews({ root })
  generateKeys(root)
}

/**
 * Writes `.fw/messages.ts` and `.fw/config.ts`, which make an unknown key a type error. Returns the problems in message
 * texts.
 * @throws FwError `config.invalid`, `i18n.invalid` for files that cannot be read
 */
export function generateKeys(root: string): readonly ConfigProblem[] {
  const source = { root }
  const keys = generateConfigKeys(source, applicationSettings)
  writeIfChanged(join(root, '.fw/config.ts'), keys)
  const defaultLocale = previewConfiguration(source).string('i18n.defaultLocale')
  const catalog = MessageCatalog.load(join(root, 'src/main/resources'), { defaultLocale })
  writeIfChanged(join(root, '.fw/messages.ts'), generateMessageKeys(catalog))
  return catalog.problems()
}

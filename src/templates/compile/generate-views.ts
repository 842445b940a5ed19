/** Generates the modules that an application and its type check need: of templates, message keys and settings. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { applicationSettings } from '../../runtime/app.ts'
import {
  type ConfigProblem,
  generateConfigKeys,
  previewConfiguration,
  writeParsedKeyFiles,
} from '../../runtime/config.ts'
import { generateMessageKeys, MessageCatalog } from '../../runtime/i18n.ts'
import {
  isJade,
  projectPaths,
  type ProjectPaths,
  removeOthers,
  streamedFile,
  templateEndings,
  templateFolders,
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
 * Writes `.fw/views/`, `.fw/layouts/`, `.fw/mail/` and `.fw/registry.ts`. Does not write unchanged files; removes the files of
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
    if (compiled.kind !== 'view' || compiled.isMail) return
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
export function brokenModule(error: TemplateError): string {
  const message = JSON.stringify(error.message)
  return (
    `// @ts-nocheck\n// oxlint-disable\nexport type Values = any\nexport function render(..._: any[]): any { throw new Error(${message}) }\n` +
    `export const file = ${JSON.stringify(error.file)}, version = '', usesNonce = false, declared = []\n`
  )
}

/** The interfaces of `fwjs/view` that the registry extends. */
type Registry = 'Views' | 'Layouts' | 'Mails' | 'ControllerRegistry'

/** Returns the module that declares the names and values of all views, layouts and mails for the type checker. */
export function registryModule({ root, modules }: ProjectPaths, files: readonly string[]): string {
  const imports: string[] = []
  const members = new Map<Registry, Map<string, string>>()
  const add = (registry: Registry, name: string, type: string, operator: string): void => {
    const known = members.get(registry) ?? new Map<string, string>()
    const earlier = known.get(name)
    members.set(registry, known.set(name, earlier === undefined ? type : earlier + operator + type))
  }
  for (const file of files) {
    const registry = registryOf(file)
    // An `.ssp` template takes precedence over a `.jade` template of the same name.
    if (registry === undefined || (isJade(file) && files.includes(file.replace(/jade$/, 'ssp'))))
      continue
    const type = `Values${imports.length}`
    imports.push(`import type { Values as ${type} } from ${JSON.stringify(`./${file}.ts`)}`)
    const { name, kind, isMail } = templateName(file)!
    const isLayout = isMail && kind === 'layout'
    // Both bodies of a mail get the same values; a value for a layout is for one of its formats.
    add(registry, isLayout ? `layouts/${name}` : name, type, isLayout ? ' | ' : ' & ')
  }
  if (existsSync(join(root, 'src/main/controller/controllers.ts'))) {
    imports.push(`import type { controllers } from ${JSON.stringify(modules.controllers)}`)
    add('ControllerRegistry', 'controllers', 'typeof controllers', '')
  }
  return [
    '/** Generated from the templates. */',
    ...imports,
    `declare module ${JSON.stringify(modules.view)} {`,
    ...[...members].flatMap(([name, types]) => interfaceOf(name, types)),
    '}',
    'export {}',
    '',
  ].join('\n')
}

/** Returns the interface that lists a template; `undefined` for a partial of mails. */
function registryOf(file: string): Registry | undefined {
  const found = templateName(file)
  if (found === undefined) return undefined
  if (!found.isMail) return found.kind === 'layout' ? 'Layouts' : 'Views'
  return found.kind === 'partial' ? undefined : 'Mails'
}

const interfaceOf = (name: string, types: ReadonlyMap<string, string>): string[] => [
  `  interface ${name} {`,
  ...[...types].map(([member, type]) => `    readonly ${JSON.stringify(member)}: ${type}`),
  '  }',
]

const moduleEndings = templateEndings.map((ending) => `${ending}.ts`)

function removeStale(paths: ProjectPaths, files: readonly string[]): number {
  const known = new Set(files)
  const folders = [...templateFolders, '.streamed/views']
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

/** Returns the code of `.fw/config.ts`, which declares the keys of settings. @throws FwError `config.invalid` */
export const configModule = (root: string): string =>
  generateConfigKeys({ root }, applicationSettings)

/** Returns the code of `.fw/messages.ts`, which declares the keys of messages. @throws FwError as `generateKeys` does */
export const messagesModule = (root: string): string => generateMessageKeys(loadMessages(root))

function loadMessages(root: string): MessageCatalog {
  const defaultLocale = previewConfiguration({ root }).string('i18n.defaultLocale')
  return MessageCatalog.load(join(root, 'src/main/resources'), { defaultLocale })
}

/**
 * Writes `.fw/messages.ts` and `.fw/config.ts`, which make an unknown key a type error, and the parsed files of messages and
 * settings, with which `fw run` and `fw start` need no YAML parser. Returns the problems in message texts.
 * @throws FwError `config.invalid`, `i18n.invalid` for files that cannot be read
 */
export function generateKeys(root: string): readonly ConfigProblem[] {
  writeIfChanged(join(root, '.fw/config.ts'), configModule(root))
  const catalog = loadMessages(root)
  writeIfChanged(join(root, '.fw/messages.ts'), generateMessageKeys(catalog))
  writeParsedKeyFiles(root, join(root, 'src/main/resources'))
  return catalog.problems()
}

/**
 * Writes the beginning and end of a generated module: the imports before the function `render`, and the template's
 * metadata after it.
 */
import { createHash } from 'node:crypto'
import { dirname, join, relative } from 'node:path'
import {
  type DeclaredValue,
  type ProjectPaths,
  type TemplateName,
  versionOf,
} from '../../runtime/view.ts'
import { type ValueNode, importedNames, type TemplateSource } from '../read.ts'
import type { ParsedTemplate } from '../escaping.ts'

/** The properties of an included template that affect the code of the including template. */
export interface IncludedTemplate {
  readonly isAsync: boolean
  readonly usesNonce: boolean
  /** The values of its style attributes, and of those of the templates that it includes. */
  readonly styles: readonly string[]
}

/** The options of the compiler; all are optional. */
export interface CompileOptions {
  /** The folders and modules of the project; by default those of a project in the folder `/`. */
  readonly paths?: ProjectPaths
  /**
   * Returns the path of the module of a template, relative to the folder of generated modules. By default, it is the
   * template's path below `WEB-INF/`, followed by `.ts`.
   */
  readonly moduleFile?: (file: string) => string
  /**
   * The path of the module of a streamed page, relative to the folder of generated modules. If given, `render` is an
   * asynchronous generator that yields the page in parts. Each partial is still rendered as a whole.
   */
  readonly streamed?: string
  /**
   * Returns the properties of an included file, given its path below `WEB-INF/`. Without this function, all partials
   * are synchronous and use no nonce.
   */
  readonly included?: (file: string) => IncludedTemplate
}

export interface ModuleOptions extends CompileOptions, IncludedTemplate {
  readonly paths: ProjectPaths
  readonly moduleFile: (file: string) => string
  readonly declared: readonly DeclaredValue[]
  /** The paths of the included files below `WEB-INF/`. */
  readonly includes: readonly string[]
}

const reserved = new Set(
  (
    's set routes unescape safeUrl break case catch class const continue debugger default delete do else enum export extends ' +
    'false finally for function if import in instanceof new null return super switch this throw true try typeof var void while ' +
    'with yield let static await async implements interface package private protected public arguments eval'
  ).split(' '),
)

/** Throws if a declared value has a name that the generated module or TypeScript reserves. */
export function checkName(
  source: TemplateSource,
  { name, namePos, type, typePos }: ValueNode,
  kind: TemplateName['kind'],
): void {
  if (reserved.has(name) || name.startsWith('__')) {
    throw source.error(namePos, `'${name}' is reserved: choose another name for the value`)
  }
  if (kind === 'layout' && name === 'body' && type !== 'SafeHtml') {
    throw source.error(
      typePos,
      "the 'body' of a layout is of type SafeHtml: write <%@val body: SafeHtml %>, or leave the line out",
    )
  }
}

/** Returns the path from the folder of the template's module to another file, as in an import. */
export function pathFromModule(file: string, target: string, options: ModuleOptions): string {
  const module = join(options.paths.generated, options.streamed ?? options.moduleFile(file))
  const path = relative(dirname(module), target).replaceAll('\\', '/')
  return path.startsWith('.') ? path : './' + path
}

const quote = (text: string): string => `'${text.replace(/[\\']/g, '\\$&')}'`

/** True if the template passes values to its layout. */
export const setsValues = ({ names, nodes }: ParsedTemplate): boolean =>
  names.has('set') || nodes.some((node) => node.kind === 'directive' && node.name === 'set')

/** Returns the import statements in one line, and the start of the interface `Values`. */
export function moduleHead(
  parsed: ParsedTemplate,
  options: ModuleOptions,
  escapers: ReadonlySet<string>,
): string {
  const { paths, moduleFile, includes } = options
  const { modules, generated } = paths
  const own = importedNames(parsed.nodes)
  const fromView = [...escapers].sort().map((name) => `${name} as __${name}`)
  for (const name of ['unescape', 'safeUrl', 'type SafeHtml', 'type SafeUrl']) {
    const plain = name.replace('type ', '')
    if (parsed.names.has(plain) && !own.has(plain)) fromView.push(name)
  }
  const { isMail } = parsed.name
  let head = isMail
    ? `import type { MailHelper as __Fw } from ${quote(modules.compiled)};`
    : `import type { Fw as __Fw } from ${quote(modules.helper)};`
  head += ` import type { PageValues as __Page, SafeHtml as __SafeHtml } from ${quote(modules.compiled)};`
  if (setsValues(parsed))
    head += ` import type { ${isMail ? 'MailSetter' : 'PageSetter'} as __Set } from ${quote(modules.compiled)};`
  if (fromView.length > 0)
    head += ` import { ${fromView.join(', ')} } from ${quote(modules.compiled)};`
  if (parsed.names.has('routes') && !own.has('routes'))
    head += ` import { controllers as routes } from ${quote(modules.controllers)};`
  includes.forEach((file, at) => {
    const path = pathFromModule(parsed.source.file, join(generated, moduleFile(file)), options)
    head += ` import { render as __render${at} } from ${quote(path)};`
  })
  return `${head} export interface Values {${hasImplicitBody(parsed, options) ? ' body: __SafeHtml ' : ''}}`
}

/** Returns the signature of the function that renders the template. */
export function signature({ isAsync, streamed }: ModuleOptions): string {
  const parameters = '(__values: Values, s: __Fw, __page: __Page)'
  if (streamed !== undefined)
    return `async function* render${parameters}: AsyncGenerator<string, string>`
  return isAsync
    ? `async function render${parameters}: Promise<string>`
    : `function render${parameters}: string`
}

/** True for a layout that does not declare its value `body`. The generated module then declares it. */
export function hasImplicitBody({ name }: ParsedTemplate, { declared }: ModuleOptions): boolean {
  return name.kind === 'layout' && !declared.some((value) => value.name === 'body')
}

/**
 * The maximum number of style attributes whose hashes a template adds to the policy: 1 KiB of a header, for which proxies
 * have 4 KiB.
 */
export const maximumStyles = 20

const styleHash = (value: string): string =>
  `'sha256-${createHash('sha256').update(value).digest('base64')}'`

/** Returns the exports that the view engine reads from a loaded module, as code. */
export function moduleTail(
  { source }: ParsedTemplate,
  { declared, usesNonce, styles }: ModuleOptions,
): string {
  const hashes = styles.slice(0, maximumStyles).map(styleHash).join(' ')
  const [written, exported] =
    hashes === ''
      ? ['', '']
      : [` const __styles = ${JSON.stringify(hashes)};`, ' __styles as styles,']
  const metadata = ` const __file = ${quote(source.file)}; const __version = '${versionOf(source.text)}'; const __usesNonce: boolean = ${usesNonce}; const __declared = ${JSON.stringify(declared)};${written}`
  return `${metadata} export { __file as file, __version as version, __usesNonce as usesNonce,${exported} __declared as declared };\n`
}

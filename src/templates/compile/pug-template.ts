/** Compiles a `.jade` view or layout to a module with the package pug, an optional peer dependency. */
import { createRequire } from 'node:module'
import { existsSync } from 'node:fs'
import { dirname, join, posix, relative } from 'node:path'
import { FwError } from '../../runtime/base.ts'
import { type ProjectPaths, readText, versionOf } from '../../runtime/view.ts'
import { TemplateSource } from '../read.ts'

/** A compiled `.jade` template; its module does not import pug. */
export interface PugTemplate {
  readonly code: string
  /** The files that the template includes or extends, as paths below `WEB-INF/`. */
  readonly dependencies: readonly string[]
  /** A hash of the template and its dependencies. */
  readonly version: string
}

/** The function of the package pug that Fw calls. */
interface Pug {
  compileClientWithDependenciesTracked(
    source: string,
    options: object,
  ): { readonly body: string; readonly dependencies: readonly string[] }
}

interface PugError {
  readonly code: string
  readonly msg: string
  readonly line: number
  readonly column?: number
  readonly filename?: string
}

/**
 * Compiles a `.jade` template. `folder` is the folder of the module's folder `views` or `layouts`, relative to `.fw`, and `text` an
 * unsaved text of an editor. The options of pug never contain request data, which reaches a template only as variables.
 * @throws TemplateError at pug's first error; FwError `view.engine-missing` if pug is not installed
 */
export function compilePug(
  paths: ProjectPaths,
  file: string,
  { folder = '', text }: { readonly folder?: string; readonly text?: string } = {},
): PugTemplate {
  const { body, dependencies: absolute } = compileBody(paths, file, text)
  const dependencies = [...new Set(absolute)].map((one) =>
    relative(paths.webInf, one).replaceAll('\\', '/'),
  )
  const texts = [file, ...dependencies].map((one) => readText(join(paths.webInf, one)) ?? '')
  const version = versionOf(...texts)
  const module = join(paths.generated, folder, file)
  const webInf = relative(dirname(module), paths.webInf).replaceAll('\\', '/')
  const code = moduleCode(paths, { file, version, dependencies }, body, webInf)
  return { code, dependencies, version }
}

function compileBody(
  paths: ProjectPaths,
  file: string,
  text = readText(join(paths.webInf, file)) ?? '',
): ReturnType<Pug['compileClientWithDependenciesTracked']> {
  const { root, webInf } = paths
  const path = join(webInf, file)
  const pug = loadPug(root, file)
  try {
    return pug.compileClientWithDependenciesTracked(text, {
      filename: path,
      basedir: webInf,
      doctype: 'html',
      compileDebug: true,
      inlineRuntimeFunctions: true,
      name: '__template',
      plugins: [{ resolve: (name: string, from: string) => resolveInclude(paths, name, from) }],
    })
  } catch (error) {
    const { code, msg, line, column = 1, filename } = error as PugError
    if (typeof code !== 'string' || !code.startsWith('PUG:')) throw error
    const where = filename === undefined ? file : posix.normalize(relative(webInf, filename))
    const own = where === file ? text : readText(join(webInf, where))
    const source = new TemplateSource(where, own ?? '')
    const start = source.starts[line - 1] ?? source.text.length
    throw source.error(Math.min(start + column - 1, source.text.length), msg)
  }
}

/**
 * Resolves the path in an `include` or `extends`. Pug appends `.pug` to a name without an ending; Fw reads the file
 * with `.jade` instead. A path with a leading slash is relative to `WEB-INF/`.
 */
function resolveInclude({ webInf }: ProjectPaths, name: string, from: string): string {
  const path = join(name.startsWith('/') ? webInf : dirname(from), name.trim())
  const jade = path.replace(/\.pug$/, '.jade')
  return existsSync(jade) ? jade : path
}

function loadPug(root: string, file: string): Pug {
  for (const from of [join(root, 'package.json'), import.meta.url]) {
    const require = createRequire(from)
    try {
      require.resolve('pug')
    } catch {
      continue
    }
    return require('pug') as Pug
  }
  throw new FwError('view.engine-missing', `WEB-INF/${file} needs pug: npm install --save-dev pug`)
}

const rethrow =
  'pug_rethrow(err, pug_debug_filename, pug_debug_line, pug_debug_sources[pug_debug_filename]);'

/**
 * Returns the code of the module. If the template throws, the module adds the template's line to the error's stack, as
 * `.ssp` templates do, instead of pug's message.
 */
function moduleCode(
  paths: ProjectPaths,
  metadata: Omit<PugTemplate, 'code'> & { readonly file: string },
  body: string,
  webInf: string,
): string {
  const folder = JSON.stringify(paths.webInf + '/')
    .slice(1, -1)
    .replaceAll('/', '\\u002F')
  const code = body
    .replaceAll(`pug_debug_filename = "${folder}`, 'pug_debug_filename = "')
    .replace(/^(.*)var pug_debug_sources = \{.*\};$/m, '$1')
    .replace(
      rethrow,
      'throw __addTemplateFrame(err, __webInf, pug_debug_filename, pug_debug_line);',
    )
  return [
    '// @ts-nocheck',
    `/** Generated from ${metadata.file}. */`,
    `import { addTemplateFrame as __addTemplateFrame } from ${JSON.stringify(paths.modules.compiled)}`,
    'export type Values = Readonly<Record<string, unknown>>',
    `const __webInf = new URL(${JSON.stringify(webInf + '/')}, import.meta.url)`,
    code,
    'export function render(values, s, page) { return __template({ __proto__: null, ...values, ...page, s }) }',
    ...Object.entries(metadata).map(
      ([name, value]) => `export const ${name} = ${JSON.stringify(value)}`,
    ),
    'export const usesNonce = false, declared = []',
    '',
  ].join('\n')
}

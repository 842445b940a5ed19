/** `AssetsController`: serves the scripts and style sheets of development at `/assets/js/*` and `/assets/css/*`. */
import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { microFilter, type FwMicroFilter } from '../controller.ts'
import { bodyEntityTag, findContainedFile, fileResponse, httpDate, mediaTypeOf } from '../http.ts'
import type { ServletContext } from './servlet-context.ts'

/** Compiles the source of a script or style sheet; `path` is the path of the source file. */
export type AssetCompiler = (source: string, path: string) => string | Promise<string>

type Kind = 'js' | 'css'

interface Compiled {
  /** The time of the source, by which it is compiled again. */
  readonly mtimeMs: number
  readonly text: string
  readonly tag: string
}

/**
 * Serves scripts and style sheets. It searches `webapp/assets`, then `webapp/WEB-INF/assets`, then the source files of
 * registered compilers. Other paths are left to the controllers mounted after it. It is disabled in staging and production,
 * where the built files in `assets` are served as public files.
 */
export class AssetsController {
  readonly #compilers: Readonly<Record<Kind, Map<string, AssetCompiler>>> = {
    js: new Map(),
    css: new Map(),
  }
  readonly #compiled = new Map<string, Compiled>()
  #folders: readonly string[] = []

  /** True disables the controller in staging; override it with false to enable it. */
  get isDisabledInStaging(): boolean {
    return true
  }

  /** True disables the controller in production; override it with false to enable it. */
  get isDisabledInProduction(): boolean {
    return true
  }

  /** Registers a compiler: `/assets/js/app.js` is compiled from `app.<extension>`, again whenever that file changes. */
  registerJsCompiler(extension: string, compile: AssetCompiler): this {
    this.#compilers.js.set(extension, compile)
    return this
  }

  /** Registers a compiler: `/assets/css/app.css` is compiled from `app.<extension>`, again whenever that file changes. */
  registerCssCompiler(extension: string, compile: AssetCompiler): this {
    this.#compilers.css.set(extension, compile)
    return this
  }

  mount(ctx: ServletContext, prefix = ''): void {
    const { env } = ctx.configuration
    if (env.isProduction() && this.isDisabledInProduction) return
    if (env.isStaging() && this.isDisabledInStaging) return
    const webapp = join(ctx.root, 'src/main/webapp')
    this.#folders = [join(webapp, 'assets'), join(webapp, 'WEB-INF/assets')]
    microFilter((r) => ({
      js: r.get('/assets/js/*', (c) => this.#respond(c, 'js')).as('js'),
      css: r.get('/assets/css/*', (c) => this.#respond(c, 'css')).as('css'),
    }))
      .describe({ hidden: true })
      .mount(ctx, prefix)
  }

  async #respond(c: FwMicroFilter, kind: Kind): Promise<unknown> {
    const name = c.multiParams.get('splat')[0] ?? ''
    const isAsset = name.endsWith(`.${kind}`) || name.endsWith(`.${kind}.map`)
    const isHidden = (segment: string) => segment === '' || segment.startsWith('.')
    if (!isAsset || name.split('/').some(isHidden)) c.pass()
    for (const folder of this.#folders) {
      const response = await fileResponse(c.request.http, name, { root: join(folder, kind) })
      if (response !== undefined) return response
    }
    return (await this.#compile(c, kind, name)) ?? c.pass()
  }

  async #compile(c: FwMicroFilter, kind: Kind, name: string): Promise<unknown> {
    const stem = name.slice(0, -kind.length)
    for (const folder of this.#folders) {
      for (const [extension, compile] of this.#compilers[kind]) {
        const source = await findContainedFile(join(folder, kind), stem + extension)
        if (source === undefined) continue
        const { mtimeMs, text, tag } = await this.#compiledText(source.path, compile)
        const { headers } = c.response
        headers.set('Content-Type', mediaTypeOf(name)!)
        headers.set('Last-Modified', httpDate(new Date(mtimeMs)))
        headers.set('ETag', tag)
        headers.set('Cache-Control', 'private, no-cache')
        return text
      }
    }
    return undefined
  }

  async #compiledText(path: string, compile: AssetCompiler): Promise<Compiled> {
    const { mtimeMs } = await stat(path)
    const known = this.#compiled.get(path)
    if (known?.mtimeMs === mtimeMs) return known
    const text = await compile(await readFile(path, 'utf8'), path)
    const compiled = { mtimeMs, text, tag: bodyEntityTag(text) }
    this.#compiled.set(path, compiled)
    return compiled
  }
}

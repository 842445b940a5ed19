/** Serves scripts and style sheets that no build step has made public: `/assets/js/*` and `/assets/css/*`. */
import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { microFilter, type FwMicroFilter } from '../controller.ts'
import { entityTag, fileInside, fileResponse, httpDate, mediaTypeOf } from '../http.ts'
import type { ServletContext } from './servlet-context.ts'

/** Makes a script or a style sheet out of its source; `path` is the source's own. */
export type AssetCompiler = (source: string, path: string) => string | Promise<string>

type Kind = 'js' | 'css'
type Answer = Promise<unknown>

interface Compiled {
  readonly mtimeMs: number
  readonly text: string
}

/**
 * Looks below `webapp` in `assets/js`, then `WEB-INF/assets/js` (and `css`), then for a source of a registered compiler.
 * What it does not find goes on to the next controller. In staging and production it serves nothing unless told so:
 * there, built files are public in `assets`.
 */
export class AssetsController {
  readonly #compilers: Readonly<Record<Kind, Map<string, AssetCompiler>>> = {
    js: new Map(),
    css: new Map(),
  }
  readonly #compiled = new Map<string, Compiled>()
  #folders: readonly string[] = []

  /** Override it with false to serve in staging too. */
  get isDisabledInStaging(): boolean {
    return true
  }

  /** Override it with false to serve in production too. */
  get isDisabledInProduction(): boolean {
    return true
  }

  /** `/assets/js/app.js` may come of `app.<extension>`; compiled again whenever the source has changed. */
  registerJsCompiler(extension: string, compile: AssetCompiler): this {
    this.#compilers.js.set(extension, compile)
    return this
  }

  /** `/assets/css/app.css` may come of `app.<extension>`. */
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
      js: r.get('/assets/js/*', (c) => this.#answer(c, 'js')).as('js'),
      css: r.get('/assets/css/*', (c) => this.#answer(c, 'css')).as('css'),
    }))
      .describe({ hidden: true })
      .mount(ctx, prefix)
  }

  async #answer(c: FwMicroFilter, kind: Kind): Answer {
    const name = c.multiParams.get('splat')[0] ?? ''
    const isAsset = name.endsWith(`.${kind}`) || name.endsWith(`.${kind}.map`)
    if (!isAsset || name.split('/').some((segment) => segment.startsWith('.'))) c.pass()
    for (const folder of this.#folders) {
      const found = await fileResponse(c.request.http, name, { root: join(folder, kind) })
      if (found !== undefined) return found
    }
    return (await this.#compile(c, kind, name)) ?? c.pass()
  }

  async #compile(c: FwMicroFilter, kind: Kind, name: string): Answer {
    const stem = name.slice(0, -kind.length)
    for (const folder of this.#folders) {
      for (const [extension, compile] of this.#compilers[kind]) {
        const source = await fileInside(join(folder, kind), stem + extension)
        if (source === undefined) continue
        const { mtimeMs, text } = await this.#compiledText(source.path, compile)
        const { headers } = c.response
        headers.set('Content-Type', mediaTypeOf(name)!)
        headers.set('Last-Modified', httpDate(new Date(mtimeMs)))
        headers.set('ETag', entityTag(`${mtimeMs}-${text.length}`))
        headers.set('Cache-Control', 'no-cache')
        return text
      }
    }
    return undefined
  }

  async #compiledText(path: string, compile: AssetCompiler): Promise<Compiled> {
    const { mtimeMs } = await stat(path)
    const known = this.#compiled.get(path)
    if (known?.mtimeMs === mtimeMs) return known
    const made = { mtimeMs, text: await compile(await readFile(path, 'utf8'), path) }
    this.#compiled.set(path, made)
    return made
  }
}

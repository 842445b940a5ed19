/** Loads all generated modules at the start; nothing is compiled afterwards. */
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { FwError } from '../base.ts'
import type { CompiledView } from './engine.ts'
import type { ProjectPaths } from './project.ts'
import { templatesOf } from './template-files.ts'
import type { ViewLoader } from './view-loader.ts'

export class ProductionLoader implements ViewLoader {
  readonly #paths: ProjectPaths
  readonly #views = new Map<string, CompiledView>()
  #loaded: Promise<void> | undefined

  constructor(paths: ProjectPaths) {
    this.#paths = paths
  }

  load(): Promise<void> {
    this.#loaded ??= this.#loadAll()
    return this.#loaded
  }

  find(file: string): CompiledView | undefined {
    if (this.#loaded === undefined) {
      throw new FwError(
        'view.not-generated',
        `The views are not loaded yet when ${file} is asked for: await load() of the view engine at the start.`,
      )
    }
    return this.#views.get(file)
  }

  files(): readonly string[] {
    return [...this.#views.keys()]
  }

  loaded(): Iterable<readonly [string, CompiledView]> {
    return this.#views
  }

  async #loadAll(): Promise<void> {
    const { generated, webInf } = this.#paths
    const modules = templatesOf(generated, ['.ssp.js', '.ssp.ts'])
    this.#requireAll(new Set(modules.map((file) => file.slice(0, -3))), templatesOf(webInf))
    const loaded = await Promise.all(
      modules.map(
        (file) => import(pathToFileURL(join(generated, file)).href) as Promise<CompiledView>,
      ),
    )
    modules.forEach((file, at) => {
      const template = file.slice(0, -3)
      if (!this.#views.has(template)) this.#views.set(template, loaded[at]!)
    })
  }

  /** The templates themselves need not be there in production; those that are must have been generated. */
  #requireAll(modules: ReadonlySet<string>, templates: readonly string[]): void {
    const missing = templates.filter((file) => !modules.has(file))
    if (missing.length === 0) return
    throw new FwError(
      'view.not-generated',
      `WEB-INF/${missing[0]} has no generated module in ${this.#paths.generated}: run fw check or fw build first.`,
    )
  }
}

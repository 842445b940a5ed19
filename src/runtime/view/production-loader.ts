/** Loads all generated modules when the application starts. It never compiles a template. */
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { FwError } from '../base.ts'
import type { CompiledView, StreamedView, ViewLoader } from './engine.ts'
import { isJade, streamedFile } from './template-name.ts'
import type { ProjectPaths } from './project.ts'
import { readText, templateEndings, templatesOf, versionOf } from './template-files.ts'

const moduleEndings = templateEndings.flatMap((ending) => [`${ending}.js`, `${ending}.ts`])

export class ProductionLoader implements ViewLoader {
  readonly #paths: ProjectPaths
  readonly #views = new Map<string, CompiledView>()
  /** The extension of each module, `ts` or `js`, by its template. */
  readonly #endings = new Map<string, string>()
  #loaded: Promise<void> | undefined

  constructor(paths: ProjectPaths) {
    this.#paths = paths
  }

  load(): Promise<void> {
    this.#loaded ??= this.#loadAll()
    return this.#loaded
  }

  find(file: string): CompiledView | undefined {
    return this.#views.get(file)
  }

  async findStreamed(file: string): Promise<StreamedView | undefined> {
    const view = this.find(file)
    if (view === undefined || isJade(file)) return undefined
    const module = streamedFile(file).replace(/ts$/, this.#endings.get(file)!)
    const streamed = (await import(
      pathToFileURL(join(this.#paths.generated, module)).href
    )) as StreamedView
    if (streamed.version === view.version) return streamed
    throw this.#stale(file)
  }

  files(): readonly string[] {
    return [...this.#views.keys()]
  }

  loaded(): Iterable<readonly [string, CompiledView]> {
    return this.#views
  }

  async #loadAll(): Promise<void> {
    const { generated, webInf } = this.#paths
    const modules = templatesOf(generated, moduleEndings)
    this.#requireAll(new Set(modules.map((file) => file.slice(0, -3))), templatesOf(webInf))
    for (const file of modules) {
      const template = file.slice(0, -3)
      if (this.#views.has(template)) continue
      // One after another, because Node needs several times the memory for many imports at once (findings/node-many-dynamic-imports.sh).
      const view = (await import(pathToFileURL(join(generated, file)).href)) as CompiledView
      this.#requireCurrent(template, view)
      this.#views.set(template, view)
      this.#endings.set(template, file.slice(-2))
    }
  }

  #requireCurrent(file: string, { version, dependencies = [] }: CompiledView): void {
    const texts = [file, ...dependencies].map((one) => readText(join(this.#paths.webInf, one)))
    if (texts[0] === undefined) return
    if (versionOf(...texts.map((text) => text ?? '')) !== version) throw this.#stale(file)
  }

  #stale(file: string): FwError {
    return new FwError(
      'view.not-generated',
      `WEB-INF/${file} is not what ${this.#paths.generated} was generated from: run fw build again.`,
    )
  }

  /** Requires a generated module for every template. The templates themselves may be absent in production. */
  #requireAll(modules: ReadonlySet<string>, templates: readonly string[]): void {
    const missing = templates.filter((file) => !modules.has(file))
    if (missing.length === 0) return
    throw new FwError(
      'view.not-generated',
      `WEB-INF/${missing[0]} has no generated module in ${this.#paths.generated}: run fw build first.`,
    )
  }
}

/** Makes the engine of an application's views. */
import { join } from 'node:path'
import { DevelopmentLoader } from './development-loader.ts'
import type { CompiledView, StreamedView, ViewEngine, ViewFormat } from './engine.ts'
import { ProductionLoader } from './production-loader.ts'
import { projectPaths, type ProjectPaths, type ViewProject } from './project.ts'
import type { ViewLoader } from './view-loader.ts'
import { layoutFileOf, templateName, viewFileOf } from './template-name.ts'

/** How an application's templates are found. */
export interface ViewEngineOptions extends ViewProject {
  /**
   * `development` compiles a template when it is first asked for and again when it or a partial of it changes.
   * `production`, which tests use too, loads what `generateViews` wrote and never compiles.
   */
  readonly mode: 'development' | 'production'
}

/**
 * The engine of an application's `.ssp` and `.jade` templates. In production `load()` must be awaited before the first page.
 */
export function createViewEngine(options: ViewEngineOptions): ViewEngine {
  const paths = projectPaths(options)
  const loader =
    options.mode === 'development' ? new DevelopmentLoader(paths) : new ProductionLoader(paths)
  return new FileViewEngine(loader, paths)
}

class FileViewEngine implements ViewEngine {
  readonly #loader: ViewLoader
  readonly #paths: ProjectPaths
  /** What is loaded for good, by format and the name as it is usually written. */
  readonly #loaded = new Map<ViewFormat, Map<string, CompiledView>>()
  readonly #layouts = new Map<string, CompiledView>()

  constructor(loader: ViewLoader, paths: ProjectPaths) {
    this.#loader = loader
    this.#paths = paths
  }

  async load(): Promise<void> {
    await this.#loader.load()
    for (const [file, view] of this.#loader.loaded()) {
      const { kind, name, format } = templateName(file)!
      if (kind === 'layout') this.#layouts.set(name, view)
      if (kind !== 'view') continue
      const views = this.#loaded.get(format) ?? new Map<string, CompiledView>()
      this.#loaded.set(
        format,
        views.set(format === 'html' ? name : name.slice(0, -format.length - 1), view),
      )
    }
  }

  find(
    view: string,
    format: ViewFormat,
  ): CompiledView | undefined | Promise<CompiledView | undefined> {
    const loaded = this.#loaded.get(format)?.get(view)
    if (loaded !== undefined) return loaded
    const file = viewFileOf(view, format)
    return file === undefined ? undefined : this.#findFile(file)
  }

  findLayout(layout: string): CompiledView | undefined | Promise<CompiledView | undefined> {
    const loaded = this.#layouts.get(layout)
    if (loaded !== undefined) return loaded
    const file = layoutFileOf(layout)
    return file === undefined ? undefined : this.#findFile(file)
  }

  async findStreamed(view: string, format: ViewFormat): Promise<StreamedView | undefined> {
    const file = viewFileOf(view, format)
    if (file === undefined) return undefined
    const streamed = await this.#loader.findStreamed(file)
    if (streamed !== undefined) return streamed
    const other = await this.#loader.find(jadeFileOf(file))
    return other && inOnePart(other)
  }

  #findFile(file: string): CompiledView | undefined | Promise<CompiledView | undefined> {
    return this.#loader.find(file) ?? this.#loader.find(jadeFileOf(file))
  }

  names(format: ViewFormat): readonly string[] {
    const found = this.#loader
      .files()
      .map(templateName)
      .filter((one) => one?.kind === 'view' && one.format === format)
    return found.map((one) => one!.name).sort()
  }

  expectedFile(view: string, format: ViewFormat): string {
    const file = viewFileOf(view, format) ?? `views/${view.replace(/^\/+/, '')}.${format}.ssp`
    return join(this.#paths.webInf, file)
      .slice(this.#paths.root.length + 1)
      .replaceAll('\\', '/')
  }
}

const jadeFileOf = (file: string): string => file.replace(/ssp$/, 'jade')

/** What it renders is a page's last part, and its only one. */
function inOnePart(view: CompiledView): StreamedView {
  return {
    ...view,
    render(values, helper, page) {
      return { next: async () => ({ done: true, value: await view.render(values, helper, page) }) }
    },
  }
}

/** Makes the engine of an application's views. */
import { join } from 'node:path'
import { DevelopmentLoader } from './development-loader.ts'
import type { CompiledView, TemplateEngine, ViewEngine, ViewFormat } from './engine.ts'
import { ForeignTemplates } from './foreign-templates.ts'
import { ProductionLoader } from './production-loader.ts'
import { projectPaths, type ProjectPaths, type ViewProject } from './project.ts'
import { layoutFileOf, templateName, viewFileOf } from './template-name.ts'

/** How an application's templates are found. */
export interface ViewEngineOptions extends ViewProject {
  /**
   * `development` compiles a template when it is first asked for and again when it or a partial of it changes.
   * `production`, which tests use too, loads what `generateViews` wrote and never compiles.
   */
  readonly mode: 'development' | 'production'
  /** Other template languages; a `.jade` template without one is the error `view.engine-missing`. */
  readonly engines?: readonly TemplateEngine[]
}

/** Loads templates by their file below `WEB-INF/`. */
export interface ViewLoader {
  load(): Promise<void>
  find(file: string): CompiledView | undefined | Promise<CompiledView | undefined>
  files(): readonly string[]
}

export function createViewEngine(options: ViewEngineOptions): ViewEngine {
  const paths = projectPaths(options)
  const loader = options.mode === 'development' ? new DevelopmentLoader(paths) : new ProductionLoader(paths)
  return new SspEngine(loader, new ForeignTemplates(paths, options.mode, options.engines ?? []), paths)
}

class SspEngine implements ViewEngine {
  readonly #loader: ViewLoader
  readonly #foreign: ForeignTemplates
  readonly #paths: ProjectPaths

  constructor(loader: ViewLoader, foreign: ForeignTemplates, paths: ProjectPaths) {
    this.#loader = loader
    this.#foreign = foreign
    this.#paths = paths
  }

  async load(): Promise<void> {
    await this.#loader.load()
    this.#foreign.load()
  }

  find(view: string, format: ViewFormat): CompiledView | undefined | Promise<CompiledView | undefined> {
    const file = viewFileOf(view, format)
    return file === undefined ? undefined : this.#findFile(file)
  }

  findLayout(layout: string): CompiledView | undefined | Promise<CompiledView | undefined> {
    const file = layoutFileOf(layout)
    return file === undefined ? undefined : this.#findFile(file)
  }

  #findFile(file: string): CompiledView | undefined | Promise<CompiledView | undefined> {
    return this.#loader.find(file) ?? this.#foreign.find(file)
  }

  names(format: ViewFormat): readonly string[] {
    const found = this.#loader.files().map(templateName).filter((one) => one?.kind === 'view' && one.format === format)
    return found.map((one) => one!.name).sort()
  }

  expectedFile(view: string, format: ViewFormat): string {
    const file = viewFileOf(view, format) ?? `views/${view.replace(/^\/+/, '')}.${format}.ssp`
    return join(this.#paths.webInf, file).slice(this.#paths.root.length + 1).replaceAll('\\', '/')
  }
}

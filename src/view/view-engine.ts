/** Makes the engine of `.ssp` templates: compiling on demand in development, only loading in production. */
import type { TemplateEngine, ViewEngine } from './engine.ts'
import type { ViewProject } from './project.ts'

/** How an application's templates are found. */
export interface ViewEngineOptions extends ViewProject {
  /**
   * `development` compiles a template when it is first asked for and again when it, a partial of it or its layout changes.
   * `production`, which tests use too, loads what `fw build`, `fw check` or `fw test` generated and never compiles.
   */
  readonly mode: 'development' | 'production'
  /** Other template languages; `.jade` without one is the error `view.engine-missing`. */
  readonly engines?: readonly TemplateEngine[]
}

export function createViewEngine(options: ViewEngineOptions): ViewEngine {
  void options
  throw new Error('unfinished')
}

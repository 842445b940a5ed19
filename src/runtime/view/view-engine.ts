/** Creates the view engine of an application. */
import { join } from 'node:path'
import { FwError } from '../base.ts'
import type { CompiledView, StreamedView, ViewEngine, ViewFormat, ViewLoader } from './engine.ts'
import { ProductionLoader } from './production-loader.ts'
import { projectPaths, type ProjectPaths, type ViewProject } from './project.ts'
import {
  fragmentFileOf,
  layoutFileOf,
  mailFileOf,
  mailLayoutFileOf,
  templateName,
  viewFileOf,
  type TemplateName,
} from './template-name.ts'

/** The options of the view engine. */
export interface ViewEngineOptions extends ViewProject {
  /**
   * The mode. `development` compiles a template when it is first rendered, and again when it or one of its partials
   * changes. `production`, which tests also use, loads the modules that `generateViews` has written, and never
   * compiles.
   */
  readonly mode: 'development' | 'production'
}

type CreateLoader = (paths: ProjectPaths) => ViewLoader | Promise<ViewLoader>

let createDevelopmentLoader: CreateLoader | undefined

/**
 * Registers the loader of development mode. The entry points of the package call this function with a dynamic import of
 * the template compiler, so that production never loads the compiler.
 */
export function registerDevelopmentLoader(create: CreateLoader): void {
  createDevelopmentLoader = create
}

/** Creates the engine of an application's `.ssp` and `.jade` templates. Await `load()` before rendering the first page. */
export function createViewEngine(options: ViewEngineOptions): ViewEngine {
  return new FileViewEngine(options.mode, projectPaths(options))
}

async function createLoader(
  mode: ViewEngineOptions['mode'],
  paths: ProjectPaths,
): Promise<ViewLoader> {
  if (mode === 'production') return new ProductionLoader(paths)
  if (createDevelopmentLoader !== undefined) return createDevelopmentLoader(paths)
  throw new FwError(
    'view.not-generated',
    "Development mode needs the template compiler: import 'fwjs' before the views are loaded.",
  )
}

type Found = ReturnType<ViewEngine['find']>

class FileViewEngine implements ViewEngine {
  readonly #mode: ViewEngineOptions['mode']
  readonly #paths: ProjectPaths
  #loading: Promise<ViewLoader> | undefined
  #loader: ViewLoader | undefined
  /** The views that stay loaded for good, by format, and then by name without the format. */
  readonly #loaded = new Map<ViewFormat, Map<string, CompiledView>>()
  readonly #layouts = new Map<string, CompiledView>()
  readonly #partials = new Map<string, CompiledView>()

  constructor(mode: ViewEngineOptions['mode'], paths: ProjectPaths) {
    this.#mode = mode
    this.#paths = paths
  }

  async load(): Promise<void> {
    this.#loading ??= createLoader(this.#mode, this.#paths)
    const loader = await this.#loading
    await loader.load()
    this.#loader = loader
    for (const [file, view] of loader.loaded()) {
      const { kind, name, format, isMail } = templateName(file)!
      if (isMail) continue
      if (kind === 'layout') this.#layouts.set(name, view)
      if (kind === 'partial' && format === 'html') this.#partials.set(name, view)
      if (kind !== 'view') continue
      const views = this.#loaded.get(format) ?? new Map<string, CompiledView>()
      this.#loaded.set(
        format,
        views.set(format === 'html' ? name : name.slice(0, -format.length - 1), view),
      )
    }
  }

  find(view: string, format: ViewFormat): Found {
    return this.#loaded.get(format)?.get(view) ?? this.#findFile(viewFileOf(view, format))
  }

  findFragment(name: string): Found {
    const loaded = this.#partials.get(name) ?? this.#loaded.get('html')?.get(name)
    return loaded ?? this.#findFile(fragmentFileOf(name))
  }

  findLayout(layout: string): Found {
    return this.#layouts.get(layout) ?? this.#findFile(layoutFileOf(layout))
  }

  findMail(mail: string, format: ViewFormat): Found {
    const file = mailFileOf(mail, format)
    return file === undefined ? undefined : this.#requireLoader(file).find(file)
  }

  findMailLayout(layout: string, format: ViewFormat): Found {
    const file = mailLayoutFileOf(layout, format)
    return file === undefined ? undefined : this.#requireLoader(file).find(file)
  }

  async findStreamed(view: string, format: ViewFormat): Promise<StreamedView | undefined> {
    const file = viewFileOf(view, format)
    if (file === undefined) return undefined
    const loader = this.#requireLoader(file)
    const streamed = await loader.findStreamed(file)
    if (streamed !== undefined) return streamed
    const other = await loader.find(jadeFileOf(file))
    return other && inOnePart(other)
  }

  #findFile(file: string | undefined): Found {
    if (file === undefined) return undefined
    const loader = this.#requireLoader(file)
    return loader.find(file) ?? loader.find(jadeFileOf(file))
  }

  #requireLoader(file: string): ViewLoader {
    if (this.#loader !== undefined) return this.#loader
    throw new FwError(
      'view.not-generated',
      `The view engine is asked for ${file} before its views are loaded: await load() at the start.`,
    )
  }

  has(view: string, format: ViewFormat): boolean {
    if (this.#loaded.get(format)?.has(view) === true) return true
    const file = viewFileOf(view, format)
    const files = this.#loader?.files() ?? []
    return file !== undefined && (files.includes(file) || files.includes(jadeFileOf(file)))
  }

  names(format: ViewFormat): readonly string[] {
    return this.#namesWhere((one) => !one.isMail && one.kind === 'view' && one.format === format)
  }

  fragmentNames(): readonly string[] {
    return this.#namesWhere((one) => !one.isMail && one.kind !== 'layout' && one.format === 'html')
  }

  mailNames(): readonly string[] {
    return [...new Set(this.#namesWhere((one) => one.isMail && one.kind === 'view'))]
  }

  #namesWhere(test: (name: TemplateName) => boolean): readonly string[] {
    const found = (this.#loader?.files() ?? []).map(templateName)
    return found.flatMap((one) => (one !== undefined && test(one) ? one.name : [])).sort()
  }

  expectedFile(view: string, format: ViewFormat): string {
    const file = viewFileOf(view, format) ?? `views/${view.replace(/^\/+/, '')}.${format}.ssp`
    return join(this.#paths.webInf, file)
      .slice(this.#paths.root.length + 1)
      .replaceAll('\\', '/')
  }
}

const jadeFileOf = (file: string): string => file.replace(/ssp$/, 'jade')

/** Converts a view to a streamed page with a single part. */
function inOnePart(view: CompiledView): StreamedView {
  return {
    ...view,
    render(values, helper, page) {
      return { next: async () => ({ done: true, value: await view.render(values, helper, page) }) }
    },
  }
}

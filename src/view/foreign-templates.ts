/** Templates of another language, such as jade: found beside `.ssp` ones, compiled by the engine that the application gives. */
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { FwError } from '../base.ts'
import type { CompiledView, TemplateEngine } from './engine.ts'
import type { ProjectPaths } from './project.ts'
import { readText, templatesOf } from './template-files.ts'

interface Compiled {
  readonly view: CompiledView
  readonly stamp: number
}

/** Languages that are named in the error when nothing renders them. */
const packages: Readonly<Record<string, string>> = { jade: 'pug', pug: 'pug', mustache: 'mustache' }

export class ForeignTemplates {
  readonly #paths: ProjectPaths
  readonly #mode: 'development' | 'production'
  readonly #engines: ReadonlyMap<string, TemplateEngine>
  readonly #compiled = new Map<string, Compiled>()
  #known: ReadonlySet<string> | undefined

  constructor(
    paths: ProjectPaths,
    mode: 'development' | 'production',
    engines: readonly TemplateEngine[],
  ) {
    this.#paths = paths
    this.#mode = mode
    this.#engines = new Map(engines.map((engine) => [engine.extension, engine]))
  }

  /** Compiles all of them, so that production compiles nothing later and misses no engine. */
  load(): void {
    if (this.#mode === 'development') return
    const files = templatesOf(
      this.#paths.webInf,
      this.#extensions().map((one) => '.' + one),
    )
    this.#known = new Set(files)
    for (const file of files) this.#compile(file)
  }

  /** `file` is the `.ssp` one in whose place it stands: `layouts/default.ssp`. */
  find(file: string): CompiledView | undefined {
    for (const extension of this.#extensions()) {
      const other = file.slice(0, -'ssp'.length) + extension
      if (this.#known !== undefined ? this.#known.has(other) : this.#modified(other) !== 0)
        return this.#compile(other)
    }
    return undefined
  }

  #extensions(): string[] {
    return [...new Set([...this.#engines.keys(), ...Object.keys(packages)])]
  }

  #modified(file: string): number {
    return statSync(join(this.#paths.webInf, file), { throwIfNoEntry: false })?.mtimeMs ?? 0
  }

  #compile(file: string): CompiledView {
    const known = this.#compiled.get(file)
    if (
      known !== undefined &&
      (this.#mode === 'production' || known.stamp === this.#modified(file))
    )
      return known.view
    const stamp = this.#modified(file)
    const render = this.#engineOf(file).compile(
      readText(join(this.#paths.webInf, file)) ?? '',
      file,
    )
    const view: CompiledView = {
      file,
      version: '',
      declared: [],
      usesNonce: false,
      render: (values, helper, page) => render({ ...values, ...page, s: helper }),
    }
    this.#compiled.set(file, { view, stamp })
    return view
  }

  #engineOf(file: string): TemplateEngine {
    const extension = file.slice(file.lastIndexOf('.') + 1)
    const engine = this.#engines.get(extension)
    if (engine !== undefined) return engine
    throw new FwError(
      'view.engine-missing',
      `WEB-INF/${file} needs a template engine for .${extension}: install ${packages[extension] ?? 'one'} and give it to the view engine as ` +
        `engines: [{ extension: '${extension}', compile }].`,
    )
  }
}

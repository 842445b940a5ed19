/** Compiles a template when it is first rendered, and again when the template or an included file has changed. */
import { rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import {
  type CompiledView,
  isJade,
  type ProjectPaths,
  type StreamedView,
  templatesOf,
  versionOf,
  type ViewLoader,
  writeIfChanged,
} from '../../runtime/view.ts'
import { moduleText } from './generate-views.ts'
import { compilePug } from './pug-template.ts'
import { TemplateSet } from './template-set.ts'

/** The modification times and sizes of files when they were read, by their paths. */
type Stamps = ReadonlyMap<string, string>

interface Loaded {
  readonly view: CompiledView
  /** The stamps of the template and each included file. */
  readonly stamps: Stamps
}

/**
 * Compiles each version of a template to a file with another name, because Node caches modules by URL. The file is
 * `.fw/.dev/<file>.<version>.ts`. The version is a hash of the template and all its includes. `tsc` ignores folders
 * that start with a dot.
 */
export class DevelopmentLoader implements ViewLoader {
  readonly #paths: ProjectPaths
  readonly #loaded = new Map<string, Loaded>()
  readonly #loading = new Map<string, Promise<CompiledView>>()
  #cleaned = false

  constructor(paths: ProjectPaths) {
    this.#paths = paths
  }

  async load(): Promise<void> {}

  find(file: string): CompiledView | undefined | Promise<CompiledView | undefined> {
    const loaded = this.#loaded.get(file)
    if (loaded !== undefined && this.#isFresh(loaded)) return loaded.view
    if (this.#stamp(file) === '') return undefined
    const loading =
      this.#loading.get(file) ?? this.#compile(file).finally(() => this.#loading.delete(file))
    this.#loading.set(file, loading)
    return loading
  }

  files(): readonly string[] {
    return templatesOf(this.#paths.webInf)
  }

  loaded(): Iterable<readonly [string, CompiledView]> {
    return []
  }

  #stamp(file: string): string {
    const stat = statSync(join(this.#paths.webInf, file), { throwIfNoEntry: false })
    return stat === undefined ? '' : `${stat.mtimeMs} ${stat.size}`
  }

  #stamps(files: readonly string[]): Stamps {
    return new Map(files.map((file) => [file, this.#stamp(file)]))
  }

  #isFresh({ stamps }: Loaded): boolean {
    for (const [file, stamp] of stamps) if (this.#stamp(file) !== stamp) return false
    return true
  }

  async #compile(file: string): Promise<CompiledView> {
    this.#clean()
    const { module, stamps } = isJade(file) ? this.#writePug(file) : this.#write(file)
    const view = (await this.#import(module)) as CompiledView
    this.#loaded.set(file, { view, stamps })
    return view
  }

  #import(module: string): Promise<unknown> {
    return import(pathToFileURL(join(this.#paths.generated, module)).href)
  }

  #writePug(file: string) {
    const { code, dependencies, version } = compilePug(this.#paths, file, { folder: '.dev' })
    const stamps = this.#stamps([file, ...dependencies])
    const module = `.dev/${file}.${version}.ts`
    writeIfChanged(join(this.#paths.generated, module), code)
    return { module, stamps }
  }

  /** Writes the modules of a template and of all files that it includes. */
  #write(file: string) {
    const set = new TemplateSet(this.#paths)
    const files = [...set.closure(file)]
    const stamps = this.#stamps(files)
    const versions = new Map(files.map((one) => [one, versionIn(set, one)]))
    const moduleFile = (one: string): string => `.dev/${one}.${versions.get(one)!}.ts`
    for (const one of files) {
      const compiled = set.compile(one, { moduleFile })
      set.prove(one)
      writeIfChanged(join(this.#paths.generated, moduleFile(one)), moduleText(compiled))
    }
    return { module: moduleFile(file), stamps, set, moduleFile }
  }

  /**
   * Compiles the streamed variant of a template at each request. This is fast, because Node imports the module of each
   * version only once.
   */
  async findStreamed(file: string): Promise<StreamedView | undefined> {
    if ((await this.find(file)) === undefined) return undefined
    const { set, module, moduleFile } = this.#write(file)
    const streamed = module.replace('.dev/', '.dev/streamed/')
    const compiled = set.compile(file, { moduleFile, streamed })
    writeIfChanged(join(this.#paths.generated, streamed), moduleText(compiled))
    return (await this.#import(streamed)) as StreamedView
  }

  /** Removes the modules that earlier processes have written. Runs once. */
  #clean(): void {
    if (this.#cleaned) return
    this.#cleaned = true
    rmSync(join(this.#paths.generated, '.dev'), { recursive: true, force: true })
  }
}

function versionIn(set: TemplateSet, file: string): string {
  const files = [...set.closure(file)].sort()
  return versionOf(...files.map((one) => set.text(one) ?? ''))
}

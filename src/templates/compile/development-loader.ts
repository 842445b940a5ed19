/** Compiles a template when it is first rendered, and again when the template or an included file has changed. */
import { rmSync, statSync } from 'node:fs'
import { join, posix } from 'node:path'
import { pathToFileURL } from 'node:url'
import {
  type CompiledView,
  type StreamedView,
  type ProjectPaths,
  readText,
  templatesOf,
  writeIfChanged,
  versionOf,
  type ViewLoader,
  isJade,
} from '../../runtime/view.ts'
import { compileOptions, withSourceMap } from './generate-views.ts'
import { compilePug } from './pug-template.ts'
import { TemplateSet } from './template-set.ts'

interface Loaded {
  readonly view: CompiledView
  /** The modification time and size that the template and each included file had at loading, by the file's path. */
  readonly stamps: ReadonlyMap<string, string>
}

/** The files of a template and its includes at one point in time: their modification times and their versions. */
interface State {
  readonly set: TemplateSet
  readonly stamps: ReadonlyMap<string, string>
  readonly versions: ReadonlyMap<string, string>
}

/** Returns the file name for the streamed variant of a template, which is a separate module. */
const streamed = (file: string): string => `streamed/${file}`

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
    const loading = this.#loading.get(file) ?? this.#load(file)
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

  #isFresh({ stamps }: Loaded): boolean {
    for (const [file, stamp] of stamps) if (this.#stamp(file) !== stamp) return false
    return true
  }

  async #load(file: string): Promise<CompiledView> {
    const loading = this.#compile(file)
    this.#loading.set(file, loading)
    try {
      return await loading
    } finally {
      this.#loading.delete(file)
    }
  }

  async #compile(file: string): Promise<CompiledView> {
    if (isJade(file)) return this.#compilePug(file)
    const state = this.#stateOf(file)
    for (const one of state.stamps.keys()) this.#write(state, one)
    const view = (await import(this.#urlOf(file, state))) as CompiledView
    this.#loaded.set(file, { view, stamps: state.stamps })
    return view
  }

  async #compilePug(file: string): Promise<CompiledView> {
    this.#clean()
    const { code, dependencies, version } = compilePug(this.#paths, file, 1)
    const stamps = new Map([file, ...dependencies].map((one) => [one, this.#stamp(one)]))
    const path = join(this.#paths.generated, '.dev', `${file}.${version}.ts`)
    writeIfChanged(path, code)
    const view = (await import(pathToFileURL(path).href)) as CompiledView
    this.#loaded.set(file, { view, stamps })
    return view
  }

  /**
   * Compiles the streamed variant of a template at each request. This is fast, because Node imports the module of each
   * version only once.
   */
  async findStreamed(file: string): Promise<StreamedView | undefined> {
    if ((await this.find(file)) === undefined) return undefined
    const state = this.#stateOf(file)
    for (const one of state.stamps.keys()) this.#write(state, one)
    this.#writeStreamed(state, file)
    return (await import(this.#urlOf(streamed(file), state))) as StreamedView
  }

  #stateOf(file: string): State {
    this.#clean()
    const texts = new Map<string, string | undefined>()
    const read = (one: string): string | undefined => {
      if (!texts.has(one)) texts.set(one, readText(join(this.#paths.webInf, one)))
      return texts.get(one)
    }
    const set = new TemplateSet({ read, list: () => this.files() })
    const stamps = new Map([...set.closure(file)].map((one) => [one, this.#stamp(one)]))
    const versions = new Map<string, string>()
    for (const one of stamps.keys())
      versions.set(one, versionOf(...[...set.closure(one)].sort().map((part) => read(part) ?? '')))
    versions.set(streamed(file), versions.get(file)!)
    return { set, stamps, versions }
  }

  #modulePath(file: string, { versions }: State): string {
    return join(this.#paths.generated, '.dev', `${file}.${versions.get(file)!}.ts`)
  }

  #urlOf(file: string, state: State): string {
    return pathToFileURL(this.#modulePath(file, state)).href
  }

  #write(state: State, file: string): void {
    const webInf = posix.join('..', compileOptions(this.#paths).webInf!)
    const specifier = (other: string): string => {
      const path = posix.relative(posix.dirname(file), other)
      return `${path.startsWith('.') ? path : './' + path}.${state.versions.get(other)!}.ts`
    }
    const options = { modules: this.#paths.modules, webInf, specifier }
    const compiled = state.set.compile(file, options)
    state.set.prove(file)
    writeIfChanged(this.#modulePath(file, state), withSourceMap(compiled, webInf))
  }

  #writeStreamed(state: State, file: string): void {
    const webInf = posix.join('../..', compileOptions(this.#paths).webInf!)
    const up = '../'.repeat(file.split('/').length)
    const specifier = (other: string): string => `${up}${other}.${state.versions.get(other)!}.ts`
    const options = { modules: this.#paths.modules, webInf, specifier, inParts: true }
    const compiled = state.set.compile(file, options)
    writeIfChanged(this.#modulePath(streamed(file), state), withSourceMap(compiled, webInf))
  }

  /** Removes the modules that earlier processes have written. Runs once. */
  #clean(): void {
    if (this.#cleaned) return
    this.#cleaned = true
    rmSync(join(this.#paths.generated, '.dev'), { recursive: true, force: true })
  }
}

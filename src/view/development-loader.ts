/** Compiles templates on demand, and again when a file that took part has changed. */
import { createHash } from 'node:crypto'
import { rmSync, statSync } from 'node:fs'
import { join, posix } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { CompiledView } from './engine.ts'
import { compileOptions } from './generate-views.ts'
import type { ProjectPaths } from './project.ts'
import { inlineSourceMap } from './source-map.ts'
import { readText, templatesOf, writeIfChanged } from './template-files.ts'
import { TemplateSet } from './template-set.ts'
import type { ViewLoader } from './view-loader.ts'

interface Loaded {
  readonly view: CompiledView
  /** The files that took part, as they were. */
  readonly stamps: ReadonlyMap<string, string>
}

/**
 * Modules are cached by their URL, so each version of a template is a file of its own: `.fw/.dev/<file>.<version>.ts`,
 * where the version is a hash over the template and everything it includes. The dot keeps them out of `tsc`'s patterns.
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
      versions.set(one, versionOf([...set.closure(one)].sort().map((part) => read(part) ?? '')))
    for (const one of stamps.keys()) this.#write(set, one, versions)
    const view = (await import(
      pathToFileURL(this.#modulePath(file, versions)).href
    )) as CompiledView
    this.#loaded.set(file, { view, stamps })
    return view
  }

  #modulePath(file: string, versions: ReadonlyMap<string, string>): string {
    return join(this.#paths.generated, '.dev', `${file}.${versions.get(file)!}.ts`)
  }

  #write(set: TemplateSet, file: string, versions: ReadonlyMap<string, string>): void {
    const options = compileOptions(this.#paths)
    const webInf = posix.join('..', options.webInf!)
    const specifier = (other: string): string => {
      const path = posix.relative(posix.dirname(file), other)
      return `${path.startsWith('.') ? path : './' + path}.${versions.get(other)!}.ts`
    }
    const compiled = set.compile(file, { ...options, webInf, specifier })
    const up = '../'.repeat(file.split('/').length - 1)
    const map = inlineSourceMap(compiled.sourceMap(posix.join(up, webInf, file)))
    writeIfChanged(this.#modulePath(file, versions), compiled.code + map)
  }

  /** What an earlier process left behind. */
  #clean(): void {
    if (this.#cleaned) return
    this.#cleaned = true
    rmSync(join(this.#paths.generated, '.dev'), { recursive: true, force: true })
  }
}

function versionOf(texts: readonly string[]): string {
  const hash = createHash('sha256')
  for (const text of texts) hash.update(String(text.length)).update('\0').update(text)
  return hash.digest('hex').slice(0, 12)
}

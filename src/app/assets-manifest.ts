/** Where a bundler has put what it built: Vite's manifest, read once at the start. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { BuiltAsset } from '../action.ts'
import { FwError } from '../base.ts'

interface Chunk {
  readonly file: string
  readonly css?: readonly string[]
  readonly imports?: readonly string[]
}

/** Below `webapp`; Vite writes it with `build: { outDir: 'src/main/webapp/assets', manifest: true }`. */
const manifestFile = 'assets/.vite/manifest.json'

/** The files of each entry; without a manifest a name is its own file. */
export class AssetManifest {
  readonly #chunks: ReadonlyMap<string, Chunk>

  constructor(chunks: ReadonlyMap<string, Chunk> = new Map()) {
    this.#chunks = chunks
  }

  /** @throws FwError `app.manifest-invalid` for a file that is no manifest; none at all is fine */
  static load(webapp: string): AssetManifest {
    const path = join(webapp, manifestFile)
    let text: string
    try {
      text = readFileSync(path, 'utf8')
    } catch {
      return new AssetManifest()
    }
    return new AssetManifest(chunksOf(text, path))
  }

  /** Paths below `/assets/`: the file, and the style sheets of it and of all that it imports. */
  find(name: string): BuiltAsset {
    const chunk = this.#chunks.get(name)
    if (chunk === undefined) return { file: name, styles: [], imports: [] }
    const styles = new Set<string>()
    const imports = new Set<string>()
    this.#gather(chunk, styles, imports)
    imports.delete(chunk.file)
    return { file: chunk.file, styles: [...styles], imports: [...imports] }
  }

  #gather(chunk: Chunk, styles: Set<string>, imports: Set<string>): void {
    if (imports.has(chunk.file)) return
    imports.add(chunk.file)
    for (const name of chunk.imports ?? []) {
      const imported = this.#chunks.get(name)
      if (imported !== undefined) this.#gather(imported, styles, imports)
    }
    for (const style of chunk.css ?? []) styles.add(style)
  }
}

function chunksOf(text: string, path: string): Map<string, Chunk> {
  try {
    const chunks = new Map(Object.entries(JSON.parse(text) as Record<string, Chunk>))
    for (const { file } of chunks.values())
      if (typeof file !== 'string') throw new TypeError('no file')
    return chunks
  } catch (cause) {
    throw new FwError(
      'app.manifest-invalid',
      `${path} is no manifest of Vite: build the assets again.`,
      {
        cause,
      },
    )
  }
}

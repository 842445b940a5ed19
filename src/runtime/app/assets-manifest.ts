/** `AssetManifest`: finds the files that Vite built from an entry of the application, by Vite's manifest. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { BuiltAsset } from '../action.ts'
import { FwError } from '../base.ts'

interface Chunk {
  readonly file: string
  readonly css?: readonly string[]
  readonly imports?: readonly string[]
}

/**
 * The path of the manifest below `webapp`. Vite writes it with `build: { outDir: 'src/main/webapp/assets', manifest: true }`.
 */
const manifestFile = 'assets/.vite/manifest.json'

/** The built files of each entry. Without a manifest, the file of an entry has the same name as the entry. */
export class AssetManifest {
  readonly #chunks: ReadonlyMap<string, Chunk>

  constructor(chunks: ReadonlyMap<string, Chunk> = new Map()) {
    this.#chunks = chunks
  }

  /**
   * Creates a finder for development: files that exist in `webapp/assets` are served from that folder, all others by Vite's
   * development server.
   * @param server the origin of that server, such as `http://127.0.0.1:5173`
   */
  static onServer(webapp: string, server: string): Pick<AssetManifest, 'find'> {
    const isLocal = (name: string): boolean => existsSync(join(webapp, 'assets', name))
    return {
      find: (name) => ({
        file: name,
        styles: [],
        imports: [],
        ...(isLocal(name) ? {} : { server }),
      }),
    }
  }

  /**
   * Loads the manifest; returns an empty one if the file does not exist.
   * @throws FwError `app.manifest-invalid` for a file that is not a manifest
   */
  static load(webapp: string): AssetManifest {
    const path = join(webapp, manifestFile)
    let text: string
    try {
      text = readFileSync(path, 'utf8')
    } catch {
      return new AssetManifest()
    }
    return new AssetManifest(parseManifest(text, path))
  }

  /**
   * Returns the files of an entry as paths below `/assets/`: the built file, its imports, and the style sheets of all these.
   */
  find(name: string): BuiltAsset {
    const chunk = this.#chunks.get(name)
    if (chunk === undefined) return { file: name, styles: [], imports: [] }
    const styles = new Set<string>()
    const imports = new Set<string>()
    this.#collect(chunk, styles, imports)
    imports.delete(chunk.file)
    return { file: chunk.file, styles: [...styles], imports: [...imports] }
  }

  #collect(chunk: Chunk, styles: Set<string>, imports: Set<string>): void {
    if (imports.has(chunk.file)) return
    imports.add(chunk.file)
    for (const name of chunk.imports ?? []) {
      const imported = this.#chunks.get(name)
      if (imported !== undefined) this.#collect(imported, styles, imports)
    }
    for (const style of chunk.css ?? []) styles.add(style)
  }
}

function parseManifest(text: string, path: string): Map<string, Chunk> {
  try {
    const chunks = new Map(Object.entries(JSON.parse(text) as Record<string, Chunk>))
    for (const { file } of chunks.values())
      if (typeof file !== 'string') throw new TypeError('no file')
    return chunks
  } catch (cause) {
    const message = `${path} is not a manifest of Vite: build the assets again.`
    throw new FwError('app.manifest-invalid', message, { cause })
  }
}

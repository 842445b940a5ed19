/** Finds the files that Vite built from an entry of the application, by Vite's manifest. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { BuiltAsset } from '../action.ts'
import { FwError } from '../base.ts'

interface Chunk {
  readonly file: string
  readonly css?: readonly string[]
  readonly imports?: readonly string[]
}

/** The path below `webapp`, by `build: { outDir: 'src/main/webapp/assets', manifest: true }` in Vite's configuration. */
const manifestFile = 'assets/.vite/manifest.json'

const unbuilt = (file: string): BuiltAsset => ({ file, styles: [], imports: [] })

type AssetFinder = (name: string) => BuiltAsset

/** For development: files that `webapp/assets` does not contain are on Vite's server, such as `http://127.0.0.1:5173`. */
export const findOnServer =
  (webapp: string, server: string): AssetFinder =>
  (name) =>
    existsSync(join(webapp, 'assets', name)) ? unbuilt(name) : { ...unbuilt(name), server }

/**
 * Finds the built file of an entry, its imports, and the style sheets of all these; without a manifest, the entry itself.
 * @throws FwError `app.manifest-invalid` for a file that is not a manifest
 */
export function loadManifest(webapp: string): AssetFinder {
  const chunks = readChunks(join(webapp, manifestFile))
  return (name) => {
    const chunk = chunks.get(name)
    if (chunk === undefined) return unbuilt(name)
    const styles = new Set<string>()
    const imports = new Set<string>()
    const collect = ({ file, css = [], imports: names = [] }: Chunk): void => {
      if (imports.has(file)) return
      imports.add(file)
      for (const imported of names) if (chunks.has(imported)) collect(chunks.get(imported)!)
      for (const style of css) styles.add(style)
    }
    collect(chunk)
    imports.delete(chunk.file)
    return { file: chunk.file, styles: [...styles], imports: [...imports] }
  }
}

function readChunks(path: string): ReadonlyMap<string, Chunk> {
  if (!existsSync(path)) return new Map()
  try {
    const chunks = new Map(
      Object.entries(JSON.parse(readFileSync(path, 'utf8')) as Record<string, Chunk>),
    )
    for (const { file } of chunks.values())
      if (typeof file !== 'string') throw new TypeError('no file')
    return chunks
  } catch (cause) {
    const message = `${path} is not a manifest of Vite: build the assets again.`
    throw new FwError('app.manifest-invalid', message, { cause })
  }
}

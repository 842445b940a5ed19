/** Reads Vite's manifest: the files that Vite built from an entry of the application, and those that never change. */
import { existsSync, readFileSync } from 'node:fs'
import { join, parse } from 'node:path'
import type { BuiltAsset } from '../action.ts'
import { FwError } from '../base.ts'

interface Chunk {
  readonly file: string
  readonly css?: readonly string[]
  readonly imports?: readonly string[]
  /** Images and fonts. */
  readonly assets?: readonly string[]
}

/** The files that a bundler has built. */
export interface BuiltAssets {
  /** Finds the built file of an entry, its imports, and the style sheets of all these. */
  readonly find: (name: string) => BuiltAsset
  /** The files with a hash of their content in their name, by their path below `webapp`. */
  readonly hashed: ReadonlySet<string>
}

/** The path below `webapp`, by `build: { outDir: 'src/main/webapp/assets', manifest: true }` in Vite's configuration. */
const manifestFile = 'assets/.vite/manifest.json'

const unbuilt = (file: string): BuiltAsset => ({ file, styles: [], imports: [] })

/** For development: files that `webapp/assets` does not contain are on Vite's server, such as `http://127.0.0.1:5173`. */
export const assetsOnServer = (webapp: string, server: string): BuiltAssets => ({
  find: (name) =>
    existsSync(join(webapp, 'assets', name)) ? unbuilt(name) : { ...unbuilt(name), server },
  hashed: new Set(),
})

/**
 * Reads the manifest. Without a manifest, each entry is a file itself.
 * @throws FwError `app.manifest-invalid` for a file that is not a manifest
 */
export function loadManifest(webapp: string): BuiltAssets {
  const chunks = readChunks(join(webapp, manifestFile))
  return { find: (name) => findBuilt(chunks, name), hashed: collectHashed(chunks) }
}

/** Vite writes eight characters that may contain hyphens, unless its configuration chooses another length. */
const hashInName = /[-.]([\w-]{8}|\w{8,})$/
/** Distinguishes a hash from a word of a chunk's name, such as `vendor-framework`. */
const digitOrCapital = /[A-Z\d]/

/** Returns all built files, except those without a hash: a configuration of Vite may keep the names of the sources. */
function collectHashed(chunks: ReadonlyMap<string, Chunk>): ReadonlySet<string> {
  const sources = new Set([...chunks.keys()].map((source) => parse(source).name))
  const isHashed = (file: string): boolean => {
    const { name } = parse(file)
    const [, hash = ''] = hashInName.exec(name) ?? []
    return digitOrCapital.test(hash) && !sources.has(name)
  }
  const files = [...chunks.values()].flatMap(({ file, css = [], assets = [] }) => [
    file,
    ...css,
    ...assets,
  ])
  return new Set(files.filter(isHashed).map((file) => `assets/${file}`))
}

function findBuilt(chunks: ReadonlyMap<string, Chunk>, name: string): BuiltAsset {
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

/**
 * Makes `create extension` work in the embedded database: copies the files of an extension that PGlite ships into the engine.
 * Uses PGlite's undocumented member `mod`, the file system of the engine; without it, only `plpgsql` is available. PGlite's
 * documented option `extensions` needs the names before the engine starts, when the migrations are not known.
 */
import type { PGlite } from '@electric-sql/pglite'
import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { sqlTokens } from './sql-tokens.ts'

interface EngineFiles {
  mkdirTree(path: string): void
  writeFile(path: string, content: Uint8Array): void
}

interface EngineModule {
  readonly FS?: EngineFiles
  readonly WASM_PREFIX?: string
}

const requirement = /^requires\s*=\s*'([^']*)'/m

/** Yields the names in the `create extension` statements of a text, also of those inside function bodies. */
export function* createdExtensions(sql: string): Generator<string> {
  if (!/extension/i.test(sql)) return
  let words: string[] = []
  for (const { kind, start, end } of sqlTokens(sql)) {
    if (kind === 'comment') continue
    const text = sql.slice(start, end)
    const isBody = kind === 'quoted' && !text.startsWith('"')
    if (isBody) yield* createdExtensions(text.replace(/^\$[^$]*\$|^[eE]?'/, ''))
    if (kind === 'word') words.push(text.toLowerCase())
    else words = kind === 'quoted' && !isBody ? [...words, text.slice(1, -1)] : []
    const [create, extension, ...rest] = words.slice(words.lastIndexOf('create'))
    if (create !== 'create' || extension !== 'extension') continue
    const [name] = rest[0] === 'if' ? rest.slice(3) : rest
    if (name === undefined) continue
    yield name
    words = []
  }
}

/** Copies the files of extensions before they are needed: of those in the database now, and of each one before its creation. */
export async function provideExtensions(pglite: PGlite): Promise<void> {
  const installed = new Set(['plpgsql'])
  const install = (name: string): void => {
    if (installed.has(name)) return
    installed.add(name)
    for (const required of installExtension(pglite, name)) install(required)
  }
  const installNamed = (sql: string): void => {
    for (const name of createdExtensions(sql)) install(name)
  }
  const { rows } = await pglite.query<{ name: string }>('select extname as name from pg_extension')
  for (const { name } of rows) install(name)
  const query = pglite.query.bind(pglite)
  const exec = pglite.exec.bind(pglite)
  pglite.query = (sql, values, options) => {
    installNamed(sql)
    return query(sql, values, options)
  }
  pglite.exec = (sql, options) => {
    installNamed(sql)
    return exec(sql, options)
  }
}

/** Copies the files of an extension, if PGlite ships it, and returns the names of the extensions that it requires. */
function installExtension(pglite: PGlite, name: string): string[] {
  const { FS: files, WASM_PREFIX: prefix } =
    (pglite as unknown as { readonly mod?: EngineModule }).mod ?? {}
  const bundle = findBundle(name)
  if (files === undefined || prefix === undefined || bundle === undefined) return []
  const required: string[] = []
  for (const { path, content } of tarFiles(gunzipSync(readFileSync(bundle)))) {
    files.mkdirTree(join(prefix, path, '..'))
    files.writeFile(join(prefix, path), content)
    if (!path.endsWith('.control')) continue
    const [, names = ''] = requirement.exec(content.toString()) ?? []
    required.push(...names.split(',').map((one) => one.trim()))
  }
  return required.filter((one) => one !== '')
}

/** Extensions in a bundle with another name. */
const bundles: Readonly<Record<string, string>> = {
  autoinc: 'spi',
  insert_username: 'spi',
  moddatetime: 'spi',
  refint: 'spi',
}

function findBundle(name: string): string | undefined {
  const entry = createRequire(import.meta.url).resolve('@electric-sql/pglite')
  const file = join(entry, '..', `${Object.hasOwn(bundles, name) ? bundles[name] : name}.tar.gz`)
  return existsSync(file) ? file : undefined
}

/** Yields the regular files of a tar archive: blocks of 512 bytes, each file after a header with its name, size and type. */
function* tarFiles(archive: Buffer): Generator<{ path: string; content: Buffer }> {
  const text = (from: number, length: number): string =>
    archive.toString('latin1', from, from + length).split('\0', 1)[0]!
  for (let at = 0; at < archive.length && archive[at] !== 0;) {
    const size = Number.parseInt(text(at + 124, 12), 8)
    const begin = at + 512
    const isFile = '0\0'.includes(String.fromCharCode(archive[at + 156]!))
    if (isFile) yield { path: text(at, 100), content: archive.subarray(begin, begin + size) }
    at = begin + Math.ceil(size / 512) * 512
  }
}

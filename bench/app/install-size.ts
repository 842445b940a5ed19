/** The bytes of packages with everything that they need in production, as installed. */
import { existsSync, readFileSync, readdirSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'

interface Manifest {
  readonly version: string
  readonly dependencies?: Readonly<Record<string, string>>
  readonly files?: readonly string[]
}

const readManifest = (folder: string): Manifest =>
  JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest

/** The folder of a package, as Node finds it from another folder. */
function findPackage(name: string, from: string): string {
  for (let folder = from; ; folder = dirname(folder)) {
    const found = join(folder, 'node_modules', name)
    if (existsSync(found)) return found
    if (folder === dirname(folder)) throw new Error(`${name} is not installed`)
  }
}

/** The size of a file or folder, without packages inside it. */
function sizeOf(path: string): number {
  const stat = statSync(path)
  if (!stat.isDirectory()) return stat.size
  return readdirSync(path)
    .filter((name) => name !== 'node_modules')
    .reduce((sum, name) => sum + sizeOf(join(path, name)), 0)
}

/** Without optional dependencies. Of a package in its repository, only the published files count. */
export function installSize(names: readonly string[], root: string): number {
  const seen = new Set<string>()
  let bytes = 0
  const add = (name: string, from: string): void => {
    const folder = findPackage(name, from)
    if (seen.has(folder)) return
    seen.add(folder)
    const { files, dependencies = {} } = readManifest(folder)
    const isSource = existsSync(join(folder, '.git'))
    const parts = isSource ? files! : ['']
    for (const part of parts)
      bytes += part.startsWith('!')
        ? -sizeOf(join(folder, part.slice(1)))
        : sizeOf(join(folder, part))
    for (const dependency of Object.keys(dependencies)) add(dependency, folder)
  }
  for (const name of names) add(name, root)
  return bytes
}

export const versionOf = (name: string, root: string): string =>
  readManifest(findPackage(name, root)).version

/** Finds and reads templates, and writes generated files. */
import { createHash } from 'node:crypto'
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { threadId } from 'node:worker_threads'
import { templateName } from './template-name.ts'

/**
 * Returns the sorted paths of the files below `folder` whose names end in one of `endings`, with `/` as separator.
 * Returns an empty list if the folder does not exist.
 */
export function filesBelow(folder: string, endings: readonly string[]): string[] {
  if (!existsSync(folder)) return []
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((file) => file.replaceAll('\\', '/'))
    .filter((file) => endings.some((ending) => file.endsWith(ending)))
    .sort()
}

/** The file name endings of templates. */
export const templateEndings: readonly string[] = ['.ssp', '.jade']

/** The folders of templates below `WEB-INF/`. */
export const templateFolders: readonly string[] = ['views', 'layouts', 'mail']

/** Returns true for a `.jade` file that only other templates include. */
function isPugPart(file: string): boolean {
  const kind = templateName(file)?.kind
  return file.endsWith('.jade') && kind !== 'view' && kind !== 'layout'
}

/** Returns the paths of the templates below `WEB-INF/`: `views/…`, `layouts/…` and `mail/…`. */
export function templatesOf(webInf: string, endings = templateEndings): string[] {
  return templateFolders.flatMap((folder) =>
    filesBelow(join(webInf, folder), endings)
      .map((file) => `${folder}/${file}`)
      .filter((file) => !isPugPart(file)),
  )
}

/** Returns the text of a file; `undefined` if it does not exist. */
export function readText(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    if (['ENOENT', 'EISDIR', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? ''))
      return undefined
    throw error
  }
}

/** Writes a file atomically if its content has changed. Returns true if it was written. */
export function writeIfChanged(path: string, content: string): boolean {
  if (readText(path) === content) return false
  mkdirSync(dirname(path), { recursive: true })
  const unfinished = `${path}.${process.pid}-${threadId}.tmp`
  writeFileSync(unfinished, content)
  renameSync(unfinished, path)
  return true
}

/** Removes the files below `folder` with these endings for which `keep` returns false. Returns the number of removed files. */
export function removeOthers(
  folder: string,
  endings: readonly string[],
  keep: (file: string) => boolean,
): number {
  const stale = filesBelow(folder, endings).filter((file) => !keep(file))
  for (const file of stale) rmSync(join(folder, file), { force: true })
  return stale.length
}

/** Increase this when the compiler generates different code, or the engine requires different code. */
const compilerRevision = '5'

/** Returns a hash of the text of a template, followed by the texts of all templates that it includes. */
export function versionOf(...texts: readonly string[]): string {
  const hash = createHash('sha256').update(compilerRevision)
  for (const text of texts) hash.update('\0').update(String(text.length)).update('\0').update(text)
  return hash.digest('hex').slice(0, 12)
}

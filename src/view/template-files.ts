/** Reads the templates of a project and writes what is generated from them. */
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

/** The files below `folder` whose names end in one of `endings`, with `/`, sorted; none when there is no such folder. */
export function filesBelow(folder: string, endings: readonly string[]): string[] {
  if (!existsSync(folder)) return []
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((file) => file.replaceAll('\\', '/'))
    .filter((file) => endings.some((ending) => file.endsWith(ending)))
    .sort()
}

export const templateEndings: readonly string[] = ['.ssp', '.jade']

/** Pug puts what a template includes into it: such a file is no template of its own. */
function isPugPart(file: string): boolean {
  const kind = templateName(file)?.kind
  return file.endsWith('.jade') && kind !== 'view' && kind !== 'layout'
}

/** The templates below `WEB-INF/`: `views/…` and `layouts/…`. */
export function templatesOf(webInf: string, endings = templateEndings): string[] {
  return ['views', 'layouts'].flatMap((kind) =>
    filesBelow(join(webInf, kind), endings)
      .map((file) => `${kind}/${file}`)
      .filter((file) => !isPugPart(file)),
  )
}

/** `undefined` when there is no such file. */
export function readText(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    if (['ENOENT', 'EISDIR', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? ''))
      return undefined
    throw error
  }
}

/** Writes the file whole or not at all, and only if its content changes; true when it was written. */
export function writeIfChanged(path: string, content: string): boolean {
  if (readText(path) === content) return false
  mkdirSync(dirname(path), { recursive: true })
  const unfinished = `${path}.${process.pid}-${threadId}.tmp`
  writeFileSync(unfinished, content)
  renameSync(unfinished, path)
  return true
}

/** Removes the files below `folder` with these endings that `keep` does not know; answers how many. */
export function removeOthers(
  folder: string,
  endings: readonly string[],
  keep: (file: string) => boolean,
): number {
  const stale = filesBelow(folder, endings).filter((file) => !keep(file))
  for (const file of stale) rmSync(join(folder, file), { force: true })
  return stale.length
}

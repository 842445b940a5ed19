/** Finds a file below a folder without ever leaving it. */
import { realpath } from 'node:fs/promises'
import { isAbsolute, join, relative, sep } from 'node:path'

/** A file below a folder. */
export interface FileInside {
  /** Absolute, links followed. */
  readonly path: string
  /** From the folder on, links followed. */
  readonly segments: readonly string[]
}

/**
 * The file or folder of that name below `root`; undefined when there is none, or when `..` or a link leads out.
 * `name` may come from a client.
 */
export async function fileInside(root: string, name: string): Promise<FileInside | undefined> {
  try {
    const [folder, path] = await Promise.all([realpath(root), realpath(join(root, name))])
    const below = relative(folder, path)
    if (below === '' || isAbsolute(below)) return undefined
    const segments = below.split(sep)
    return segments[0] === '..' ? undefined : { path, segments }
  } catch {
    return undefined
  }
}

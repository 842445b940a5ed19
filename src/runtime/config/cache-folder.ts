/** Creates folders in the user's cache folder. */
import { mkdirSync, statSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'

/**
 * Creates a folder of this name below `fw` in the user's cache (`XDG_CACHE_HOME`, else `~/.cache`), and returns its path.
 * Returns `undefined` if the folder cannot be written or belongs to another user, as after `sudo`.
 */
export function cacheFolder(name: string): string | undefined {
  const folder = join(process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache'), 'fw', name)
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    const isOwn = process.getuid === undefined || statSync(folder).uid === process.getuid()
    return isOwn ? folder : undefined
  } catch {
    return undefined
  }
}

/** Where this user keeps what can be made again. */
import { mkdirSync, statSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'

/**
 * A folder of this name in the user's cache (`XDG_CACHE_HOME`, else `~/.cache`), made when it is missing; `undefined` where
 * it cannot be written, or belongs to somebody else, as after `sudo`.
 */
export function cacheFolder(name: string): string | undefined {
  const folder = join(process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache'), 'fw', name)
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    return isOwn(folder) ? folder : undefined
  } catch {
    return undefined
  }
}

function isOwn(folder: string): boolean {
  return process.getuid === undefined || statSync(folder).uid === process.getuid()
}

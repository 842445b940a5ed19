/** New embedded databases as copies of an empty one in the user's cache: a copy takes a fraction of the seconds of making one. */
import type { PGlite } from '@electric-sql/pglite'
import { chmodSync, cpSync, existsSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { cacheFolder } from '../config.ts'

type Create = (folder: string) => Promise<PGlite>

/**
 * Opens the database of a folder. One that does not exist begins as a copy, where that can be kept; a folder that does, even an
 * empty one, is filled by the engine itself: a link, or the volume of a container, cannot give its place to another.
 */
export async function openCluster(folder: string, create: Create): Promise<PGlite> {
  const kept = existsSync(folder) ? undefined : keptCluster()
  if (kept === undefined) return create(folder)
  try {
    if (!existsSync(kept)) await keep(kept, create)
    copy(kept, folder)
    return await create(folder)
  } catch {
    // What is kept is not what it was, or cannot be read: from nothing, then.
    for (const spoilt of [kept, folder]) rmSync(spoilt, { recursive: true, force: true })
    return create(folder)
  }
}

function keptCluster(): string | undefined {
  const cache = cacheFolder('databases')
  return cache === undefined ? undefined : join(cache, `pglite-${engineVersion()}`)
}

/** The name is given last: what bears it is whole. Of two that make it at once, one is kept. */
async function keep(kept: string, create: Create): Promise<void> {
  const draft = `${kept}.${process.pid}`
  try {
    await (await create(draft)).close()
    renameSync(draft, kept)
  } catch (error) {
    if (!existsSync(kept)) throw error
  } finally {
    rmSync(draft, { recursive: true, force: true })
  }
}

/** Whole or not at all, whenever the process ends. */
function copy(kept: string, folder: string): void {
  const draft = `${folder}.${process.pid}.new`
  try {
    cpSync(kept, draft, { recursive: true })
    chmodSync(draft, 0o700)
    renameSync(draft, folder)
  } finally {
    rmSync(draft, { recursive: true, force: true })
  }
}

/** A database fits the version that made it; the package does not export its package.json, so it is found by its place. */
export function engineVersion(): string {
  const entry = createRequire(import.meta.url).resolve('@electric-sql/pglite')
  const file = join(entry, '../../package.json')
  return (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version
}

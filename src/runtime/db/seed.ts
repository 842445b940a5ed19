/** The initial rows of an application: `db/seed.sql`, then `db/seed.ts`. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { FwError } from '../base.ts'
import type { Database } from './database.ts'

const seedFiles = ['seed.sql', 'seed.ts', 'seed.js', 'seed.mjs']

/**
 * Runs the seeds of a folder in one transaction and returns their file names. A module exports `seed(database)`; models use
 * the same transaction.
 * @throws FwError `db.seed-failed` with all seeds undone
 */
export async function seed(database: Database, folder: string): Promise<string[]> {
  const files = seedFiles.filter((file) => existsSync(join(folder, file)))
  await database.transaction(async () => {
    for (const file of files) await runSeed(database, join(folder, file), file)
  })
  return files
}

async function runSeed(database: Database, path: string, file: string): Promise<void> {
  try {
    if (file.endsWith('.sql'))
      await database.currentTransaction()!.script(readFileSync(path, 'utf8'))
    else {
      const module = (await import(pathToFileURL(path).href)) as { seed?: unknown }
      if (typeof module.seed !== 'function') throw new TypeError("it exports no function 'seed'")
      await (module.seed as (database: Database) => unknown)(database)
    }
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    const message = `The seed ${file} failed, and nothing was kept: ${reason}`
    throw new FwError('db.seed-failed', message, { cause })
  }
}

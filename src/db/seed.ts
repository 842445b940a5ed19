/** The rows that an application starts with: `db/seed.sql`, then `db/seed.ts`. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { FwError } from '../base.ts'
import { currentTransaction } from './current.ts'
import type { Database } from './database.ts'

const files = ['seed.sql', 'seed.ts', 'seed.js', 'seed.mjs']

/**
 * Runs the seeds of a folder in one transaction and gives the names of the files it ran. A module exports `seed`, which
 * takes the database; models inside it use that database too.
 * @throws FwError `db.seed-failed` with nothing kept
 */
export async function seed(database: Database, folder: string): Promise<string[]> {
  const found = files.filter((file) => existsSync(join(folder, file)))
  await database.transaction(async () => {
    for (const file of found) await run(database, folder, file)
  })
  return found
}

async function run(database: Database, folder: string, file: string): Promise<void> {
  try {
    if (file.endsWith('.sql'))
      await currentTransaction()!.script(readFileSync(join(folder, file), 'utf8'))
    else await runModule(database, join(folder, file))
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new FwError(
      'db.seed-failed',
      `The seed ${file} failed, and nothing was kept: ${reason}`,
      {
        cause: error,
      },
    )
  }
}

async function runModule(database: Database, path: string): Promise<void> {
  const { seed: work } = (await import(pathToFileURL(path).href)) as { seed?: unknown }
  if (typeof work !== 'function') throw new TypeError("it exports no function 'seed'")
  await (work as (database: Database) => unknown)(database)
}

/** Inserts an application's initial rows from `db/seed.sql`, `db/seed.ts`, then files like `db/seed.development.ts`. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { FwError } from '../base.ts'
import { findScriptProblem } from './check-script.ts'
import type { Database } from './database.ts'
import { decodeSql } from './decode-sql.ts'
import { findProgram } from './embedded-limits.ts'
import { scriptParts } from './script-parts.ts'
import { parseScript } from './sql-script.ts'

const endings = ['sql', 'ts', 'js', 'mjs']

/**
 * Runs the seed files of a folder in one transaction and returns their names; the environment's files run last. A seed module
 * exports `seed(database)`; the models that it calls use the same transaction.
 * @throws FwError `db.seed-failed` after all seeds have been rolled back
 */
export async function seed(
  database: Database,
  folder: string,
  environments: readonly string[] = [],
): Promise<string[]> {
  const files = ['seed', ...environments.map((name) => `seed.${name}`)]
    .flatMap((name) => endings.map((ending) => `${name}.${ending}`))
    .filter((file) => existsSync(join(folder, file)))
  const run = async (): Promise<void> => {
    for (const file of files) await runSeed(database, join(folder, file), file)
  }
  await database.transaction(run, { unlimited: true })
  return files
}

async function runSeed(database: Database, path: string, file: string): Promise<void> {
  try {
    if (file.endsWith('.sql')) await runSql(database, path)
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

async function runSql(database: Database, path: string): Promise<void> {
  const { text, problem } = decodeSql(readFileSync(path))
  if (problem !== undefined) throw new Error(problem)
  const script = parseScript(text)
  const found =
    findScriptProblem(text, script, true) ??
    (database.engine === 'pglite' ? findProgram(text, script) : undefined)
  if (found) throw new Error(`line ${text.slice(0, found.at).split('\n').length}: ${found.reason}`)
  const transaction = database.currentTransaction()!
  for (const { sql, rows } of scriptParts(text, true)) await transaction.script(sql, rows)
  await transaction.resetSettings()
}

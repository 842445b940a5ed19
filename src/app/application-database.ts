/** The database of an application that has one. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Logger } from '../base.ts'
import { readSettings, type Configuration } from '../config.ts'
import { databaseSchema, databaseSettings, openDatabase, type Database } from '../db.ts'

/** True for an application with a database: it has `DATABASE_URL`, a `db` section, or a folder of migrations. */
export function usesDatabase(root: string, configuration: Configuration): boolean {
  return (
    Boolean(process.env['DATABASE_URL']) ||
    configuration.has('db') ||
    existsSync(join(root, 'db', 'migration'))
  )
}

/**
 * Opens the default database as the configuration says.
 * @throws FwError `config.invalid`, `db.folder-locked`, `db.setting-invalid`
 */
export function openApplicationDatabase(
  root: string,
  configuration: Configuration,
  logger: Logger,
): Promise<Database> {
  const { db } = readSettings(configuration, databaseSchema)
  return openDatabase(databaseSettings(db.get('default'), { root, logger }))
}

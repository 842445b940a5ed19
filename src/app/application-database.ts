/** The databases of an application that has any. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Logger } from '../base.ts'
import { readSettings, type Configuration } from '../config.ts'
import {
  databaseSchema,
  databaseSettings,
  openDatabase,
  useDatabase,
  usedDatabase,
  type Database,
} from '../db.ts'
import { Openings } from './openings.ts'

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

/** Databases that were opened by their settings. */
export interface FurtherDatabases {
  readonly names: readonly string[]
  /** Closes them, and takes their names away from models. */
  close(): Promise<void>
}

/** The names in the section `db` beside `default`. @throws FwError `config.invalid` */
export function furtherNames(configuration: Configuration): string[] {
  const { db } = readSettings(configuration, databaseSchema)
  return [...db.keys()].filter((name) => name !== 'default')
}

/**
 * Opens what the section `db` names beside `default`, for models with that name; a name that is in use stays as it is.
 * @throws as `openApplicationDatabase`
 */
export async function openFurtherDatabases(
  root: string,
  configuration: Configuration,
  logger: Logger,
): Promise<FurtherDatabases> {
  const { db } = readSettings(configuration, databaseSchema)
  const names = furtherNames(configuration).filter((name) => usedDatabase(name) === undefined)
  const openings = new Openings()
  try {
    for (const name of names) {
      const database = await openDatabase(databaseSettings(db.get(name), { root, logger }, name))
      openings.add(() => database.close())
      useDatabase(database, name)
      openings.add(() => useDatabase(undefined, name))
    }
  } catch (error) {
    await openings.close().catch(() => {})
    throw error
  }
  return { names, close: () => openings.close() }
}

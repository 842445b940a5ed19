/** Opens the databases of an application as its configuration says. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Logger } from '../base.ts'
import { readSettings, type Configuration } from '../config.ts'
import {
  databaseSettingsSchema,
  databaseSettings,
  openDatabase,
  useDatabase,
  registeredDatabase,
  type Database,
} from '../db.ts'
import { Closers } from './closers.ts'

/** Whether the application has `DATABASE_URL`, a `db` section, or a folder of migrations. */
export function usesDatabase(root: string, configuration: Configuration): boolean {
  return (
    Boolean(process.env['DATABASE_URL']) ||
    configuration.has('db') ||
    existsSync(join(root, 'db', 'migration'))
  )
}

/** What opening a database reads of an application. */
export interface DatabaseSource {
  readonly root: string
  readonly configuration: Configuration
  readonly logger: Logger
}

/**
 * Opens the default database; with `onDemand` at the first query.
 * @throws FwError `config.invalid`, `db.folder-locked`, `db.setting-invalid`
 */
export function openApplicationDatabase(
  { root, configuration, logger }: DatabaseSource,
  onDemand = false,
): Promise<Database> {
  const { db } = readSettings(configuration, databaseSettingsSchema)
  return openDatabase({ ...databaseSettings(db.get('default'), { root, logger }), onDemand })
}

/** Open databases other than `default`. */
export interface AdditionalDatabases {
  readonly names: readonly string[]
  /** Closes them and unregisters their names. */
  close(): Promise<void>
}

/** The names in the section `db` other than `default`. @throws FwError `config.invalid` */
export function additionalDatabaseNames(configuration: Configuration): string[] {
  const { db } = readSettings(configuration, databaseSettingsSchema)
  return [...db.keys()].filter((name) => name !== 'default')
}

/**
 * Opens the databases of the section `db` other than `default`, and registers them for models. Skips registered names.
 * @throws as `openApplicationDatabase`
 */
export async function openAdditionalDatabases(
  { root, configuration, logger }: DatabaseSource,
  onDemand = false,
): Promise<AdditionalDatabases> {
  const { db } = readSettings(configuration, databaseSettingsSchema)
  const names = additionalDatabaseNames(configuration).filter(
    (name) => registeredDatabase(name) === undefined,
  )
  const closers = new Closers()
  try {
    for (const name of names) {
      const database = await openDatabase({
        ...databaseSettings(db.get(name), { root, logger }, name),
        onDemand,
      })
      closers.add(() => database.close())
      useDatabase(database, name)
      closers.add(() => useDatabase(undefined, name))
    }
  } catch (error) {
    await closers.close().catch(() => {})
    throw error
  }
  return { names, close: () => closers.close() }
}

/** Rolls back the migrations whose files `fw destroy` removes, so that the resource can be generated again. */
import { existsSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { usesDatabase } from '../../runtime/app.ts'
import { loadConfiguration, readSettings } from '../../runtime/config.ts'
import {
  databaseSettings,
  databaseSettingsSchema,
  migrationStatus,
  rollback,
  type Database,
  type MigrationState,
} from '../../runtime/db.ts'
import { withApplicationDatabase } from './load-application.ts'

const folder = 'db/migration'

/**
 * Rolls back the applied ones of these migrations in the development database. Returns a note for each migration: the result,
 * or what the developer must do. `paths` are the files that will be removed.
 */
export async function undoMigrations(root: string, paths: readonly string[]): Promise<string[]> {
  const files = paths.filter((path) => dirname(path) === folder).map((path) => basename(path))
  const versions = new Set(files.map((file) => Number(/^[VB](\d+)__/.exec(file)?.[1])))
  const configuration = loadConfiguration({ root })
  if (files.length === 0 || !usesDatabase(root, configuration)) return []
  if (!configuration.env.isDevelopment())
    return [`${files.join(', ')}: roll back where it is applied, before the file is gone.`]
  const { db } = readSettings(configuration, databaseSettingsSchema)
  const settings = databaseSettings(db.get('default'), { root })
  if (settings.kind === 'pglite' && !existsSync(settings.folder)) return []
  try {
    return await withApplicationDatabase({ root, configuration }, (database) =>
      undo(database, join(root, folder), versions),
    )
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    return [
      `The migration is not rolled back: ${reason}\nRestore ${files.join(', ')} and run fw db:rollback, or start with a new database.`,
    ]
  }
}

async function undo(
  database: Database,
  migrations: string,
  versions: ReadonlySet<number>,
): Promise<string[]> {
  const states = await migrationStatus(database, migrations)
  const applied = states.filter(({ state }) => state !== 'pending')
  const isRemoved = ({ version }: MigrationState): boolean => versions.has(version)
  const kept = applied.slice(0, applied.findLastIndex((one) => !isRemoved(one)) + 1)
  const newest = applied.slice(kept.length).toReversed()
  if (newest.length > 0) await rollback(database, migrations, newest.length)
  const notes = newest.map(({ version, name }) => `Rolled back the migration ${version} ${name}.`)
  const at = kept.findIndex(isRemoved)
  if (at === -1) return notes
  return [
    ...notes,
    `The migration ${kept[at]!.version} ${kept[at]!.name} is applied, and later ones are too. Restore its file and roll ` +
      `back with fw db:rollback --steps ${kept.length - at}, or write a migration that removes its tables.`,
  ]
}

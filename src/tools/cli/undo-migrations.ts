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
  const notes: string[] = []
  for (;;) {
    const states = await migrationStatus(database, migrations)
    const applied = states.filter(({ state }) => state !== 'pending')
    const newest = applied.at(-1)
    if (newest !== undefined && versions.has(newest.version)) {
      await rollback(database, migrations)
      notes.push(`Rolled back the migration ${newest.version} ${newest.name}.`)
      continue
    }
    const at = applied.findIndex(({ version }) => versions.has(version))
    if (at !== -1)
      notes.push(
        `The migration ${applied[at]!.version} ${applied[at]!.name} is applied, and later ones are too. Restore its file and roll ` +
          `back with fw db:rollback --steps ${applied.length - at}, or write a migration that removes its tables.`,
      )
    return notes
  }
}

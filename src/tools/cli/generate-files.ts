/** `fw generate` and `fw destroy`: write or remove files, print the outcome for each file, and roll back migrations. */
import { existsSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { usesDatabase } from '../../runtime/app.ts'
import { loadConfiguration, readSettings, writeParsedKeyFiles } from '../../runtime/config.ts'
import {
  databaseSettings,
  databaseSettingsSchema,
  migrationStatus,
  rollback,
  type Database,
  type MigrationState,
} from '../../runtime/db.ts'
import {
  findGenerator,
  generators,
  openProject,
  readDatabaseSchema,
  removeFiles,
  writeFiles,
  type FileOutcome,
  type Generator,
  type GeneratorOptions,
  type Project,
  type WriteOptions,
} from '../generate.ts'
import {
  applicationRoot,
  withApplicationDatabase,
  type CommandOptions,
} from './load-application.ts'
import { printJson, printLine, withProgress } from './terminal.ts'

export type OutputOptions = WriteOptions & Pick<CommandOptions, 'json'>
type GenerateOptions = WriteOptions & CommandOptions & GeneratorOptions

const doneWidth = 'overwritten'.length

/**
 * A longer diff of a modified file is cut to this number of lines, except with `--pretend`. Otherwise a long diff, such as that
 * of `messages.yml`, would push the list of files off the screen.
 */
const longestDiff = 16

function formatOutcome({ path, done, diff }: FileOutcome, isShort: boolean): string {
  const line = `${done.padEnd(doneWidth)}  ${path}\n`
  if (diff === undefined) return line
  const lines = diff.split('\n')
  const hidden = isShort && done === 'modified' ? lines.length - longestDiff : 0
  const shown = hidden > 1 ? [...lines.slice(0, longestDiff), `… and ${hidden} more lines`] : lines
  return `${line}${shown.map((text) => `    ${text}\n`).join('')}`
}

/** Prints a line for each file, followed by the diff if an existing file was changed. */
export function printOutcomes(
  files: readonly FileOutcome[],
  { json, pretend }: OutputOptions,
  notes: readonly string[] = [],
): void {
  if (json === true) return printJson({ files, notes })
  const head = pretend === true ? 'Nothing is written. Without --pretend:\n' : ''
  process.stdout.write(
    head +
      files.map((file) => formatOutcome(file, pretend !== true)).join('') +
      notes.map((note) => `\n${note}\n`).join(''),
  )
}

export function generatorHelp(): string {
  const width = Math.max(...generators.map(({ name }) => name.length))
  const lines = generators.map(({ name, description }) => `  ${name.padEnd(width)}  ${description}`)
  const fields =
    '  name:Type, name:Type? or name:Option[Type], name:String:varchar(64), company:references, photo:attachment'
  return `\nGenerators:\n${lines.join('\n')}\n\nFields:\n${fields}`
}

const listGenerators = (command: 'generate' | 'destroy'): void =>
  printLine(`${generatorHelp().trimStart()}\n\n(fw ${command} --help shows options and examples)`)

async function readProject(
  root: string,
  { readsDatabase }: Generator,
  { over }: GeneratorOptions,
): Promise<Project> {
  if (!readsDatabase && over === undefined) return openProject(root)
  const source = { root, configuration: loadConfiguration({ root }) }
  return openProject(root, await withApplicationDatabase(source, readDatabaseSchema))
}

/** Runs `fw generate`. @throws FwError `generate.*`, `cli.no-application` */
export async function generateFiles(
  type: string | undefined,
  words: readonly string[],
  options: GenerateOptions,
): Promise<void> {
  if (type === undefined) return listGenerators('generate')
  const generator = findGenerator(type)
  const root = applicationRoot(options.app)
  // With hundreds of tables, this synchronous work takes seconds, during which the displayed time does not advance.
  const { outcomes, notes } = await withProgress('reading tables and writing code', async () => {
    const { files, notes } = generator.plan(
      await readProject(root, generator, options),
      words,
      options,
    )
    return { outcomes: writeFiles(root, files, options), notes }
  })
  printOutcomes(outcomes, options, notes)
  if (options.pretend !== true) storeParsedFiles(root)
}

/** Stores the parsed messages: the next `fw run` starts without the YAML parser, which needs half a second for 500 tables. */
function storeParsedFiles(root: string): void {
  // The stored paths are relative to the working folder.
  if (root !== process.cwd()) return
  try {
    writeParsedKeyFiles(root, join(root, 'src/main/resources'))
  } catch {
    // The next `fw run` parses the files, and reports what is wrong with them.
  }
}

/** Runs `fw destroy`. @throws FwError `generate.*`, `cli.no-application` */
export async function destroyFiles(
  type: string | undefined,
  words: readonly string[],
  options: GenerateOptions,
): Promise<void> {
  if (type === undefined) return listGenerators('destroy')
  const generator = findGenerator(type)
  const root = applicationRoot(options.app)
  const { files, notes } = generator.removal(
    await readProject(root, generator, options),
    words,
    options,
  )
  const planned = removeFiles(root, files, { ...options, pretend: true })
  const removed = planned.filter(({ done }) => done === 'removed').map(({ path }) => path)
  const undone = options.pretend === true ? [] : await undoMigrations(root, removed)
  const outcomes = removeFiles(root, files, options)
  const isKept = outcomes.some(({ done }) => done === 'kept')
  const hint = 'Files that were changed stay; --force removes them too.'
  printOutcomes(outcomes, options, [...notes, ...undone, ...(isKept ? [hint] : [])])
}

const folder = 'db/migration'

/**
 * Rolls back the applied ones of these migrations in the development database, so that the resource can be generated again.
 * Returns a note for each migration: the result, or what the developer must do. `paths` are the files that will be removed.
 */
async function undoMigrations(root: string, paths: readonly string[]): Promise<string[]> {
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

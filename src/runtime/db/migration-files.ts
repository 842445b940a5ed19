/** Reads, parses and checks the migration files of a folder, and sorts them by version. */
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { pathToFileURL } from 'node:url'
import { FwError } from '../base.ts'

/** A parsed migration file. */
export interface MigrationFile {
  /** The version: the digits in the file's name, as a number. */
  readonly version: number
  readonly name: string
  readonly file: string
  readonly path: string
  /** The SHA-256 digest of the text, with LF line ends. */
  readonly checksum: string
  readonly up: MigrationStep
  /** The step that rolls the migration back; undefined if it cannot be rolled back. */
  readonly down: MigrationStep | undefined
  /**
   * False if the migration runs outside a transaction, as CREATE INDEX CONCURRENTLY must: its `.sql` file has a line
   * `-- no transaction`, or its module has `export const transaction = false`.
   */
  readonly inTransaction: boolean
  /** True for a baseline, which creates the schema before the first migration, unless the database has tables. */
  readonly isBaseline: boolean
  /** The versions of the migrations that `fw db:squash` has replaced with this baseline; absent for other files. */
  readonly squashes?: readonly number[]
}

/** One direction of a migration: SQL text whose first line in the file is `line`, or an export of a module. */
export type MigrationStep = SqlStep | ModuleStep
export type SqlStep = { readonly sql: string; readonly path: string; readonly line: number }
export type ModuleStep = { readonly module: string; readonly export: 'up' | 'down' }

const extension = /\.(sql|ts|js|mjs)$/
const fileName = /^([VUB])(\d{1,15})__([\w.-]+)\.(sql|ts|js|mjs)$/
const noTransaction = {
  sql: /^[ \t]*--[ \t]*no transaction\b.*$/im,
  module: /^[ \t]*export const transaction(?:: boolean)? = false\b/m,
}
const squashLine = /^--[ \t]*squashes((?:[ \t]+\d{1,15})+)[ \t]*$/m
const downLine = /^--[ \t]*down\b.*$/im

/** The folder of a database's migrations: `db/migration`, or for example `db/migration/reports` for the database `reports`. */
export const migrationFolder = (root: string, database = 'default'): string =>
  join(root, 'db/migration', ...(database === 'default' ? [] : [database]))

/**
 * Returns the migrations of a folder in order of version; empty if the folder does not exist. The down step of a `.sql` file is
 * the part after a line `-- down`, or a file of the same version whose name starts with `U`. A file whose name starts with `B`
 * is a baseline, which must precede every `V` file.
 * @throws FwError `db.migration-invalid`
 */
export function readMigrations(folder: string): MigrationFile[] {
  const names = existsSync(folder) ? readdirSync(folder) : []
  const files = names.filter((file) => extension.test(file) && !file.endsWith('.d.ts'))
  const undoFiles = new Map<number, string>()
  const migrations = new Map<number, MigrationFile>()
  for (const file of files.sort()) {
    const path = join(folder, file)
    const [, kind, digits, name = ''] = fileName.exec(file) ?? rejectName(path)
    const version = Number(digits)
    const same = migrations.get(version)
    if (kind === 'U') undoFiles.set(version, path)
    else if (same) reject(path, `${same.file} has the same version: give one of them another`)
    else {
      const isBaseline = kind === 'B'
      migrations.set(version, readMigration({ version, name, file, path, isBaseline }))
    }
  }
  for (const [version, path] of undoFiles) {
    const migration = migrations.get(version) ?? reject(path, 'there is no V file of its version')
    migrations.set(version, addUndo(path, migration))
  }
  const sorted = [...migrations.values()].sort((a, b) => a.version - b.version)
  checkBaseline(sorted)
  return sorted
}

function readMigration(
  named: Pick<MigrationFile, 'version' | 'name' | 'file' | 'path' | 'isBaseline'>,
): MigrationFile {
  const { file, path, isBaseline } = named
  const text = readFileSync(path, 'utf8').replaceAll('\r\n', '\n')
  const checksum = createHash('sha256').update(text).digest('hex')
  const mark = noTransaction[file.endsWith('.sql') ? 'sql' : 'module']
  const common = { ...named, checksum, inTransaction: !mark.test(text) }
  if (!file.endsWith('.sql')) {
    const module = pathToFileURL(path).href
    return { ...common, up: { module, export: 'up' }, down: { module, export: 'down' } }
  }
  const step = (start: number, end?: number): MigrationStep => {
    const line = text.slice(0, start).split('\n').length
    return { sql: text.slice(start, end), path, line }
  }
  // A baseline describes tables that existed before the migrations, so it cannot be rolled back.
  if (isBaseline) {
    const squashes = squashLine.exec(text)?.[1]?.match(/\d+/g)?.map(Number)
    return { ...common, up: step(0), down: undefined, ...(squashes && { squashes }) }
  }
  const line = downLine.exec(text)
  if (line === null) return { ...common, up: step(0), down: undefined }
  return { ...common, up: step(0, line.index), down: step(line.index + line[0].length) }
}

function addUndo(path: string, migration: MigrationFile): MigrationFile {
  if (!path.endsWith('.sql') || migration.down)
    reject(path, `${migration.file} contains the SQL for the rollback already`)
  return { ...migration, down: { sql: readFileSync(path, 'utf8'), path, line: 1 } }
}

/** Throws if a migration precedes a baseline: that migration would create tables, and the baseline would then be skipped. */
function checkBaseline(sorted: readonly MigrationFile[]): void {
  const last = sorted.findLastIndex(({ isBaseline }) => isBaseline)
  const earlier = sorted.slice(0, Math.max(last, 0)).find(({ isBaseline }) => !isBaseline)
  if (earlier === undefined) return
  const reason = `${earlier.file} would run before this baseline: give it a higher version`
  reject(sorted[last]!.path, reason)
}

function reject(path: string, reason: string): never {
  throw new FwError(
    'db.migration-invalid',
    `The migration ${showPath(path)} cannot be used: ${reason}.`,
  )
}

function rejectName(path: string): never {
  throw new FwError(
    'db.migration-invalid',
    `${showPath(path)} has no version in its name: rename it like V20260102030405__create_members.sql.`,
  )
}

/** Formats a path relative to the current folder if the file is below it, so that terminals show a short link. */
export function showPath(path: string): string {
  const short = relative(process.cwd(), path)
  return short.startsWith('..') ? path : short
}

/** One checksum of all migrations of a folder; it changes when any migration changes. */
export function migrationsChecksum(folder: string): string {
  const hash = createHash('sha256')
  for (const { file, checksum } of readMigrations(folder)) hash.update(`${file} ${checksum}\n`)
  return hash.digest('hex')
}

/** The migrations of a folder: `V20260102030405__create_members.sql` or `.ts`, in order of their versions. */
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { FwError } from '../base.ts'
import type { Database } from './database.ts'

/** One migration of a folder. */
export interface MigrationFile {
  /** The digits of its name, as a number. */
  readonly version: number
  readonly name: string
  readonly file: string
  /** SHA-256 of its text, line ends alike on every system. */
  readonly checksum: string
  readonly up: MigrationStep
  /** Absent: it cannot be rolled back. */
  readonly down: MigrationStep | undefined
  /** It says how the database was before its first migration: one that has tables has it already. */
  readonly isBaseline: boolean
}

/** SQL text, or the module whose `up` and `down` take the database. */
export type MigrationStep =
  | { readonly sql: string }
  | { readonly module: string; readonly export: 'up' | 'down' }

export type MigrationWork = (database: Database) => Promise<void>

const fileName = /^([VUB])(\d{1,15})__([\w.-]+)\.(sql|ts|js|mjs)$/
const downLine = /^--[ \t]*down\b.*$/im

/**
 * In order of version; empty where there is no such folder. A `.sql` file goes back by its part after a line `-- down`, or by
 * a file of the same version that begins with `U`. One that begins with `B` is a baseline, and comes before every `V`.
 * @throws FwError `db.migration-invalid`
 */
export function readMigrations(folder: string): MigrationFile[] {
  if (!existsSync(folder)) return []
  const files = readdirSync(folder).filter(
    (file) => /\.(sql|ts|js|mjs)$/.test(file) && !file.endsWith('.d.ts'),
  )
  const undo = new Map<number, string>()
  const found = new Map<number, MigrationFile>()
  for (const file of files.sort()) {
    const [, kind, digits, name = ''] =
      fileName.exec(file) ??
      refuse(file, 'its name is not like V20260102030405__create_members.sql')
    const version = Number(digits)
    if (kind === 'U') undo.set(version, file)
    else if (found.has(version)) refuse(file, `${found.get(version)!.file} has the same version`)
    else
      found.set(version, readMigration(folder, file, { version, name, isBaseline: kind === 'B' }))
  }
  for (const [version, file] of undo) addUndo(folder, file, version, found)
  const sorted = [...found.values()].sort((a, b) => a.version - b.version)
  checkBaseline(sorted)
  return sorted
}

/** What runs before a baseline makes tables, and then the baseline is taken as done. */
function checkBaseline(sorted: readonly MigrationFile[]): void {
  const last = sorted.findLastIndex(({ isBaseline }) => isBaseline)
  const earlier = sorted.slice(0, Math.max(last, 0)).find(({ isBaseline }) => !isBaseline)
  if (earlier === undefined) return
  const { file } = sorted[last]!
  refuse(file, `${earlier.file} would run before this baseline: give it a higher version`)
}

function readMigration(
  folder: string,
  file: string,
  named: Pick<MigrationFile, 'version' | 'name' | 'isBaseline'>,
): MigrationFile {
  const path = join(folder, file)
  const text = readFileSync(path, 'utf8').replaceAll('\r\n', '\n')
  const checksum = createHash('sha256').update(text).digest('hex')
  if (!file.endsWith('.sql')) {
    const module = pathToFileURL(path).href
    return {
      ...named,
      file,
      checksum,
      up: { module, export: 'up' },
      down: { module, export: 'down' },
    }
  }
  // A baseline has no way back: what it describes was there before.
  const mark = named.isBaseline ? null : downLine.exec(text)
  const up = mark ? text.slice(0, mark.index) : text
  const down = mark ? { sql: text.slice(mark.index + mark[0].length) } : undefined
  return { ...named, file, checksum, up: { sql: up }, down }
}

function addUndo(
  folder: string,
  file: string,
  version: number,
  found: Map<number, MigrationFile>,
): void {
  const migration = found.get(version) ?? refuse(file, 'there is no V file of its version')
  if (!file.endsWith('.sql') || migration.down)
    refuse(file, `${migration.file} says itself how to go back`)
  found.set(version, { ...migration, down: { sql: readFileSync(join(folder, file), 'utf8') } })
}

function refuse(file: string, reason: string): never {
  throw new FwError('db.migration-invalid', `The migration ${file} cannot be used: ${reason}.`)
}

/** Loads the function that a `.ts` migration exports; `undefined` where it exports none of this name. */
export async function loadStep(step: {
  readonly module: string
  readonly export: 'up' | 'down'
}): Promise<MigrationWork | undefined> {
  const exports = (await import(step.module)) as Record<string, unknown>
  const work = exports[step.export]
  return typeof work === 'function' ? (work as MigrationWork) : undefined
}

/** One text for the whole folder: equal where every migration is equal. */
export function migrationsChecksum(folder: string): string {
  const hash = createHash('sha256')
  for (const { file, checksum } of readMigrations(folder)) hash.update(`${file} ${checksum}\n`)
  return hash.digest('hex')
}

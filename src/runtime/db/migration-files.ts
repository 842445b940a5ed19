/** Reads, parses and checks the migration files of a folder, and sorts them by version. */
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { pathToFileURL } from 'node:url'
import { FwError } from '../base.ts'
import { findFirst, findScriptProblem, type ScriptProblem } from './check-script.ts'
import type { EngineName } from './connection.ts'
import { decodeSql } from './decode-sql.ts'
import { findProgram } from './embedded-limits.ts'
import { findMigrationLines } from './migration-lines.ts'
import { parseScript } from './sql-script.ts'

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
  /** True for a baseline, which creates the schema before the first migration, unless the database has tables. */
  readonly isBaseline: boolean
  /** The versions of the migrations that `fw db:squash` has replaced with this baseline; absent for other files. */
  readonly squashes?: readonly number[] | undefined
  /** The reason why the SQL cannot run, with its place; undefined without one. */
  readonly problem?: string | undefined
}

/** One direction of a migration: SQL text, or an export of a module. */
export type MigrationStep = SqlStep | ModuleStep
export interface SqlStep {
  readonly sql: string
  readonly path: string
  /** The number of the text's first line in the file. */
  readonly line: number
  /** False if the file has a line `-- no transaction`, as CREATE INDEX CONCURRENTLY needs it. */
  readonly inTransaction: boolean
}
export type ModuleStep = { readonly module: string; readonly export: 'up' | 'down' }

const extension = /\.(sql|ts|js|mjs)$/i
const fileName = /^([VUB])(\d{1,15})__([\w.-]+)\.(sql|ts|js|mjs)$/

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
  const names = existsSync(folder) ? readdirSync(folder).sort() : []
  for (const name of names.filter((one) => !one.includes('.'))) checkForeignFolder(folder, name)
  const undoFiles = new Map<number, string>()
  const named = new Map<number, NamedFile>()
  for (const file of names.filter((name) => extension.test(name) && !name.endsWith('.d.ts'))) {
    const path = join(folder, file)
    const { kind, ...parsed } = parseName(path, file)
    const same = named.get(parsed.version)
    if (kind === 'U') undoFiles.set(parsed.version, path)
    else if (same) reject(path, `${same.file} has the same version: give one of them another`)
    else named.set(parsed.version, parsed)
  }
  for (const [version, path] of undoFiles) {
    const migration = named.get(version) ?? reject(path, 'there is no V file of its version')
    if (!path.endsWith('.sql') || !migration.file.endsWith('.sql')) rejectUndo(path, migration)
  }
  const sorted = [...named.values()]
    .sort((a, b) => a.version - b.version)
    .map((each) => readMigration(each, undoFiles.get(each.version)))
  checkBaseline(sorted)
  return sorted
}

type NamedFile = Pick<MigrationFile, 'version' | 'name' | 'file' | 'path' | 'isBaseline'>

function readMigration(named: NamedFile, undoPath: string | undefined): MigrationFile {
  const { file, path } = named
  if (file.endsWith('.sql'))
    return new SqlMigration(
      named,
      readSql(path),
      undoPath === undefined ? undefined : readSql(undoPath),
    )
  const checksum = digest(readFileSync(path, 'utf8').replaceAll('\r\n', '\n'))
  const module = pathToFileURL(path).href
  const up = { module, export: 'up' } as const
  return { ...named, checksum, up, down: { module, export: 'down' } }
}

const digest = (text: string): string => createHash('sha256').update(text).digest('hex')

interface SqlFile {
  readonly path: string
  readonly text: string
  readonly problem: string | undefined
}

function readSql(path: string): SqlFile {
  const { text, problem } = decodeSql(readFileSync(path))
  return { path, text, problem: problem && `${describe(path)}: ${problem}.` }
}

/** A `.sql` file. Parses its text only when a member needs it: an applied file needs only its checksum. */
class SqlMigration implements MigrationFile {
  readonly version: number
  readonly name: string
  readonly file: string
  readonly path: string
  readonly isBaseline: boolean
  readonly checksum: string
  readonly #own: SqlFile
  readonly #undo: SqlFile | undefined
  #parsed: ParsedMigration | undefined

  constructor(
    { version, name, file, path, isBaseline }: NamedFile,
    own: SqlFile,
    undo: SqlFile | undefined,
  ) {
    this.version = version
    this.name = name
    this.file = file
    this.path = path
    this.isBaseline = isBaseline
    this.checksum = digest(own.text)
    this.#own = own
    this.#undo = undo
  }

  get up(): MigrationStep {
    return this.#parse().up
  }

  get down(): MigrationStep | undefined {
    return this.#parse().down
  }

  get squashes(): readonly number[] | undefined {
    return this.isBaseline ? this.#parse().squashes : undefined
  }

  get problem(): string | undefined {
    return this.#parse().problem
  }

  #parse(): ParsedMigration {
    return (this.#parsed ??= parseMigration(this.#own, this.#undo, this.isBaseline))
  }
}

type ParsedMigration = Pick<MigrationFile, 'up' | 'down' | 'squashes' | 'problem'>

function parseMigration(
  file: SqlFile,
  undoFile: SqlFile | undefined,
  isBaseline: boolean,
): ParsedMigration {
  const { path, text } = file
  const lines = findMigrationLines(text, parseScript(text))
  const { down, squashes } = lines
  const inTransaction = !lines.isWithoutTransaction
  const undo = undoFile && parseUndo(undoFile, inTransaction)
  const up: SqlStep = { sql: text.slice(0, down?.start), path, line: 1, inTransaction }
  const own = down && {
    ...up,
    sql: text.slice(down.end),
    line: text.slice(0, down.end).split('\n').length,
  }
  const problem =
    file.problem ??
    findStepProblem(up) ??
    (own && findStepProblem(own)) ??
    (lines.problem && describeProblem({ ...up, sql: text }, lines.problem)) ??
    (own && isBaseline ? `${describe(path)}: a baseline has no part '-- down'.` : undefined) ??
    (own &&
      undo &&
      `${describe(undo.step.path)}: ${showPath(path)} has a part '-- down' already.`) ??
    undo?.problem
  // A baseline describes tables that existed before the migrations, so it cannot be rolled back.
  return { up, down: isBaseline ? undefined : (own ?? undo?.step), squashes, problem }
}

/** Parses a `U` file. It runs outside a transaction if it or its `V` file has the line `-- no transaction`. */
function parseUndo({ path, text, problem }: SqlFile, isMigrationInTransaction: boolean) {
  const lines = findMigrationLines(text, parseScript(text))
  const inTransaction = isMigrationInTransaction && !lines.isWithoutTransaction
  const step: SqlStep = { sql: text, path, line: 1, inTransaction }
  const down = lines.down && {
    at: lines.down.start,
    reason: "a U file contains only the reversal: remove the line '-- down'",
  }
  const found = lines.problem ?? down
  return {
    step,
    problem: problem ?? findStepProblem(step) ?? (found && describeProblem(step, found)),
  }
}

function findStepProblem(step: SqlStep): string | undefined {
  const found = findScriptProblem(step.sql, parseScript(step.sql), step.inTransaction)
  return found && describeProblem(step, found)
}

const describeProblem = ({ sql, path, line }: SqlStep, { at, reason }: ScriptProblem): string =>
  `${describe(path, line + sql.slice(0, at).split('\n').length - 1)}: ${reason}.`

const describe = (path: string, line?: number): string =>
  `The migration ${showPath(path)}${line === undefined ? '' : `:${line}`} cannot be used`

/** @throws FwError `db.migration-invalid` if the SQL of the migration is invalid, or if the engine cannot run it */
export function checkMigration({ problem, up, down }: MigrationFile, engine: EngineName): void {
  const steps = engine === 'pglite' ? [up, down] : []
  const found = problem ?? findFirst(steps, (step) => step && findEmbeddedStepProblem(step))
  if (found !== undefined) throw new FwError('db.migration-invalid', found)
}

function findEmbeddedStepProblem(step: MigrationStep): string | undefined {
  if (!('sql' in step)) return undefined
  const found = findProgram(step.sql, parseScript(step.sql))
  return found && describeProblem(step, found)
}

/** The files of other tools in a folder for each migration, and the kind of file that Fw has for it. */
const foreignFiles = [
  ['Prisma', 'migration.sql', 'V'],
  ['Diesel', 'up.sql', 'V'],
  ['Diesel', 'down.sql', 'U'],
] as const

/** Throws for a folder of Prisma or Diesel, which would otherwise be ignored like a folder of another database. */
function checkForeignFolder(folder: string, name: string): void {
  for (const [tool, file, kind] of foreignFiles) {
    const path = join(folder, name, file)
    if (!existsSync(path)) continue
    const [, digits = '', title = ''] = /^([\d-]*)_?(.*)$/.exec(name) ?? []
    const version = digits.replaceAll('-', '') || '1'
    const moved = showPath(join(folder, `${kind}${version}__${title}.sql`))
    reject(path, `Fw reads no folders of ${tool}: move the file to ${moved}`)
  }
}

function parseName(path: string, file: string): NamedFile & { kind: string } {
  const [, kind = '', digits, name = ''] = fileName.exec(file) ?? rejectName(path, file)
  if (/\.(?:up|down)$/.test(name)) rejectName(path, file)
  return { kind, version: Number(digits), name, file, path, isBaseline: kind === 'B' }
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
  throw new FwError('db.migration-invalid', `${describe(path)}: ${reason}.`)
}

const rejectUndo = (path: string, { file }: NamedFile): never =>
  reject(path, `${file} contains the reversal already`)

/** Throws for a name without a version, with the name that the file should have. */
function rejectName(path: string, file: string): never {
  const advice = file.startsWith('R_')
    ? 'is a repeatable migration of Flyway, which Fw does not have: write a new V file for each change'
    : `has no version in its name: rename it like ${suggestName(file)}`
  throw new FwError('db.migration-invalid', `${showPath(path)} ${advice}.`)
}

/** Suggests a name for a file such as `000001_create_users.up.sql` of golang-migrate or `V1.1__users.sql` of Flyway. */
function suggestName(file: string): string {
  const [, prefix = '', title = '', direction, ending = 'sql'] =
    /^([VU]?[\d._]*_)?(.*?)(\.up|\.down)?\.(\w+)$/.exec(file) ?? []
  const [version = '20260102030405'] = /^\d+(?=_+$)/.exec(prefix.replace(/^[VU]/, '')) ?? []
  const name = title.replaceAll(/[^\w.-]+/g, '_').replace(/^_+/, '') || 'create_members'
  return `${direction === '.down' ? 'U' : 'V'}${version}__${name}.${ending.toLowerCase()}`
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

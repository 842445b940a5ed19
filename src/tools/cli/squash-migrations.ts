/** `fw db:squash`: replaces all migrations with one baseline that creates the database's present schema. */
import { rmSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { FwError } from '../../runtime/base.ts'
import {
  dumpSchema,
  migrate,
  migrationStatus,
  readMigrations,
  type MigrationFile,
} from '../../runtime/db.ts'
import {
  printItems,
  updateSchemaFile,
  withDatabase,
  type DatabaseOptions,
  type OpenedApplication,
} from './database-commands.ts'

/** Matches statements that write rows, because the baseline contains no rows. */
const writesRows = /^[ \t]*(?:insert[ \t]+into|update|copy|merge[ \t]+into)\b/im
/** Matches statements whose effect `dumpSchema` omits, because it belongs to the server: see `serverChange`. */
const changesServer = new RegExp(
  [
    String.raw`\bowner\s+to\b|\btablespace\b`,
    String.raw`^[ \t]*(?:create|alter)\s+(?:role|user|group|database|system)\b`,
    String.raw`^[ \t]*set\s+(?:session\s+authorization|role)\b`,
    // Without ON, the statement is about members of roles.
    String.raw`^[ \t]*(?:grant|revoke)\b(?:[^;]*\bon\s+(?:database|parameter)\b|(?![^;]*\bon\b))`,
  ].join('|'),
  'im',
)

const serverChange =
  'the baseline lacks what it does to the server: owners, tablespaces, members and settings of roles, settings and privileges of the database and of parameters; repeat it in a new migration'

/** Runs `fw db:squash`. @throws FwError `db.squash-refused`, `db.dump-refused` */
export async function squashMigrations(options: DatabaseOptions): Promise<void> {
  const lines = await withDatabase(options, 'squashing migrations', squash)
  printItems(lines, options)
}

async function squash(application: OpenedApplication): Promise<readonly string[]> {
  const { root, database, migrations } = application
  const files = readMigrations(migrations)
  if (files.length < 2) return ['nothing to do: there are no two migrations']
  const states = await migrationStatus(database, migrations)
  const other = states.find(({ state }) => state !== 'applied')
  if (other !== undefined)
    throw new FwError(
      'db.squash-refused',
      `The migration ${other.version} ${other.name} is ${other.state} in this database, so its structure is not that of the files. Run fw db:migrate, or fw db:reset, first.`,
    )
  const version = files.at(-1)!.version + 1
  const baseline = `B${version}__squashed.sql`
  const head = [
    '-- The structure of all migrations up to this version, instead of them.',
    `-- squashes ${files.map((file) => file.version).join(' ')}`,
  ]
  const schema = await dumpSchema(database, { withMigrations: false })
  writeFileSync(join(migrations, baseline), `${head.join('\n')}\n${schema}`)
  const removed = files.flatMap((file) => remove(migrations, file))
  await migrate(database, migrations)
  const { written } = await updateSchemaFile(application)
  const path = (file: string): string => relative(root, join(migrations, file))
  return [
    `wrote ${path(baseline)}`,
    ...removed.map((file) => `removed ${path(file)}`),
    ...written,
    ...files
      .filter(mayWriteRows)
      .map(({ file }) => `check ${file}: rows that it wrote belong in db/seed.sql now`),
    ...files
      .filter(({ up }) => 'sql' in up && changesServer.test(up.sql))
      .map(({ file }) => `check ${file}: ${serverChange}`),
  ]
}

const mayWriteRows = ({ up, isBaseline }: MigrationFile): boolean =>
  !isBaseline && (!('sql' in up) || writesRows.test(up.sql))

/** Removes the migration's file and its `U` file, if any. */
function remove(folder: string, { file, up, down }: MigrationFile): string[] {
  const undo =
    down !== undefined && 'path' in down && 'path' in up && down.path !== up.path
      ? [relative(folder, down.path)]
      : []
  const names = [file, ...undo]
  for (const name of names) rmSync(join(folder, name))
  return names
}

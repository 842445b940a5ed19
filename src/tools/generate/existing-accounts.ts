/** `--over users`: checks an existing table for accounts, and plans the columns and fields that it lacks. */
import { basename } from 'node:path'
import { FwError } from '../../runtime/base.ts'
import type { SampledTable } from './database-schema.ts'
import { addFields, hideField, removeField, showField } from './edit-model.ts'
import {
  invalidArguments,
  planEdit,
  type Direction,
  type GeneratedFile,
  type Project,
} from './project.ts'
import { readTable } from './read-model.ts'
import { Name } from './resource-names.ts'
import { generateMigration } from './table-sql.ts'

const modelFolder = 'src/main/model'

/** An existing table that becomes the table of the accounts, and its model. */
export interface ExistingAccounts {
  readonly table: string
  readonly name: Name
}

const refuse = (message: string): FwError => new FwError('generate.over-invalid', message)

/**
 * Finds the table and its model.
 * @throws FwError `generate.over-invalid` if accounts cannot use the table; `generate.arguments-invalid`
 */
export function findExistingAccounts(project: Project, table: string): ExistingAccounts {
  const { database } = project
  if (database === undefined) throw invalidArguments('--over needs the database.')
  const found = database.tables.find(({ name, isView }) => name === table && isView !== true)
  if (found === undefined || !/^[a-z_][a-z\d_]*$/.test(table))
    throw refuse(
      `The database has no table '${table}' whose name consists of a-z, 0-9 and _. Apply its migration first: ./fw db:migrate`,
    )
  checkKey(found)
  checkEmail(found)
  checkOthers(found)
  const { path, text } = findModel(project, table)
  checkClock(found, path, text)
  return { table, name: new Name(basename(path, '.ts')) }
}

/** Quotes the name, which may be a reserved word such as `user`. */
export const quoteTable = (table: string): string => `"${table}"`

/** Finds the file of the model over the table, and checks its fields. */
function findModel(project: Project, table: string): GeneratedFile {
  const file = project
    .list(modelFolder)
    .find((name) => readTable(project.read(`${modelFolder}/${name}`) ?? '') === table)
  if (file === undefined)
    throw refuse(
      `There is no model of the table ${table} in ${modelFolder}. Generate it first: ./fw g reverse-model ${table}`,
    )
  const text = project.read(`${modelFolder}/${file}`)!
  if (/\bscopedBy:/.test(text))
    throw refuse(
      `The rows of ${table} have owners (scopedBy in ${modelFolder}/${file}), so they cannot be accounts, which log in before they own anything.`,
    )
  if (!/\bid: ParamType\.(?:Long|Int)\b/.test(text) || !/\bemail: ParamType\.\w+,/.test(text))
    throw refuse(
      `The model in ${modelFolder}/${file} needs the fields id (ParamType.Long) and email (ParamType.Email), by these names.`,
    )
  return { path: `${modelFolder}/${file}`, text }
}

const clockFields: Readonly<Record<string, string>> = {
  created_at: 'createdAt',
  updated_at: 'updatedAt',
}

/** Fw sets the columns `created_at` and `updated_at` only if the model has their fields. */
function checkClock({ name, columns }: SampledTable, path: string, text: string): void {
  for (const column of columns.filter((one) => needsValue(one))) {
    const field = clockFields[column.name]
    if (field !== undefined && !new RegExp(`\\b${field}:`).test(text))
      throw refuse(
        `The column ${column.name} of ${name} needs a value, but the model in ${path} has no field ${field}. Add the field: ${field}: ParamType.DateTime`,
      )
  }
}

const needsValue = (column: SampledTable['columns'][number]): boolean =>
  !column.isNullable && column.default === undefined && !column.isGenerated

function checkKey({ name, primaryKey, columns }: SampledTable): void {
  const type = columns.find((column) => column.name === 'id')?.type ?? ''
  if (primaryKey.join() !== 'id' || !/^int[248]$/.test(type))
    throw refuse(
      `The primary key of ${name} is not a number named id, to which the tables of accounts refer.`,
    )
}

const texts: ReadonlySet<string> = new Set(['varchar', 'text', 'citext'])

function checkEmail({ name, columns, uniqueKeys }: SampledTable): void {
  const email = columns.find((column) => column.name === 'email')
  if (email === undefined || !texts.has(email.type) || email.isArray)
    throw refuse(`${name} has no text column email, by which users log in.`)
  if (email.isNullable)
    throw refuse(
      `The column email of ${name} allows NULL. Add a migration first: alter table ${quoteTable(name)} alter column email set not null;`,
    )
  if (!uniqueKeys.some((key) => key.join() === 'email'))
    throw refuse(
      `The column email of ${name} is not unique, so an address could be that of two accounts. Add a migration first: alter table ${quoteTable(name)} add unique (email);`,
    )
}

const ownColumns: ReadonlySet<string> = new Set([
  'id',
  'email',
  'password_hash',
  'created_at',
  'updated_at',
])

function checkOthers({ name, columns }: SampledTable): void {
  const required = columns.find((column) => !ownColumns.has(column.name) && needsValue(column))
  if (required !== undefined)
    throw refuse(
      `The column ${required.name} of ${name} needs a value, but a registration has only an address and a password. Add a default in a migration first.`,
    )
  for (const { column, isType, sql } of neededColumns) {
    const known = columns.find((one) => one.name === column)
    if (known !== undefined && (known.isArray || !isType(known.type, known.length)))
      throw refuse(`The column ${column} of ${name} is of the type ${known.sqlType}, not ${sql}.`)
  }
}

interface NeededColumn {
  readonly column: string
  readonly sql: string
  readonly field: string
  readonly code: string
  readonly isType: (type: string, length?: number | null) => boolean
}

const neededColumns: readonly NeededColumn[] = [
  {
    column: 'password_hash',
    sql: 'varchar(255)',
    field: 'passwordHash',
    code: 'ParamType.optional(ParamType.String)',
    isType: (type, length) => texts.has(type) && (length ?? 255) >= 97,
  },
  {
    column: 'link_used_at',
    sql: 'timestamptz',
    field: 'linkUsedAt',
    code: 'ParamType.optional(ParamType.DateTime)',
    isType: (type) => type === 'timestamptz',
  },
]

/** Returns the columns that accounts need; without pages, no mailed links. */
const columnsFor = (hasPages: boolean): readonly NeededColumn[] =>
  neededColumns.filter(({ column }) => hasPages || column !== 'link_used_at')

/**
 * Plans the migration that adds the missing columns, and the fields of the model. A migration that exists stays as it is, and its
 * columns are those that a removal takes away.
 */
export function planExistingAccounts(
  project: Project,
  { table, name }: ExistingAccounts,
  { direction, hasPages }: { readonly direction: Direction; readonly hasPages: boolean },
): readonly GeneratedFile[] {
  const needed = columnsFor(hasPages)
  const { columns } = project.database!.tables.find((one) => one.name === table)!
  const missing = needed.filter(({ column }) => !columns.some((one) => one.name === column))
  const planned = generateMigration(
    project,
    `add_accounts_to_${table}`,
    formatMigration(table, missing),
  )
  const text = project.read(planned.path) ?? planned.text
  const path = `${modelFolder}/${name.kebab}.ts`
  const model = planEdit(project, path, (before) => {
    if (direction === 'add') {
      const added = addFields(before, new Map(needed.map(({ field, code }) => [field, code])))
      return added && hideField(added, 'passwordHash')
    }
    const own = needed.filter(({ column }) => text.includes(`add column ${column} `))
    const shown = own.some(({ field }) => field === 'passwordHash')
      ? showField(before, 'passwordHash')
      : before
    return own.reduce((left, { field }) => removeField(left, field), shown)
  })
  if (model.length === 0)
    throw refuse(
      `${path} could not be edited. Add the fields ${needed.map(({ field, code }) => `${field}: ${code}`).join(', ')} and the option hidden: ['passwordHash'] there.`,
    )
  return [{ path: planned.path, text }, ...model]
}

/** The characters that `normalizeEmail` of the generated code removes: those of `trim` in JavaScript. */
const whiteSpace =
  ' \\t\\n\\u000b\\f\\r\\u00a0\\u1680\\u2000\\u2001\\u2002\\u2003\\u2004\\u2005\\u2006\\u2007\\u2008\\u2009\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000\\ufeff'

const normalizedEmail = `lower(lower(btrim(email::text, E'${whiteSpace}') collate "C") collate "default")`

function formatMigration(table: string, missing: readonly NeededColumn[]): string {
  const quoted = quoteTable(table)
  const adds = missing.map(
    ({ column, sql }) => `alter table ${quoted} add column ${column} ${sql};\n`,
  )
  const drops = missing
    .map(({ column }) => `alter table ${quoted} drop column ${column};\n`)
    .toReversed()
  return `${adds.join('')}-- Accounts are found by addresses in lower case, without white space around them. This fails if two rows become equal.
-- The collation "C" changes A-Z as JavaScript does in every language. That of the database changes other letters.
update ${quoted} set email = ${normalizedEmail} where email::text <> ${normalizedEmail};

-- down
${drops.join('')}`
}

/** @throws FwError `generate.over-invalid` if the database has a table of accounts that no migration of accounts creates */
export function checkTables(project: Project, migrations: readonly GeneratedFile[]): void {
  const names = new Set(project.database?.tables.map(({ name }) => name))
  for (const { path, text } of migrations) {
    if (project.read(path) !== undefined) continue
    const [, table] =
      [...text.matchAll(/^create table (\w+)/gm)].find(([, one]) => names.has(one!)) ?? []
    if (table !== undefined)
      throw refuse(`The database already has a table ${table}, which accounts would create.`)
  }
}

/** Plans models and resources for the tables of an existing database. */
import { didYouMean, FwError } from '../../runtime/base.ts'
import { splitTableName } from '../../runtime/model.ts'
import { editCommonMessages } from './common-messages.ts'
import { withKey, type DatabaseSchema } from './database-schema.ts'
import { editFrontPage } from './edit-navigation.ts'
import { fillTemplate } from './fill-template.ts'
import { generateResourceController, type Resource } from './generate-resource-controller.ts'
import { generateResourceTests } from './generate-resource-tests.ts'
import { generateReverseModel, reverseFactoryImports } from './generate-reverse-model.ts'
import { generateViews } from './generate-views.ts'
import { planMount } from './plan-mount.ts'
import {
  invalidArguments,
  PlannedProject,
  type Command,
  type GeneratedFile,
  type Plan,
  type Project,
} from './project.ts'
import { editMessages, readTestedTexts } from './resource-messages.ts'
import { parseResourceNames, type ResourceNames } from './resource-names.ts'
import { chooseModels, describeTables, type ReverseTable } from './reverse-tables.ts'
import { isModelled } from './table-fields.ts'
import { nextVersion } from './table-sql.ts'

/** The kind of a reverse generator; `model` generates no pages. */
type ReverseKind = 'model' | 'scaffold'

/** The tables to generate code for, and the names that the command gives to the only table. */
interface Choice {
  readonly tables: readonly string[]
  readonly names: ReadonlyMap<string, ResourceNames>
}

function readDatabase({ database }: Project): DatabaseSchema {
  if (database === undefined) throw new Error('A reverse generator needs the database schema.')
  if (database.tables.length > 0) return database
  throw new FwError(
    'generate.table-unknown',
    'The database has no tables. Check DATABASE_URL, or db.default.url in application.yml.',
  )
}

function unknownTable(table: string, tables: readonly string[]): FwError {
  const suggestion = didYouMean(table, tables)
  const hint =
    suggestion === undefined
      ? `Its tables are: ${tables.join(', ')}.`
      : `Did you mean ${suggestion}?`
  return new FwError('generate.table-unknown', `The database has no table '${table}'. ${hint}`)
}

/**
 * Parses a list of tables, or one table followed by the names of its resource, as in `fw g scaffold`.
 * @throws FwError `generate.table-unknown`, `generate.arguments-invalid`, `generate.name-invalid`
 */
function parseTables({ project, words, usage }: Command, kind: ReverseKind): Choice {
  const tables = readDatabase(project).tables.map(({ name }) => name)
  const [first, ...rest] = words
  if (first === undefined) throw invalidArguments(usage)
  if (!tables.includes(first)) throw unknownTable(first, tables)
  const unknown = rest.find((word) => !tables.includes(word))
  if (unknown === undefined) return { tables: words, names: new Map() }
  if (rest.length !== (kind === 'model' ? 1 : 2)) throw unknownTable(unknown, tables)
  const names = parseResourceNames(kind === 'model' ? [`${unknown}_list`, unknown] : rest, usage)
  return { tables: [first], names: new Map([[first, names]]) }
}

/**
 * Adds the key of the option `--key`, if given, to the chosen view.
 * @throws FwError `generate.arguments-invalid` unless exactly one view is chosen and `key` is one of its columns
 */
function applyKey(
  database: DatabaseSchema,
  [name, more]: readonly string[],
  key: string | undefined,
): DatabaseSchema {
  if (key === undefined) return database
  const view = database.tables.find((table) => table.name === name)
  if (view?.isView !== true || more !== undefined)
    throw invalidArguments('--key is for one view, not for tables.')
  const names = view.columns.map((column) => column.name)
  if (!names.includes(key))
    throw invalidArguments(`${name} has no column '${key}'. Its columns are: ${names.join(', ')}.`)
  return {
    ...database,
    tables: database.tables.map((table) => (table === view ? withKey(view, [key]) : table)),
  }
}

/**
 * Plans the files of the chosen tables, or of all, including models of tables that they reference. A removal keeps these models
 * and the baseline migration, because other code may use them.
 * @throws FwError `generate.*`
 */
export function reversePlan(command: Command, kind: ReverseKind, isForAll = false): Plan {
  const { project, words, usage, direction, options } = command
  if (isForAll && words.length > 0) throw invalidArguments(usage)
  const known = readDatabase(project)
  const choice = isForAll
    ? { tables: known.tables.map(({ name }) => name), names: new Map() }
    : parseTables(command, kind)
  const database = applyKey(known, choice.tables, options.key)
  const tables = describeTables(project, database, {
    paged: kind === 'scaffold' ? choice.tables : [],
    names: choice.names,
  })
  const chosen = choice.tables.map((name) => tables.get(name)!)
  const { written, modelled } = chooseModels(project, tables, choice.tables)
  const isAdding = direction === 'add'
  const models = isAdding ? written.map((name) => tables.get(name)!) : chosen
  const paged =
    kind === 'scaffold' ? chosen.filter((table) => table.noPagesReason === undefined) : []
  const planned = new PlannedProject(project)
  if (isAdding) planned.add(generateBaseline(project, database))
  planned.add(models.flatMap((table) => generateReverseModel(table, tables, modelled)))
  const resources = paged.map(describeResource)
  const texts = readTestedTexts(project)
  planned.add(
    resources.flatMap((resource) => [
      generateResourceController(resource),
      ...generateViews(resource),
      ...generateResourceTests(resource, texts),
    ]),
  )
  const notes: string[] = []
  if (resources.length > 0) {
    planned.add(editMessages(planned, resources, direction))
    planned.add(editCommonMessages(project, planned, direction))
    const controllers = resources.map(({ names }) => names.resources)
    const mount = planMount(planned, controllers, direction)
    planned.add(mount.files)
    notes.push(...mount.notes)
  }
  for (const { names } of resources) planned.add(editFrontPage(planned, names, direction))
  if (isAdding) {
    if (kind === 'scaffold') notes.push(...pageNotes(chosen))
    notes.push(...modelNotes(models, chosen))
    if (chosen.length === database.tables.length) notes.push(...omittedRelations(database))
    notes.push(...missingMigrations(project, models))
  }
  return { files: planned.files, notes }
}

const describeResource = (own: ReverseTable): Resource => ({
  names: own.names,
  fields: own.fields,
  key: own.key,
  kind: own.table.isView === true ? 'reads' : 'pages',
  hasViews: true,
  factories: own.noFactoryReason === undefined ? reverseFactoryImports(own) : undefined,
})

const migrationFolder = 'db/migration'

const listMigrations = (project: Project): readonly string[] =>
  project.list(migrationFolder).filter((file) => /^[VB]\d+__/.test(file))

/** Generates a baseline migration, which creates the existing tables, unless the application has migrations. */
function generateBaseline(
  project: Project,
  { structure }: DatabaseSchema,
): readonly GeneratedFile[] {
  if (listMigrations(project).length > 0) return []
  const path = `${migrationFolder}/B${nextVersion(project)}__existing_database.sql`
  const text = fillTemplate('small/baseline.sql', { structure: structure.trimEnd() })
  return [{ path, text }]
}

const listNames = (names: readonly string[]): string =>
  names.length > 8
    ? `${names.slice(0, 8).join(', ')} and ${names.length - 8} more`
    : names.join(', ')

/** Returns notes about tables without pages, followed by notes about tables that have only a list. */
function pageNotes(chosen: readonly ReverseTable[]): string[] {
  const listed = chosen.filter(
    ({ key, noPagesReason }) => noPagesReason === undefined && key === undefined,
  )
  return [
    ...chosen.flatMap(({ table, noPagesReason }) =>
      noPagesReason === undefined
        ? []
        : [`${table.name} has a model and no pages: ${noPagesReason}.`],
    ),
    ...listed.map(
      ({ table }) =>
        `${table.name} has a list and no pages of single rows: no column is known to identify them. If one does, write: fw g reverse-scaffold ${table.name} --key column`,
    ),
  ]
}

/** Returns notes about missing factories and columns, and about models of tables that were not chosen. */
function modelNotes(models: readonly ReverseTable[], chosen: readonly ReverseTable[]): string[] {
  const notes: string[] = []
  for (const { table, noFactoryReason } of models) {
    if (noFactoryReason !== undefined && table.isView !== true)
      notes.push(`${table.name} has no factory, and its tests insert no row: ${noFactoryReason}.`)
    const omitted = table.columns.filter((column) => !isModelled(column)).map(({ name }) => name)
    if (omitted.length > 0)
      notes.push(
        `${table.name}.${omitted.join(', ')} is not in the model, because the database computes tsvector columns.`,
      )
  }
  const extra = models.filter((table) => !chosen.includes(table)).map(({ table }) => table.name)
  if (extra.length > 0)
    notes.push(`${listNames(extra)} also got models, because rows of the chosen tables need them.`)
  return notes
}

function omittedRelations({ others }: DatabaseSchema): string[] {
  const kinds = ['foreign table', 'partition'] as const
  return kinds.flatMap((kind) => {
    const names = others.filter((each) => each.kind === kind).map(({ name }) => name)
    if (names.length === 0) return []
    const reason =
      kind === 'partition' ? 'their tables have all the rows' : 'no key identifies their rows'
    return [`Omitted, ${kind}${names.length > 1 ? 's' : ''}: ${listNames(names)}; ${reason}.`]
  })
}

/** Returns a note about tables that no migration mentions, because a test database has only the tables of migrations. */
function missingMigrations(project: Project, models: readonly ReverseTable[]): string[] {
  const files = listMigrations(project)
  const text = files.map((file) => project.read(`${migrationFolder}/${file}`) ?? '').join('\n')
  const missing = models
    .map(({ table }) => table.name)
    .filter((name) => !text.includes(splitTableName(name).at(-1)!))
  if (files.length === 0 || missing.length === 0) return []
  return [
    `No migration mentions ${listNames(missing)}, so test databases lack these tables. Write a migration that creates them if they do not exist.`,
  ]
}

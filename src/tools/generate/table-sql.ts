/** Generates the SQL of columns, indexes and triggers, and the files of migrations. */
import { FwError } from '../../runtime/base.ts'
import { migrationFolder } from '../../runtime/db.ts'
import { splitTableName } from '../../runtime/model.ts'
import { isAttachment } from './attachments.ts'
import { parseAttributes, type Field } from './field.ts'
import { fillTemplate, sharedFile } from './fill-template.ts'
import { present } from './format-code.ts'
import type { OwnerScope } from './owner-scope.ts'
import { singularize } from './pluralize.ts'
import {
  invalidArguments,
  PlannedProject,
  type GeneratedFile,
  type Plan,
  type Project,
} from './project.ts'
import {
  modelPath,
  readReferenceTarget,
  resolveReferenceTypes,
  type ModelNames,
} from './read-model.ts'
import { Name, QualifiedName } from './resource-names.ts'

/** The reserved words of PostgreSQL that are plausible names for a table or a column. */
const reservedSql: ReadonlySet<string> = new Set(
  (
    'all analyse analyze and any array as asc both case cast check collate column constraint create default desc ' +
    'distinct do else end except false fetch for foreign from grant group having in initially intersect into ' +
    'lateral leading limit not null offset on only or order placing primary references returning select some ' +
    'symmetric table then to trailing true union unique user using variadic when where window with'
  ).split(' '),
)

/** Quotes an SQL name if it needs quotes. */
const quoteIdentifier = (name: string): string =>
  reservedSql.has(name) || /[^a-z\d_]/.test(name) ? `"${name.replaceAll('"', '""')}"` : name

export const quoteTable = (name: string): string =>
  splitTableName(name).map(quoteIdentifier).join('.')

const checkLabels = (name: Name, labels: readonly string[]): string =>
  `check (${quoteIdentifier(name.snake)} in (${labels.map((label) => `'${label}'`).join(', ')}))`

/**
 * Returns the definition of each column, such as `name varchar(512) not null`. The unique keys of a distributed table are those of
 * `ownedKeys`.
 */
export const columnDefinitions = (
  project: Project,
  fields: readonly Field[],
  own: ModelNames,
  scope?: OwnerScope,
): string[] =>
  fields.map(({ name, type, sql, isOptional, references, isUnique, isOwned }) => {
    const target =
      references && isOwned !== true ? readReferenceTarget(project, references, own) : undefined
    return present([
      quoteIdentifier(name.snake),
      sql,
      !isOptional && 'not null',
      type.input === 'list' && "default '{}'",
      isUnique === true && scope?.isDistributed !== true && 'unique',
      type.options && checkLabels(name, type.options),
      target && `references ${quoteTable(target.table)} (${quoteIdentifier(target.column)})`,
    ]).join(' ')
  })

/** Returns the foreign keys to rows of the same owner. Rows can only reference these, because the owner is part of the key. */
function ownedReferences(
  project: Project,
  fields: readonly Field[],
  { own, scope }: { readonly own: ModelNames; readonly scope: OwnerScope },
): string[] {
  const owner = quoteIdentifier(new Name(scope.field).snake)
  return fields.flatMap(({ name, references, isOwned }) => {
    if (references === undefined || isOwned !== true) return []
    const { table, column } = readReferenceTarget(project, references, own)
    const target = `${quoteTable(table)} (${owner}, ${quoteIdentifier(column)})`
    return [`foreign key (${owner}, ${quoteIdentifier(name.snake)}) references ${target}`]
  })
}

/** Returns the keys of a table whose rows have owners. The unique key is also the index of an owner's rows. */
export function ownedKeys(
  project: Project,
  fields: readonly Field[],
  { own, scope }: { readonly own: ModelNames; readonly scope: OwnerScope | undefined },
): string[] {
  if (scope === undefined) return []
  const owner = quoteIdentifier(new Name(scope.field).snake)
  if (!scope.isDistributed)
    return [`unique (${owner}, id)`, ...ownedReferences(project, fields, { own, scope })]
  // On Citus each key of a distributed table contains the column by which the rows are distributed.
  const unique = fields
    .filter(({ isUnique }) => isUnique === true)
    .map(({ name }) => `unique (${owner}, ${quoteIdentifier(name.snake)})`)
  return [`primary key (${owner}, id)`, ...unique]
}

/**
 * Returns the statements that distribute a table over the nodes of Citus; empty without `--distributed-by`. Tables without owners
 * that the table references are copied to all nodes. Only a distributed table can reference other distributed tables, so these
 * keys come last.
 */
export function distributeTable(
  project: Project,
  fields: readonly Field[],
  { own, scope }: { readonly own: ModelNames; readonly scope: OwnerScope | undefined },
): string[] {
  if (scope?.isDistributed !== true) return []
  const shared = fields.flatMap(({ references, isOwned }) =>
    references === undefined || isOwned === true
      ? []
      : [quoteTable(readReferenceTarget(project, references, own).table)],
  )
  return [
    fillTemplate('scaffold/parts/distribute.sql', {
      ownerWords: scope.model.withArticle,
      table: quoteTable(own.table),
      column: new Name(scope.field).snake,
      shared: [...new Set(shared)].map((table) => `'${table}'`).join(', '),
    }).trimEnd(),
    ...ownedReferences(project, fields, { own, scope }).map(
      (key) => `alter table ${quoteTable(own.table)} add ${key};`,
    ),
  ]
}

/**
 * Returns the statements that create the indexes of references and of indexed fields. A unique column already has an index. In a
 * scope, each index begins with the owner.
 */
export const createIndexes = (
  table: string,
  fields: readonly Field[],
  scope?: OwnerScope,
): string[] =>
  fields
    .filter(
      ({ name, references, isIndexed, isUnique }) =>
        isUnique !== true &&
        name.camel !== scope?.field &&
        (references !== undefined || isIndexed === true),
    )
    .map(({ name, isIndexed }) => {
      // Add the primary key to the index, because keyset pagination sorts equal values by it.
      const columns = [
        ...(scope === undefined ? [] : [quoteIdentifier(new Name(scope.field).snake)]),
        quoteIdentifier(name.snake),
        ...(isIndexed === true ? ['id'] : []),
      ]
      return `create index on ${quoteTable(table)} (${columns.join(', ')});`
    })

const triggerName = (table: string, { name }: Field): string =>
  quoteIdentifier(`${splitTableName(table).at(-1)}_${name.snake}`)

/** Returns triggers that delete the old attachment when a row is deleted or gets another one. */
export const createTriggers = (table: string, fields: readonly Field[]): string[] =>
  fields
    .filter(isAttachment)
    .map(
      (field) =>
        `create trigger ${triggerName(table, field)} after update of ${quoteIdentifier(field.name.snake)} or delete on ${quoteTable(table)}\n  for each row execute function delete_attachment('${field.name.snake}');`,
    )

/** Generates the table, the model and the factory of attachments, if a field needs them. */
export function generateAttachments(
  project: Project,
  fields: readonly Field[],
  database?: string,
): GeneratedFile[] {
  if (!fields.some(isAttachment)) return []
  const text = fillTemplate('attachment/migration.sql', {})
  const migration = generateMigration(project, 'create_attachments', text, database)
  return [
    { ...migration, kind: 'shared' },
    sharedFile('src/main/model/attachment.ts', 'attachment/model.ts'),
    sharedFile('src/test/factory/attachment.ts', 'attachment/factory.ts'),
  ]
}

/** Returns the folder of a database's migrations. @throws FwError `generate.arguments-invalid` */
function folderOf(database: string): string {
  if (!/^\w[\w-]*$/.test(database))
    throw invalidArguments(
      `'${database}' is not the name of a database: use letters, digits, - and _ only.`,
    )
  return migrationFolder('', database)
}

/** Returns the version of a new migration: the current time, or the latest version plus 1 if that is greater. */
export function nextVersion(project: Project, folder = folderOf('default')): string {
  const versions = project.list(folder).map((file) => Number(/^[VB](\d+)__/.exec(file)?.[1] ?? 0))
  const latest = Math.max(0, ...versions)
  const time = Number(project.now.toISOString().replace(/\D/g, '').slice(0, 14))
  return String(Math.max(time, latest + 1))
}

/** Generates a migration's file. An existing migration with the same name keeps its file name. */
export function generateMigration(
  project: Project,
  name: string,
  text: string,
  database = 'default',
): GeneratedFile {
  const folder = folderOf(database)
  const known = project.list(folder).find((file) => /^V\d+__(.+)\.sql$/.exec(file)?.[1] === name)
  return { path: `${folder}/${known ?? `V${nextVersion(project, folder)}__${name}.sql`}`, text }
}

const changePattern = /^(add|remove)_\w+_(?:to|from)_(\w+)$/

/** Whether the words add or remove columns, such as `add_email_to_members email:String:unique`. */
export const isColumnChange = ([name = '', ...words]: readonly string[]): boolean =>
  changePattern.test(name) && words.length > 0 && words.every((word) => /^\w+:\S+$/.test(word))

/**
 * Plans a migration that adds or removes columns: `add_email_to_members email:String:unique` or `remove_email_from_members
 * email:String`.
 * @throws FwError `generate.field-invalid`
 */
export function columnChangePlan(
  project: Project,
  [nameText = '', ...words]: readonly string[],
  database?: string,
): Plan {
  const [, verb, table = ''] = changePattern.exec(nameText)!
  const parsed = parseAttributes(words, project)
  if (parsed.associations.length > 0)
    throw new FwError(
      'generate.field-invalid',
      'A migration adds columns, and a relation has none.',
    )
  const model = new QualifiedName([], new Name(singularize(table)))
  const own = { model, table }
  const fields = resolveReferenceTypes(project, parsed.fields, own)
  const adds = [
    ...columnDefinitions(project, fields, own).map(
      (column) => `alter table ${quoteTable(table)} add column ${column};`,
    ),
    ...createIndexes(table, fields),
    ...createTriggers(table, fields),
  ]
  // Reverse the order, so that each statement reverts one of `adds`. Dropping a column also drops its index.
  const removes = [
    ...fields.map(
      ({ name }) => `alter table ${quoteTable(table)} drop column ${quoteIdentifier(name.snake)};`,
    ),
    ...fields
      .filter(isAttachment)
      .map((field) => `drop trigger ${triggerName(table, field)} on ${quoteTable(table)};`),
  ].toReversed()
  const [up, down] = verb === 'add' ? [adds, removes] : [removes, adds]
  const text = `${up.join('\n')}\n\n-- down\n${down.join('\n')}\n`
  const planned = new PlannedProject(project)
  planned.add(generateAttachments(project, fields, database))
  const isAdding = verb === 'add'
  const file = modelPath(model.name)
  const names = fields.map(({ name }) => name.camel).join(', ')
  const required = fields.find(({ isOptional, type }) => !isOptional && type.input !== 'list')
  const notes: string[] = []
  if (project.read(file) !== undefined)
    notes.push(
      `Then ${verb} ${names} ${isAdding ? 'to' : 'from'} ${file}, its controller and its views.`,
    )
  if (isAdding && required !== undefined)
    notes.push(
      `A table with rows refuses a new column that is required: write ${required.name.snake} with a ?, or a default in the migration.`,
    )
  return {
    files: [...planned.files, generateMigration(planned, nameText, text, database)],
    notes,
  }
}

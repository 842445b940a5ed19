/** Reads the table, key and fields of generated models from their files and migrations. */
import { FwError } from '../../runtime/base.ts'
import { toSnakeCase } from '../../runtime/params.ts'
import { readValues } from './enum-labels.ts'
import { fieldTypes } from './field-type.ts'
import { findTitleField, invalidField, parseAttributes, type Field } from './field.ts'
import { fillTemplate } from './fill-template.ts'
import type { Project } from './project.ts'
import { pluralize, singularize } from './pluralize.ts'
import { Name, parseName, QualifiedName } from './resource-names.ts'
import { relationName } from './table-fields.ts'

export const modelPath = (name: Name): string => `src/main/model/${name.file}.ts`

export const missingModel = (name: Name): FwError =>
  new FwError(
    'generate.model-missing',
    `There is no model in ${modelPath(name)}. Generate it first: ./fw g model ${name.snake} name:String`,
  )

export interface ModelNames {
  readonly model: QualifiedName
  readonly table: string
}

/** Whether a name, such as that of a referenced model, is that of the model itself. */
export const isOwn = (name: Name, { model }: ModelNames): boolean => name.file === model.file

export const readTable = (text: string): string | undefined =>
  /\bmodel\(\s*(['"])((?:(?!\1).)+)\1/.exec(text)?.[2]

/**
 * Reads a model's table and the field, column and `ParamType` of its primary key.
 * @throws FwError `generate.model-missing`
 */
export function readReferenceTarget(project: Project, name: Name, own?: ModelNames) {
  if (own !== undefined && isOwn(name, own))
    return { table: own.table, field: 'id', column: 'id', type: 'Long' }
  // A generator adds the model of attachments together with the first reference to it.
  const builtIn = name.file === 'attachment' ? fillTemplate('attachment/model.ts', {}) : ''
  const text = project.read(modelPath(name)) ?? builtIn
  const table = readTable(text)
  if (table === undefined) throw missingModel(name)
  const field = /\bprimaryKey:\s*['"](\w+)['"]/.exec(text)?.[1] ?? 'id'
  const type = new RegExp(`\\b${field}:[ \\w(]*?\\bParamType\\.(\\w+)`).exec(text)?.[1] ?? 'Long'
  const column = new RegExp(`\\b${field}:\\s*['"]([^'"]+)['"]`).exec(text)?.[1]
  return { table, field, type, column: column ?? toSnakeCase(field) }
}

/** Returns the field of a model that has the name of a title. */
export const readTitle = (text: string): string | undefined =>
  /^\s*(name|title|label): ParamType\.String,/m.exec(text)?.[1]

/** Finds the controller object with the pages of a model's records, outside nested resources; `undefined` if there is none. */
function findPages(project: Project, { file, snake }: Name): string | undefined {
  const resources = new QualifiedName(parseName(file).namespace, new Name(pluralize(snake)))
  const text = project.read(`src/main/controller/${resources.file}-controller.ts`) ?? ''
  const view = project.read(`src/main/webapp/WEB-INF/views${resources.path}/show.html.ssp`)
  const hasPages = view !== undefined && text.includes(`from '#model/${file}'`)
  return hasPages && /= resource\(/.test(text) ? resources.camel : undefined
}

/** Returns the fields with the referenced key's type for each foreign key. @throws FwError `generate.model-missing` */
export function resolveReferenceTypes(
  project: Project,
  fields: readonly Field[],
  own: ModelNames,
): readonly Field[] {
  return fields.map((field) => {
    const { references } = field
    if (references === undefined || field.type.input === 'attachment') return field
    if (isOwn(references, own) && !field.isOptional)
      throw invalidField(
        field.name.camel,
        `the first ${own.model.name.words} has no other one to reference. Write it with a ?, such as parent:references?:${references.snake}`,
      )
    const { type: name, field: key } = readReferenceTarget(project, references, own)
    const type = fieldTypes.get(name) ?? field.type
    const text = project.read(modelPath(references)) ?? ''
    const title = isOwn(references, own)
      ? findTitleField(fields)?.name.camel
      : (readTitle(text) ?? /^ {2}(\w+): ParamType\.String,/m.exec(text)?.[1])
    return {
      ...field,
      type,
      sql: type.sql,
      label: relationName(field.name.camel),
      ...(title === undefined ? {} : { target: { title, key } }),
      linksTo: findPages(project, references),
    }
  })
}

const declaration =
  /^ {2}(\w+): (?:ParamType\.(?:(?:optional|array)\(ParamType\.(\w+)\)|(\w+))|(?:ParamType\.optional\()?([A-Z]\w*)\)?|(?:ParamType\.optional\()?(json)(?:<.+>)?\(\w*\)\)?|(?:ParamType\.optional\(\s*)?ParamType\.(oneOf\([^)]*\))(?:,?\s*\))?),$/gm
const automaticFields: ReadonlySet<string> = new Set(['id', 'createdAt', 'updatedAt'])

/** Returns the text of the migration that creates the table; empty if there is none. */
function readMigration(project: Project, table: string): string {
  const folder = 'db/migration'
  const file = project.list(folder).find((name) => name.endsWith(`__create_${table}.sql`))
  return file === undefined ? '' : (project.read(`${folder}/${file}`) ?? '')
}

/** Returns the column definitions of the migration that creates the table, by column. */
const readColumns = (migration: string): ReadonlyMap<string, string> =>
  new Map([...migration.matchAll(/^ {2}"?(\w+)"? (.+),$/gm)].map(([, name, sql]) => [name!, sql!]))

/** Reads the fields of a generated model; returns no fields if the model does not exist. */
export function readModelFields(project: Project, { model, table }: ModelNames): readonly Field[] {
  const text = project.read(`src/main/model/${model.file}.ts`) ?? ''
  const migration = readMigration(project, table)
  const columns = readColumns(migration)
  const isIndexed = (column: string): boolean =>
    new RegExp(`^create index on \\S+ \\("?${column}"?, id\\);$`, 'm').test(migration)
  const words = [...text.matchAll(declaration)]
    .filter(([, name]) => !automaticFields.has(name!))
    .map(([, name, wrapped, plain, own, json, oneOf]) => {
      const { snake } = new Name(name!)
      const column = columns.get(snake) ?? ''
      const word = fieldWord(snake, column, wrapped ?? plain ?? own ?? json ?? oneOf!)
      return isIndexed(snake) ? `${word}:index` : word
    })
  return parseAttributes(words, project).fields
}

/** Returns a column as on the command line: `company:references?`, `name:String:varchar(64):unique`. */
function fieldWord(snake: string, column: string, type: string): string {
  const mark = column === '' || / not null\b/.test(column) ? '' : '?'
  const unique = / unique\b/.test(column) ? ':unique' : ''
  const table = / references (\S+) \(\S+\)$/.exec(column)?.[1]
  if (table !== undefined) {
    const name = snake.replace(/_id$/, '')
    const target = singularize(table.replaceAll('"', ''))
    if (target === 'attachment' && unique !== '') return `${name}:attachment${mark}`
    return `${name}:references${mark}${target === name ? '' : `:${target}`}${unique}`
  }
  if (type.startsWith('oneOf(')) return `${snake}:enum${mark}:${readValues(type)}${unique}`
  const labels = / check \(\S+ in \((.*)\)\)$/.exec(column)?.[1]
  if (labels !== undefined) return `${snake}:enum${mark}:${readValues(labels)}${unique}`
  const sql = column.replace(/ (?:not null|unique)\b.*$/, '')
  if (sql.endsWith('[]')) return `${snake}:${type}[]`
  if (type === 'json') return `${snake}:json${mark}`
  const digits = /^numeric\((\d+), (\d+)\)$/.exec(sql)
  if (digits !== null) return `${snake}:decimal${mark}:${digits[1]},${digits[2]}${unique}`
  if (sql === 'varchar(254)' && /mail/.test(snake)) return `${snake}:email${mark}${unique}`
  if (sql === 'varchar(2048)') return `${snake}:url${mark}${unique}`
  return `${snake}:${type}${mark}${sql === '' ? '' : `:${sql}`}${unique}`
}

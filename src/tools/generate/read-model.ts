/** Reads generated models: their table, key and fields, from the model's file and its migration. */
import { FwError } from '../../runtime/base.ts'
import { toSnakeCase } from '../../runtime/params.ts'
import { fieldTypes, type FieldType } from './field-type.ts'
import { parseAttributes, type Attributes, type Field } from './field.ts'
import type { Project } from './project.ts'
import { Name, type QualifiedName } from './resource-names.ts'

/** The target of a foreign key. */
export interface ReferenceTarget {
  readonly table: string
  /** The field and the column of the primary key. */
  readonly field: string
  readonly column: string
  /** The name of the key's type in `ParamType`. */
  readonly type: string
}

export const modelPath = (name: Name): string => `src/main/model/${name.file}.ts`

export const missingModel = (name: Name): FwError =>
  new FwError(
    'generate.model-missing',
    `There is no model in ${modelPath(name)}. Generate it first: ./fw g model ${name.snake} name:String`,
  )

/** Reads `model('companies', { id: ParamType.Long, … })`. @throws FwError `generate.model-missing` */
export function readReferenceTarget(project: Project, name: Name): ReferenceTarget {
  const text = project.read(modelPath(name)) ?? ''
  const table = /\bmodel\(\s*(['"])((?:(?!\1).)+)\1/.exec(text)?.[2]
  if (table === undefined) throw missingModel(name)
  const field = /\bprimaryKey:\s*['"](\w+)['"]/.exec(text)?.[1] ?? 'id'
  const type = new RegExp(`\\b${field}:[ \\w(]*?\\bParamType\\.(\\w+)`).exec(text)?.[1] ?? 'Long'
  const column = new RegExp(`\\b${field}:\\s*['"]([^'"]+)['"]`).exec(text)?.[1]
  return { table, field, type, column: column ?? toSnakeCase(field) }
}

const uuid: FieldType = { ...fieldTypes.get('String')!, name: 'Uuid', sql: 'uuid', rules: ['uuid'] }

/** Gives each foreign key the type of the key that it refers to. @throws FwError `generate.model-missing` */
export function resolveReferenceTypes(
  project: Project,
  fields: readonly Field[],
): readonly Field[] {
  return fields.map((field) => {
    if (field.references === undefined) return field
    const { type: name } = readReferenceTarget(project, field.references)
    const type = name === 'Uuid' ? uuid : (fieldTypes.get(name) ?? field.type)
    return { ...field, type, sql: type.sql }
  })
}

const declaration = /^ {2}(\w+): ParamType\.(?:optional\(ParamType\.(\w+)\)|(\w+)),$/gm
const automaticFields: ReadonlySet<string> = new Set(['id', 'createdAt', 'updatedAt'])

/** The column definitions in the migration that creates the table, by column. */
function readColumns(project: Project, table: string): ReadonlyMap<string, string> {
  const folder = 'db/migration'
  const file = project.list(folder).find((name) => name.endsWith(`__create_${table}.sql`))
  const text = file === undefined ? '' : (project.read(`${folder}/${file}`) ?? '')
  return new Map(
    [...text.matchAll(/^ {2}"?(\w+)"? (.+),$/gm)].map(([, name, sql]) => [name!, sql!]),
  )
}

/** Reads the fields of a generated model; returns none if there is no such model. */
export function readModelFields(project: Project, model: QualifiedName, table: string): Attributes {
  const text = project.read(`src/main/model/${model.file}.ts`) ?? ''
  const columns = readColumns(project, table)
  const words = [...text.matchAll(declaration)]
    .filter(([, name]) => !automaticFields.has(name!))
    .map(([, name, optional, required]) => {
      const { snake } = new Name(name!)
      const column = columns.get(snake) ?? ''
      const mark = optional === undefined ? '' : '?'
      if (/ references \S+ \(\S+\)$/.test(column))
        return `${snake.replace(/_id$/, '')}:references${mark}`
      const sql = column.replace(/ not null$/, '')
      return `${snake}:${optional ?? required}${mark}${sql === '' ? '' : `:${sql}`}`
    })
  return parseAttributes(words)
}

/** What a model's file says of the table and the key that other tables point to. */
import { FwError } from '../base.ts'
import { toSnakeCase } from '../params.ts'
import type { Site } from './draft.ts'
import type { Field } from './field.ts'
import { fieldTypes, type FieldType } from './field-type.ts'
import type { Name } from './resource-names.ts'

/** Where a column points to. */
export interface ReferenceTarget {
  readonly table: string
  /** The primary key's field and column. */
  readonly field: string
  readonly column: string
  /** Its name in `ParamType`. */
  readonly type: string
}

export const modelFile = (name: Name): string => `src/main/model/${name.file}.ts`

/** Read from the definition `model('companies', { id: ParamType.Long, … })`. @throws FwError `generate.model-missing` */
export function referenceTarget(site: Site, name: Name): ReferenceTarget {
  const text = site.read(modelFile(name)) ?? ''
  const table = /\bmodel\(\s*(['"])([\w.]+)\1/.exec(text)?.[2]
  if (table === undefined) throw modelMissing(name)
  const field = /\bprimaryKey:\s*['"](\w+)['"]/.exec(text)?.[1] ?? 'id'
  const type = new RegExp(`\\b${field}:[ \\w(]*?\\bParamType\\.(\\w+)`).exec(text)?.[1] ?? 'Long'
  const column = new RegExp(`\\b${field}:\\s*['"]([^'"]+)['"]`).exec(text)?.[1]
  return { table, field, type, column: column ?? toSnakeCase(field) }
}

export function modelMissing(name: Name): FwError {
  return new FwError(
    'generate.model-missing',
    `There is no model in ${modelFile(name)}. Generate it first: ./fw g model ${name.snake} name:String`,
  )
}

const uuid: FieldType = { ...fieldTypes.get('String')!, name: 'Uuid', sql: 'uuid', rules: ['uuid'] }

/** Each field that points to a model takes the type of that model's key. @throws FwError `generate.model-missing` */
export function withReferenceTypes(site: Site, fields: readonly Field[]): readonly Field[] {
  return fields.map((field) => {
    if (field.references === undefined) return field
    const { type: name } = referenceTarget(site, field.references)
    const type = name === 'Uuid' ? uuid : (fieldTypes.get(name) ?? field.type)
    return { ...field, type, sql: type.sql }
  })
}

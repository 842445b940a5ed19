/** Generates the model, the relations and the factory of an existing table. */
import { formatMembers, formatObject, quote } from './format-code.ts'
import {
  factoryImports,
  generateDefinition,
  generateFactory,
  generateRelations,
  type Relation,
} from './generate-model.ts'
import type { Field } from './field.ts'
import type { GeneratedFile } from './project.ts'
import { referencesPrimaryKey, type ReverseTable, type ReverseTables } from './reverse-tables.ts'
import { relationName } from './table-fields.ts'

/** Generates the files of a table's model, without the factory if tests cannot insert rows (`noFactoryReason`). */
export function generateReverseModel(
  own: ReverseTable,
  tables: ReverseTables,
  modelled: ReadonlySet<string>,
): readonly GeneratedFile[] {
  const { table, source, key } = own
  const model = own.names.resource
  const files = [
    generateDefinition(model, {
      kind: table.isView === true ? 'view' : 'table',
      table: table.name,
      columns: source.fields.map(({ name, code }) => `${name}: ${code}`),
      options: modelOptions(own),
    }),
    ...generateRelations(model, tableRelations(own, tables, modelled)),
  ]
  if (own.noFactoryReason !== undefined) return files
  const computed = source.fields.filter((field) => field.isGenerated).map(({ name }) => name)
  const keyType = table.primaryKey.length === 1 ? (key?.type ?? 'unknown') : undefined
  return [...files, generateFactory({ model, samples: sampledFields(own), computed, keyType })]
}

/** Returns the options of `model`, such as `{ primaryKey: 'filmId' }`; empty if all names follow the convention. */
function modelOptions({ table, source }: ReverseTable): string[] {
  const { primaryKey, columnNames } = source
  const names = Object.entries(columnNames).map(([field, column]) => `${field}: ${quote(column)}`)
  const isNamed = table.primaryKey.length === 1 && primaryKey !== 'id'
  const options = formatMembers({
    primaryKey: isNamed && `'${primaryKey}'`,
    readOnly: table.isView === true && 'true',
    columnNames: names.length > 0 && formatObject(names, 14),
  })
  return options.length === 0 ? [] : [formatObject(options, 2)]
}

/** Returns the fields that a factory sets. Omits optional references and columns that the database fills. */
const sampledFields = ({ fields }: ReverseTable): Field[] =>
  fields.filter(
    ({ inForm, references, isOptional, type, uniqueCode }) =>
      inForm !== 'none' &&
      (references === undefined ? type.sample !== '' || uniqueCode !== undefined : !isOptional),
  )

export const reverseFactoryImports = (table: ReverseTable): string[] =>
  factoryImports(sampledFields(table))

/** A foreign key of one column that references the primary key of a table with a model. */
interface Pointer {
  readonly from: ReverseTable
  readonly to: ReverseTable
  readonly column: string
  readonly field: string
  readonly isUnique: boolean
}

function findPointers(tables: ReverseTables, modelled: ReadonlySet<string>): readonly Pointer[] {
  return [...modelled].flatMap((name) => {
    const from = tables.get(name)!
    return from.table.foreignKeys.flatMap((key): Pointer[] => {
      if (!modelled.has(key.table) || !referencesPrimaryKey(key, tables)) return []
      const column = key.columns[0]!
      const field = from.source.fields.find((each) => each.column === column)!.name
      const { isUnique } = from.source.references.find((each) => each.field === field)!
      return [{ from, to: tables.get(key.table)!, column, field, isUnique }]
    })
  })
}

function tableRelations(
  own: ReverseTable,
  tables: ReverseTables,
  modelled: ReadonlySet<string>,
): Relation[] {
  const pointers = findPointers(tables, modelled)
  const all = [
    ...pointers.filter(({ from }) => from === own).map(belongsTo),
    ...pointers.filter(({ to }) => to === own).map((each) => hasManyOrOne(each, pointers)),
    ...pointers.filter(({ to }) => to === own).flatMap((each) => hasManyThrough(each, pointers)),
  ]
  const counts = new Map<string, number>()
  return all.map((relation) => {
    const count = (counts.get(relation.name) ?? 0) + 1
    counts.set(relation.name, count)
    return count === 1 ? relation : { ...relation, name: `${relation.name}${count}` }
  })
}

const pluralOf = ({ names }: ReverseTable): string => names.resources.name.pascal

const belongsTo = ({ from, to, field }: Pointer): Relation => ({
  name: relationName(field).pascal,
  kind: 'belongsTo',
  models: [from.names.resource, to.names.resource],
  keys: [field],
})

/**
 * Creates the relation of the referenced table. If two foreign keys reference the same table, the suffix `By…` keeps their
 * names distinct, unless a key has the table's name.
 */
function hasManyOrOne(pointer: Pointer, pointers: readonly Pointer[]): Relation {
  const { from, to, field, isUnique } = pointer
  const [own, other] = [to.names.resource, from.names.resource]
  const words = relationName(field)
  const isOnly = pointers.filter((each) => each.from === from && each.to === to).length === 1
  const by = isOnly || words.snake === own.name.snake ? '' : `By${words.pascal}`
  return {
    name: (isUnique ? other.pascal : pluralOf(from)) + by,
    kind: isUnique ? 'hasOne' : 'hasMany',
    models: [own, other],
    keys: [field],
  }
}

/** Creates a many-to-many relation if the foreign key's table is a join table: its primary key consists of two foreign keys. */
function hasManyThrough(here: Pointer, pointers: readonly Pointer[]): Relation[] {
  const { primaryKey } = here.from.table
  const there = pointers.find(
    ({ from, column }) =>
      from === here.from && column !== here.column && primaryKey.includes(column),
  )
  const isJoinTable = primaryKey.length === 2 && primaryKey.includes(here.column)
  if (there === undefined || !isJoinTable) return []
  const by = there.to === here.to ? `By${relationName(there.field).pascal}` : ''
  return [
    {
      name: pluralOf(there.to) + by,
      kind: 'hasManyThrough',
      models: [here.to, here.from, there.to].map(({ names }) => names.resource),
      keys: [here.field, there.field],
    },
  ]
}

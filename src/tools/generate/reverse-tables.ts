/** Describes existing tables as resources: their names, fields and keys, and whether they can have pages and factories. */
import type { ForeignKey } from '../../runtime/db.ts'
import type { ModelSource } from '../../runtime/model.ts'
import { toSnakeCase } from '../../runtime/params.ts'
import type { DatabaseSchema, SampledTable } from './database-schema.ts'
import type { Field } from './field.ts'
import { isUncountable, pluralize, singularize } from './pluralize.ts'
import type { Project } from './project.ts'
import { readTable } from './read-model.ts'
import {
  isReserved,
  keyTypes,
  Name,
  QualifiedName,
  type ResourceKey,
  type ResourceNames,
} from './resource-names.ts'
import { readTableModel, tableFields, uniqueColumns } from './table-fields.ts'

export interface ReverseTable {
  readonly table: SampledTable
  readonly source: ModelSource
  readonly names: ResourceNames
  readonly fields: readonly Field[]
  readonly key: ResourceKey | undefined
  /** The reason why the table has no pages; `undefined` if it has pages. */
  readonly noPagesReason: string | undefined
  /** The reason why tests cannot insert rows; `undefined` if they can. */
  readonly noFactoryReason: string | undefined
}

export type ReverseTables = ReadonlyMap<string, ReverseTable>

interface ReverseChoice {
  /** The tables that get pages in this run. Tables that already have a controller also count as tables with pages. */
  readonly paged: readonly string[]
  /** The names from the command line, by table. */
  readonly names: ReadonlyMap<string, ResourceNames>
}

export function describeTables(
  project: Project,
  { tables }: DatabaseSchema,
  { paged, names: chosenNames }: ReverseChoice,
): ReverseTables {
  const tableNames = tables.map(({ name }) => name)
  const names = new Map([...nameTables(project, tableNames), ...chosenNames])
  const byName = new Map(tables.map((table) => [table.name, describeAlone(table)]))
  const controllers = project.read('src/main/controller/controllers.ts') ?? ''
  const findRoutes = (table: string): string | undefined => {
    if (byName.get(table)!.noPagesReason !== undefined) return undefined
    const { camel } = names.get(table)!.resources
    return paged.includes(table) || new RegExp(`\\b${camel}\\b`).test(controllers)
      ? camel
      : undefined
  }
  const factoryReasons = findFactoryReasons(byName)
  return new Map(
    [...byName].map(([name, alone]) => {
      const fields = describeFields(alone, (column) => {
        const key = alone.table.foreignKeys.find(
          (each) => each.columns[0] === column && referencesPrimaryKey(each, byName),
        )
        if (key === undefined) return undefined
        return { model: names.get(key.table)!.resource.name, routes: findRoutes(key.table) }
      })
      const noFactoryReason = factoryReasons.get(name)
      return [name, { ...alone, names: names.get(name)!, fields, noFactoryReason }]
    }),
  )
}

/** The parts of a table's description that do not depend on other tables. */
type TableDescription = Omit<ReverseTable, 'names' | 'noFactoryReason'>
type TableDescriptions = ReadonlyMap<string, TableDescription>

function describeAlone(table: SampledTable): TableDescription {
  const source = readTableModel(table)
  const key = findKey(table, source)
  const fields = describeFields({ table, source, key }, () => undefined)
  return { table, source, fields, key, noPagesReason: findNoPagesReason(table, key, fields) }
}

/** The SQL types that cannot be sorted. */
const unorderedTypes: ReadonlySet<string> = new Set(
  'point line lseg box path polygon circle xml xid'.split(' '),
)

/** Returns the fields of a table. For a view, returns the fields that its pages show. */
function describeFields(
  { table, source, key }: Pick<ReverseTable, 'table' | 'source' | 'key'>,
  findTarget: Parameters<typeof tableFields>[2],
): readonly Field[] {
  const fields = tableFields(table, source, findTarget)
  if (table.isView !== true) return fields
  return fields
    .filter(({ name }) => name.camel !== 'id' || key?.field !== 'id')
    .map((field) => {
      const own = source.fields.find(({ name }) => name === field.name.camel)!
      const { type } = table.columns.find(({ name }) => name === own.column)!
      // Without a key, the database sorts the whole list for every page, so any field may be sortable.
      const isIndexed = key === undefined && !unorderedTypes.has(type)
      return { ...field, inForm: 'none', ...(isIndexed ? { isIndexed } : {}) }
    })
}

const textTypes: ReadonlySet<string> = new Set('varchar bpchar text citext name uuid'.split(' '))

function findKey({ columns }: SampledTable, source: ModelSource): ResourceKey | undefined {
  const field = source.fields.find(({ name }) => name === source.primaryKey)
  const type = field === undefined || field.isArray ? undefined : keyTypes.get(field.type)
  if (field === undefined || type === undefined) return undefined
  const column = columns.find(({ name }) => name === field.column)!
  return type.type === 'string' && !textTypes.has(column.type)
    ? undefined
    : { ...type, field: field.name }
}

function findNoPagesReason(
  { primaryKey, isView }: SampledTable,
  key: ResourceKey | undefined,
  fields: readonly Field[],
): string | undefined {
  if (isView === true) return fields.length === 0 ? 'it has no columns' : undefined
  if (primaryKey.length === 0) return 'it has no primary key'
  if (primaryKey.length > 1) return `its primary key has ${primaryKey.length} columns`
  if (key === undefined) return 'its primary key is neither an integer, a text nor a UUID'
  const isEditable = fields.some(({ inForm }) => inForm === undefined)
  return isEditable ? undefined : 'it has no column that a form could change'
}

/** Whether a foreign key has one column that references the whole primary key of the other table. */
export function referencesPrimaryKey(
  { columns, references, table }: ForeignKey,
  tables: ReadonlyMap<string, { readonly table: SampledTable }>,
): boolean {
  const { primaryKey } = tables.get(table)?.table ?? { primaryKey: [] }
  return columns.length === 1 && primaryKey.length === 1 && primaryKey[0] === references[0]
}

const isRequired = ({ columns }: SampledTable, name: string): boolean =>
  columns.find((column) => column.name === name)?.isNullable === false

/** Returns the tables in which a row must exist before a row of this table can be inserted. */
const requiredTables = ({ table }: TableDescription): readonly string[] =>
  table.foreignKeys
    .filter(({ columns }) => columns.every((name) => isRequired(table, name)))
    .map((key) => key.table)

function findNoFactoryReason(
  { table, source }: TableDescription,
  tables: TableDescriptions,
): string | undefined {
  if (table.isView === true) return 'it is a view'
  const composite = table.foreignKeys.find(
    (key) =>
      key.columns.some((name) => isRequired(table, name)) && !referencesPrimaryKey(key, tables),
  )
  if (composite !== undefined)
    return `${composite.columns.join(', ')} does not refer to a primary key of one column`
  const foreignColumns = new Set(table.foreignKeys.flatMap(({ columns }) => columns))
  const unsampled = table.columns.find(
    ({ name, default: sql, isNullable }) =>
      sql === undefined && !isNullable && !table.samples.has(name) && !foreignColumns.has(name),
  )
  if (unsampled !== undefined) return `no valid value of its column ${unsampled.name} was found`
  return uniqueColumns(table, source).includes(undefined)
    ? 'no generated value differs for each row, as its unique keys require'
    : undefined
}

/**
 * Returns the reasons why tests cannot insert rows, by table. A reason also applies to all tables that need a row of the table.
 * Tables that need rows of each other also get a reason.
 */
function findFactoryReasons(tables: TableDescriptions): ReadonlyMap<string, string> {
  const reasons = new Map<string, string>()
  for (const [name, table] of tables) {
    const reason = findNoFactoryReason(table, tables)
    if (reason !== undefined) reasons.set(name, reason)
  }
  const open = new Set([...tables.keys()].filter((name) => !reasons.has(name)))
  const findObstacle = (name: string): string | undefined =>
    requiredTables(tables.get(name)!).find((needed) => open.has(needed) || reasons.has(needed))
  for (let size = -1; size !== open.size;) {
    size = open.size
    for (const name of open) if (findObstacle(name) === undefined) open.delete(name)
  }
  for (const name of open)
    reasons.set(name, `a row needs a row of ${findObstacle(name)}, which no test can insert first`)
  return reasons
}

/**
 * Chooses the tables to generate models for. `written` has the chosen tables, and those tables without a model that their rows
 * must reference. `modelled` has all tables that have a model afterwards.
 */
export function chooseModels(
  project: Project,
  tables: ReverseTables,
  chosen: readonly string[],
): { readonly written: readonly string[]; readonly modelled: ReadonlySet<string> } {
  const existing = readModels(project)
  const written = new Set(chosen)
  for (const name of written)
    for (const needed of requiredTables(tables.get(name)!))
      if (!existing.has(needed) && tables.has(needed)) written.add(needed)
  // Keep the order of the tables, so that a repeated run generates the same files.
  const modelled = [...tables.keys()].filter((name) => existing.has(name) || written.has(name))
  return { written: [...written], modelled: new Set(modelled) }
}

/** Returns the names of existing models in snake case, by table. */
function readModels(project: Project): ReadonlyMap<string, string> {
  const folder = 'src/main/model'
  return new Map(
    project.list(folder).flatMap((file) => {
      const table = readTable(project.read(`${folder}/${file}`) ?? '')
      return table === undefined ? [] : [[table, file.replace(/\.ts$/, '').replaceAll('-', '_')]]
    }),
  )
}

/** Chooses a unique name for each table. A table with a model keeps the model's name. */
function nameTables(
  project: Project,
  tables: readonly string[],
): ReadonlyMap<string, ResourceNames> {
  const models = readModels(project)
  const taken = new Set<string>()
  const ordered = [...tables].sort((a, b) => Number(models.has(b)) - Number(models.has(a)))
  return new Map(
    ordered.map((table) => {
      const [plural, singular] = chooseNames(models.get(table) ?? table)
      let name = singular
      for (let count = 2; taken.has(name); count++) name = `${singular}${count}`
      taken.add(name)
      const names = {
        resources: new QualifiedName([], new Name(name === singular ? plural : `${name}_records`)),
        resource: new QualifiedName([], new Name(name)),
      }
      return [table, names]
    }),
  )
}

/** The names that every generated application already uses as a message key, a controller or a folder of views. */
const applicationNames: ReadonlySet<string> = new Set(
  'site root error common shared assets'.split(' '),
)

const isAvailable = (text: string): boolean => {
  const { camel, pascal } = new Name(text)
  return !isReserved(camel) && !isReserved(pascal) && !applicationNames.has(text)
}

/** Derives plural and singular names: `audit.UserLogins` gives `audit_user_logins` and `audit_user_login`. */
function chooseNames(table: string): readonly [plural: string, singular: string] {
  const words = toSnakeCase(table.replace(/[^A-Za-z\d]+/g, '_')).replace(/^_+|_+$/g, '')
  const singular = singularize(/^[a-z]/.test(words) ? words : `table_${words}`.replace(/_$/, ''))
  const plural = isUncountable(singular) ? `${singular}_list` : pluralize(singular)
  return isAvailable(singular) && isAvailable(plural)
    ? [plural, singular]
    : [`${singular}_records`, `${singular}_record`]
}

/** Existing tables as resources: names, fields, keys, relations, and which of them a page or a test can have. */
import type { ForeignKey } from '../db.ts'
import type { ModelSource } from '../model.ts'
import type { DatabaseFacts, TableFacts } from './database-facts.ts'
import type { Site } from './draft.ts'
import type { Field } from './field.ts'
import { keyTypes, type ResourceKey } from './resource-key.ts'
import type { ResourceNames } from './resource-names.ts'
import { distinctColumns, tableFields, tableSource } from './table-fields.ts'
import { modelledTables, tableNames } from './table-names.ts'

/** A table as the generators see it. */
export interface ReverseTable {
  readonly table: TableFacts
  readonly source: ModelSource
  readonly names: ResourceNames
  readonly fields: readonly Field[]
  readonly key: ResourceKey | undefined
  /** Why it has no pages; absent where it has. */
  readonly pageless?: string
  /** Why no test can write a row of it; absent where one can. */
  readonly unsampled?: string
}

/** Every table by its name. */
export type ReverseTables = ReadonlyMap<string, ReverseTable>

const texts: ReadonlySet<string> = new Set(['varchar', 'bpchar', 'text', 'citext', 'name', 'uuid'])

function keyOf({ columns }: TableFacts, { primaryKey, fields }: ModelSource) {
  const own = fields.find(({ name }) => name === primaryKey)
  const type = own === undefined || own.isArray ? undefined : keyTypes.get(own.type)
  if (own === undefined || type === undefined) return undefined
  const column = columns.find(({ name }) => name === own.column)!
  return type.type === 'string' && !texts.has(column.type)
    ? undefined
    : { ...type, field: own.name }
}

/** What points to the whole primary key of another table, by one column. */
export function pointsToKey(
  { columns, references, table }: ForeignKey,
  tables: ReadonlyMap<string, { readonly table: TableFacts }>,
): boolean {
  const { primaryKey } = tables.get(table)?.table ?? { primaryKey: [] }
  return columns.length === 1 && primaryKey.length === 1 && primaryKey[0] === references[0]
}

function pagelessBecause(
  { primaryKey }: TableFacts,
  key: ResourceKey | undefined,
  fields: readonly Field[],
) {
  if (primaryKey.length === 0) return 'it has no primary key'
  if (primaryKey.length > 1) return `its primary key has ${primaryKey.length} columns`
  if (key === undefined) return 'its primary key is neither a whole number, a text nor a UUID'
  return fields.some(({ inForm }) => inForm === undefined)
    ? undefined
    : 'it has no column that a form could change'
}

/** What the command line says of the tables. */
export interface ReverseChoice {
  /** Those that get pages in this run; what the application has already counts as well. */
  readonly paged: ReadonlySet<string>
  /** Given by hand. */
  readonly names?: ReadonlyMap<string, ResourceNames>
}

/** Every table of the database. */
export function reverseTables(
  site: Site,
  { tables }: DatabaseFacts,
  { paged, names: given }: ReverseChoice,
): ReverseTables {
  const all = tableNames(
    site,
    tables.map(({ name }) => name),
  )
  const names = new Map([...all, ...(given ?? [])])
  const byName = new Map(tables.map((table) => [table.name, plainTable(table)]))
  const mounted = site.read('src/main/controller/controllers.ts') ?? ''
  const routesOf = (table: string): string | undefined => {
    if (byName.get(table)!.pageless !== undefined) return undefined
    const { camel } = names.get(table)!.resources
    return paged.has(table) || new RegExp(`\\b${camel}\\b`).test(mounted) ? camel : undefined
  }
  const found = new Map<string, ReverseTable>()
  for (const [name, own] of byName) {
    const { table, source } = own
    const fields = tableFields(table, source, (column) => {
      const pointing = table.foreignKeys.find(
        (each) => each.columns[0] === column && pointsToKey(each, byName),
      )
      if (pointing === undefined) return undefined
      const model = names.get(pointing.table)!.resource.name
      return { model, routes: routesOf(pointing.table) }
    })
    found.set(name, { ...own, names: names.get(name)!, fields })
  }
  return withUnsampled(found)
}

/** Without what depends on other tables. */
function plainTable(table: TableFacts): Omit<ReverseTable, 'names'> {
  const source = tableSource(table)
  const fields = tableFields(table, source, () => undefined)
  const key = keyOf(table, source)
  const pageless = pagelessBecause(table, key, fields)
  return { table, source, fields, key, ...(pageless === undefined ? {} : { pageless }) }
}

const isRequired = ({ columns }: TableFacts, name: string): boolean =>
  columns.find((each) => each.name === name)?.isNullable === false

/** The tables of which a new row needs one. */
export const requiredTables = ({ table }: ReverseTable): readonly string[] =>
  table.foreignKeys
    .filter(({ columns }) => columns.every((name) => isRequired(table, name)))
    .map((key) => key.table)

function ownReason({ table, source }: ReverseTable, tables: ReverseTables): string | undefined {
  const pointing = table.foreignKeys.filter((key) =>
    key.columns.some((name) => isRequired(table, name)),
  )
  const odd = pointing.find((key) => !pointsToKey(key, tables))
  if (odd !== undefined) return `${odd.columns.join(', ')} points to no primary key of one column`
  const bare = table.columns.find(
    ({ name, default: sql }) =>
      sql === undefined &&
      isRequired(table, name) &&
      !table.samples.has(name) &&
      !isPointing(table, name),
  )
  if (bare !== undefined) return `no value is known that its column ${bare.name} takes`
  return distinctColumns(table, source).includes(undefined)
    ? 'no two of its rows could differ as its unique keys ask'
    : undefined
}

const isPointing = ({ foreignKeys }: TableFacts, column: string): boolean =>
  foreignKeys.some(({ columns }) => columns.includes(column))

/** Reasons spread to the tables that need a row of such a table; tables that need each other have one, too. */
function withUnsampled(tables: ReverseTables): ReverseTables {
  const reasons = new Map<string, string>()
  for (const [name, own] of tables) {
    const reason = ownReason(own, tables)
    if (reason !== undefined) reasons.set(name, reason)
  }
  const open = new Set([...tables.keys()].filter((name) => !reasons.has(name)))
  for (let isSettled = false; !isSettled;) {
    isSettled = true
    for (const name of open) {
      if (requiredTables(tables.get(name)!).some((each) => open.has(each) || reasons.has(each)))
        continue
      open.delete(name)
      isSettled = false
    }
  }
  for (const name of open) {
    const needed = requiredTables(tables.get(name)!).find(
      (each) => open.has(each) || reasons.has(each),
    )
    reasons.set(name, `a row of it needs one of ${needed}, and that cannot be written before it`)
  }
  return new Map(
    [...tables].map(([name, own]) => {
      const unsampled = reasons.get(name)
      return [name, unsampled === undefined ? own : { ...own, unsampled }]
    }),
  )
}

/** The tables given, those that the application has models of, and every one that a row of them needs. */
export function modelledWith(
  site: Site,
  tables: ReverseTables,
  chosen: readonly string[],
): { readonly written: readonly string[]; readonly known: ReadonlySet<string> } {
  const there = modelledTables(site)
  const written = new Set(chosen)
  for (const name of written)
    for (const needed of requiredTables(tables.get(name)!))
      if (!there.has(needed) && tables.has(needed)) written.add(needed)
  return { written: [...written], known: new Set([...there, ...written]) }
}

/** The relations of existing tables: where keys point, what points back, and what tables of links join. */
import { importLine } from './code-text.ts'
import type { Draft } from './draft.ts'
import type { ReverseTable, ReverseTables } from './reverse-tables.ts'
import { pointsToKey } from './reverse-tables.ts'
import { relationWords } from './table-fields.ts'
import { Name } from './resource-names.ts'

interface Relation {
  readonly name: string
  readonly kind: 'belongsTo' | 'hasMany' | 'hasOne' | 'hasManyThrough'
  readonly args: readonly string[]
  /** Tables whose models it names. */
  readonly tables: readonly string[]
}

interface Pointer {
  readonly from: ReverseTable
  readonly to: ReverseTable
  readonly column: string
  readonly field: string
  readonly isUnique: boolean
}

/** Every foreign key of one column that points to the primary key of a table that has a model. */
function pointersOf(tables: ReverseTables, known: ReadonlySet<string>): readonly Pointer[] {
  return [...known].flatMap((name) => {
    const from = tables.get(name)
    if (from === undefined) return []
    return from.table.foreignKeys.flatMap((key): Pointer[] => {
      const to = known.has(key.table) ? tables.get(key.table) : undefined
      if (to === undefined || !pointsToKey(key, tables)) return []
      const column = key.columns[0]!
      const reference = from.source.references.find(
        ({ field, table }) => table === key.table && fieldOf(from, column) === field,
      )
      return reference === undefined
        ? []
        : [{ from, to, column, field: reference.field, isUnique: reference.isUnique }]
    })
  })
}

const fieldOf = ({ source }: ReverseTable, column: string): string | undefined =>
  source.fields.find((field) => field.column === column)?.name

const model = ({ names }: ReverseTable): string => names.resource.name.upper
const many = ({ names }: ReverseTable): string => new Name(names.resources.name.snake).upper

function belongsTo({ from, to, field }: Pointer): Relation {
  return {
    name: relationWords(field).upper,
    kind: 'belongsTo',
    args: [model(from), `'${field}'`, model(to)],
    tables: [from.table.name, to.table.name],
  }
}

/** Of several keys of one table, those that are not called as this one say by which. */
function pointsBack(pointer: Pointer, all: readonly Pointer[]): Relation {
  const { from, to, field, isUnique } = pointer
  const words = relationWords(field)
  const isOnly = all.filter((each) => each.from === from && each.to === to).length === 1
  const by = isOnly || words.snake === to.names.resource.name.snake ? '' : `By${words.upper}`
  return {
    name: `${isUnique ? model(from) : many(from)}${by}`,
    kind: isUnique ? 'hasOne' : 'hasMany',
    args: [model(to), model(from), `'${field}'`],
    tables: [from.table.name, to.table.name],
  }
}

/** A table whose primary key is two pointers joins the tables that they point to. */
function joins(own: ReverseTable, pointers: readonly Pointer[]): readonly Relation[] {
  return pointers.flatMap((here): Relation[] => {
    if (here.to !== own) return []
    const { primaryKey } = here.from.table
    const there = pointers.find(
      ({ from, column }) =>
        from === here.from && column !== here.column && primaryKey.includes(column),
    )
    const isLink = primaryKey.length === 2 && primaryKey.includes(here.column)
    if (there === undefined || !isLink) return []
    const { from, to } = there
    return [
      {
        name: to === own ? `${many(to)}By${relationWords(there.field).upper}` : many(to),
        kind: 'hasManyThrough',
        args: [model(own), model(from), `'${here.field}'`, `'${there.field}'`, model(to)],
        tables: [own.table.name, from.table.name, to.table.name],
      },
    ]
  })
}

function relationsOf(own: ReverseTable, pointers: readonly Pointer[]): readonly Relation[] {
  const found = [
    ...pointers.filter(({ from }) => from === own).map(belongsTo),
    ...pointers.filter(({ to }) => to === own).map((each) => pointsBack(each, pointers)),
    ...joins(own, pointers),
  ]
  const taken = new Map<string, number>()
  return found.map((relation) => {
    const number = (taken.get(relation.name) ?? 0) + 1
    taken.set(relation.name, number)
    return number === 1 ? relation : { ...relation, name: `${relation.name}${number}` }
  })
}

/** Beside the model, for models that import each other cannot both be first; none where there is no relation. */
export function reverseRelationsDraft(
  own: ReverseTable,
  tables: ReverseTables,
  known: ReadonlySet<string>,
): readonly Draft[] {
  const relations = relationsOf(own, pointersOf(tables, known))
  if (relations.length === 0) return []
  const { resource } = own.names
  const others = new Set(relations.flatMap((each) => each.tables))
  others.delete(own.table.name)
  const imports = [own, ...[...others].sort().map((name) => tables.get(name)!)].map(
    (each) => `import { ${model(each)} } from '#model/${each.names.resource.file}'`,
  )
  const lines = [
    `/** What ${resource.name.one} belongs to and has; \`${model(own)}.include({ … })\` takes it. */`,
    importLine(
      relations.map(({ kind }) => kind),
      'fwjs',
    ),
    ...imports,
    '',
    ...relations.map(({ name, kind, args }) => definition(`${resource.camel}${name}`, kind, args)),
  ]
  return [{ path: `src/main/model/${resource.file}-relations.ts`, text: `${lines.join('\n')}\n` }]
}

function definition(name: string, kind: string, args: readonly string[]): string {
  const line = `export const ${name} = ${kind}(${args.join(', ')})`
  return line.length <= 100
    ? line
    : `export const ${name} = ${kind}(\n${args.map((arg) => `  ${arg},\n`).join('')})`
}

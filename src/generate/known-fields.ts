/** The fields of a model that was generated: its types from its file, the rest from its migration. */
import type { Site } from './draft.ts'
import { readAttributes, type Attributes } from './field.ts'
import { Name, type PlacedName } from './resource-names.ts'

const column = /^ {2}(\w+): ParamType\.(?:optional\(ParamType\.(\w+)\)|(\w+)),$/gm
const filled: ReadonlySet<string> = new Set(['id', 'createdAt', 'updatedAt'])

/** Of the fields' names in snake case: the rest of their lines in the migration. */
function columnLines(site: Site, table: string): ReadonlyMap<string, string> {
  const folder = 'db/migration'
  const file = site.list(folder).find((name) => name.endsWith(`__create_${table}.sql`))
  const text = file === undefined ? '' : (site.read(`${folder}/${file}`) ?? '')
  return new Map(
    [...text.matchAll(/^ {2}"?(\w+)"? (.+),$/gm)].map(([, name, rest]) => [name!, rest!]),
  )
}

/** Empty where there is no such model. */
export function knownFields(site: Site, model: PlacedName, table: string): Attributes {
  const text = site.read(`src/main/model/${model.file}.ts`) ?? ''
  const lines = columnLines(site, table)
  const words = [...text.matchAll(column)]
    .filter(([, name]) => !filled.has(name!))
    .map(([, name, optional, required]) => {
      const { snake } = new Name(name!)
      const line = lines.get(snake) ?? ''
      const isOptional = optional === undefined ? '' : '?'
      if (/ references \S+ \(\S+\)$/.test(line))
        return `${snake.replace(/_id$/, '')}:references${isOptional}`
      const sql = line.replace(/ not null$/, '')
      return `${snake}:${optional ?? required}${isOptional}${sql === '' ? '' : `:${sql}`}`
    })
  return readAttributes(words)
}

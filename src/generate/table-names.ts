/** The names of an existing table's model, object and paths. */
import type { Site } from './draft.ts'
import { isUncounted, plural, singular } from './plural.ts'
import { Name, PlacedName, type ResourceNames } from './resource-names.ts'
import { isTaken } from './taken-names.ts'
import { toSnakeCase } from '../params.ts'

/** Words that an application uses for itself: keys of messages, of controllers, folders of views and files. */
const ofApplication: ReadonlySet<string> = new Set('site root error shared assets'.split(' '))

const isFree = (name: string): boolean => {
  const { camel, upper } = new Name(name)
  return !isTaken(camel) && !isTaken(upper) && !ofApplication.has(name)
}

/** `audit.UserLogins` to `audit_user_logins`: a schema that the search path does not lead to is part of the name. */
function wordsOf(table: string): string {
  const words = toSnakeCase(table.replace(/[^A-Za-z\d]+/g, '_')).replace(/^_+|_+$/g, '')
  return /^[a-z]/.test(words) ? words : `table_${words}`.replace(/_$/, '')
}

function pairOf(table: string): readonly [many: string, one: string] {
  const one = singular(wordsOf(table))
  const many = isUncounted(one) ? `${one}_list` : plural(one)
  return isFree(one) && isFree(many) ? [many, one] : [`${one}_records`, `${one}_record`]
}

const named = ([many, one]: readonly [string, string]): ResourceNames => ({
  resources: new PlacedName([], new Name(many)),
  resource: new PlacedName([], new Name(one)),
})

const definition = /\bmodel\(\s*(['"])([^'"\n]+)\1/

/** Tables that have a model already, and its file's name in snake case. */
function knownModels(site: Site): ReadonlyMap<string, string> {
  const folder = 'src/main/model'
  return new Map(
    site.list(folder).flatMap((file) => {
      const table = definition.exec(site.read(`${folder}/${file}`) ?? '')?.[2]
      return table === undefined ? [] : [[table, file.replace(/\.ts$/, '').replaceAll('-', '_')]]
    }),
  )
}

/** Of every table, no two alike; a table whose model was generated before keeps that name. */
export function tableNames(
  site: Site,
  tables: readonly string[],
): ReadonlyMap<string, ResourceNames> {
  const known = knownModels(site)
  const taken = new Set<string>()
  const names = new Map<string, ResourceNames>()
  const ordered = [...tables].sort((a, b) => Number(known.has(b)) - Number(known.has(a)))
  for (const table of ordered) {
    const [many, one] = pairOf(known.get(table) ?? table)
    let [own, number] = [one, 1]
    while (taken.has(own)) own = `${one}${++number}`
    taken.add(own)
    names.set(table, named(own === one ? [many, one] : [`${own}_records`, own]))
  }
  return names
}

/** Whether a table has a model already. */
export const modelledTables = (site: Site): ReadonlySet<string> => new Set(knownModels(site).keys())

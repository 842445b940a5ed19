/** Orders the statements of a dump: each object follows those that it needs. */
import { FwError } from '../../base.ts'
import type { DumpRow } from './object-kind.ts'

/** An object with the statements that create it. */
export interface DumpObject extends DumpRow {
  readonly key: string
  readonly statements: readonly string[]
}

/** The dependencies of the catalog: an object `from` needs the object `to`. */
export interface Dependency {
  readonly from: string
  readonly to: string
  /** `i` and `e`: the object is part of the other one. */
  readonly type: string
}

/** Finds what each object needs, among the objects of the dump. */
export class Dependencies {
  readonly #objects: ReadonlyMap<string, DumpObject>
  readonly #needs = new Map<string, string[]>()
  readonly #wholes = new Map<string, string>()

  constructor(objects: ReadonlyMap<string, DumpObject>, rows: readonly Dependency[]) {
    this.#objects = objects
    for (const { from, to, type } of rows)
      if ((type === 'i' || type === 'e') && !objects.has(from)) this.#wholes.set(from, to)
    for (const { from, to } of rows) this.#add(this.#find(from), this.#find(to))
    for (const { key, needs } of objects.values())
      for (const need of needs ?? []) this.#add(key, this.#find(need))
  }

  /** The keys of the objects that must exist before the object. */
  of(key: string): readonly string[] {
    return this.#needs.get(key) ?? []
  }

  #add(from: string | undefined, to: string | undefined): void {
    if (from === undefined || to === undefined || from === to) return
    const needs = this.#needs.get(from)
    if (needs === undefined) this.#needs.set(from, [to])
    else if (!needs.includes(to)) needs.push(to)
  }

  /** The object of the dump that contains the part: the view of a rule, the constraint of an index. */
  #find(part: string): string | undefined {
    const seen = new Set<string>()
    let key: string | undefined = part
    while (key !== undefined && !this.#objects.has(key) && !seen.has(key)) {
      seen.add(key)
      key = this.#wholes.get(key)
    }
    return key !== undefined && this.#objects.has(key) ? key : undefined
  }
}

/**
 * Returns the statements of all objects in the order of the map, except that an object follows those that it needs. A default
 * is part of its column if that is possible, else a statement after the table.
 * @throws FwError `db.dump-refused` if objects need each other
 */
export function orderObjects(
  objects: ReadonlyMap<string, DumpObject>,
  dependencies: Dependencies,
): string[] {
  const defaults = Map.groupBy(
    [...objects.values()].filter(({ column }) => column != null),
    ({ column }) => column!.table,
  )
  const written = new Set<string>()
  const open = new Set<string>()
  const texts: string[] = []
  let cycle: readonly string[] = []

  const writeTable = (object: DumpObject): void => {
    const inline = new Map<string, string>()
    for (const { key, column } of defaults.get(object.key) ?? [])
      if (dependencies.of(key).every((need) => need === object.key || visit(need))) {
        written.add(key)
        inline.set(column!.name, column!.sql)
      }
    texts.push(createTable(object, inline), ...object.statements)
  }
  /** Writes an object after those that it needs; false if one of them needs an object that is being written. */
  const visit = (key: string): boolean => {
    if (written.has(key) || !objects.has(key)) return true
    if (open.has(key)) {
      cycle = [...open].slice([...open].indexOf(key))
      return false
    }
    open.add(key)
    const isReady = dependencies.of(key).every(visit)
    if (isReady) {
      const object = objects.get(key)!
      if (object.table == null) texts.push(...object.statements)
      else writeTable(object)
      written.add(key)
    }
    open.delete(key)
    return isReady
  }
  for (const key of objects.keys())
    if (!visit(key)) throw needEachOther(cycle.map((one) => objects.get(one)!))
  return texts
}

function createTable({ table }: DumpObject, defaults: ReadonlyMap<string, string>): string {
  const { head, columns, tail } = table!
  const lines = columns.map(({ name, sql, end }) => `\n  ${sql}${defaults.get(name) ?? ''}${end}`)
  return `${head} (${lines.join(',')}${lines.length === 0 ? '' : '\n'})${tail}`
}

const needEachOther = (objects: readonly DumpObject[]): FwError =>
  new FwError(
    'db.dump-refused',
    `These objects need each other, so that no order of statements creates them: ${objects
      .map((object) => firstLine(object))
      .join('; ')}. Change one of them.`,
  )

const firstLine = ({ table, statements }: DumpObject): string =>
  (table == null ? (statements[0] ?? '') : table.head).split('\n')[0]!.slice(0, 120)

/** The relations between models: belongsTo, hasMany, hasOne, hasManyThrough. */
import type { Columns, RowOfColumns } from './column.ts'
import type { FwModel } from './fw-model.ts'
import type { Relation } from './model-query.ts'

type AnyRow = Record<string, unknown>
type AnyModel = Pick<FwModel<string, Columns, string>, 'primaryKey' | 'findAllByAny'>
type Field<C> = keyof C & string

/** `belongsTo(Member, 'countryId', Country)`: the row that the field references, or `undefined`. */
export function belongsTo<T extends string, C extends Columns, U extends string, D extends Columns>(
  owner: FwModel<T, C, string>,
  foreignKey: Field<C>,
  target: FwModel<U, D, string>,
): Relation<T, RowOfColumns<D> | undefined> {
  return {
    owner: owner.table,
    attach: async (rows, name) => {
      const groups = await loadGroups(target, target.primaryKey, rows, foreignKey)
      for (const row of rows) row[name] = groups.get(row[foreignKey])?.[0]
    },
  }
}

/** `hasMany(Country, Member, 'countryId')`: the rows whose field references this one, by primary key. */
export function hasMany<T extends string, C extends Columns, U extends string, D extends Columns>(
  owner: FwModel<T, C, string>,
  target: FwModel<U, D, string>,
  foreignKey: Field<D>,
): Relation<T, readonly RowOfColumns<D>[]> {
  const { primaryKey, table } = owner
  return {
    owner: table,
    attach: async (rows, name) => {
      const groups = await loadGroups(target, foreignKey, rows, primaryKey)
      for (const row of rows) row[name] = groups.get(row[primaryKey]) ?? []
    },
  }
}

/** `hasOne(Member, Profile, 'memberId')`: the first row, by primary key, whose field references this one, or `undefined`. */
export function hasOne<T extends string, C extends Columns, U extends string, D extends Columns>(
  owner: FwModel<T, C, string>,
  target: FwModel<U, D, string>,
  foreignKey: Field<D>,
): Relation<T, RowOfColumns<D> | undefined> {
  const all = hasMany(owner, target, foreignKey)
  return {
    owner: owner.table,
    attach: async (rows, name) => {
      await all.attach(rows, name)
      for (const row of rows) row[name] = (row[name] as readonly unknown[])[0]
    },
  }
}

/**
 * `hasManyThrough(Film, FilmActor, 'filmId', 'actorId', Actor)`: the rows that a link table joins to this one, each once, by
 * primary key. Sends two queries for any number of rows.
 */
export function hasManyThrough<
  T extends string,
  C extends Columns,
  L extends string,
  E extends Columns,
  U extends string,
  D extends Columns,
>(
  owner: FwModel<T, C, string>,
  link: FwModel<L, E, string>,
  ownerKey: Field<E>,
  targetKey: Field<E>,
  target: FwModel<U, D, string>,
): Relation<T, readonly RowOfColumns<D>[]> {
  return {
    owner: owner.table,
    attach: async (rows, name) => {
      const links = await loadGroups(link, ownerKey, rows, owner.primaryKey)
      const allLinks = [...links.values()].flat()
      const targets = await loadGroups(target, target.primaryKey, allLinks, targetKey)
      const position = new Map([...targets.keys()].map((key, at) => [key, at]))
      for (const row of rows) {
        const linked = (links.get(row[owner.primaryKey]) ?? []).map((each) => each[targetKey])
        const keys = [...new Set(linked)].filter((key) => position.has(key))
        keys.sort((a, b) => position.get(a)! - position.get(b)!)
        row[name] = keys.flatMap((key) => targets.get(key)!)
      }
    },
  }
}

/** The target's rows for all keys of the owners, grouped by the value of `field`. */
async function loadGroups(
  target: AnyModel,
  field: string,
  owners: readonly AnyRow[],
  keyField: string,
): Promise<Map<unknown, AnyRow[]>> {
  const keys = new Set(owners.map((owner) => owner[keyField]).filter((key) => key !== undefined))
  if (keys.size === 0) return new Map()
  const rows = (await target.findAllByAny(field, [...keys])) as AnyRow[]
  return Map.groupBy(rows, (row) => row[field])
}

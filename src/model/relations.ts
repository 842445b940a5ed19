/** The relations between models: belongsTo, hasMany, hasOne, hasManyThrough. */
import type { Columns, RowOfColumns } from './column.ts'
import type { FwModel } from './fw-model.ts'
import type { Relation } from './relation.ts'

type AnyRow = Record<string, unknown>
type Field<C> = keyof C & string

/** `belongsTo(Member, 'countryId', Country)`: the one row that the field points to; `undefined` where there is none. */
export function belongsTo<T extends string, C extends Columns, U extends string, D extends Columns>(
  owner: FwModel<T, C, string>,
  foreignKey: Field<C>,
  target: FwModel<U, D, string>,
): Relation<T, RowOfColumns<D> | undefined> {
  return {
    owner: owner.table,
    attach: async (rows, name) => {
      const byKey = await load(target, target.primaryKey, rows, foreignKey)
      for (const row of rows) row[name] = byKey.get(row[foreignKey])?.[0]
    },
  }
}

/** `hasMany(Country, Member, 'countryId')`: the rows whose field points here, by primary key; an empty array where none does. */
export function hasMany<T extends string, C extends Columns, U extends string, D extends Columns>(
  owner: FwModel<T, C, string>,
  target: FwModel<U, D, string>,
  foreignKey: Field<D>,
): Relation<T, readonly RowOfColumns<D>[]> {
  return {
    owner: owner.table,
    attach: async (rows, name) => {
      const byKey = await load(target, foreignKey, rows, owner.primaryKey)
      for (const row of rows) row[name] = byKey.get(row[owner.primaryKey]) ?? []
    },
  }
}

/** `hasOne(Member, Profile, 'memberId')`: the first row, by primary key, whose field points here. */
export function hasOne<T extends string, C extends Columns, U extends string, D extends Columns>(
  owner: FwModel<T, C, string>,
  target: FwModel<U, D, string>,
  foreignKey: Field<D>,
): Relation<T, RowOfColumns<D> | undefined> {
  return {
    owner: owner.table,
    attach: async (rows, name) => {
      const byKey = await load(target, foreignKey, rows, owner.primaryKey)
      for (const row of rows) row[name] = byKey.get(row[owner.primaryKey])?.[0]
    },
  }
}

/**
 * `hasManyThrough(Film, FilmActor, 'filmId', 'actorId', Actor)`: the rows that a table of links joins to this one, by
 * primary key, each once; an empty array where none is. Costs two queries, however many rows there are.
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
      const links = await load(link, ownerKey, rows, owner.primaryKey)
      const targets = await load(target, target.primaryKey, [...links.values()].flat(), targetKey)
      const inOrder = new Map([...targets.keys()].map((key, at) => [key, at]))
      for (const row of rows) {
        const joined = (links.get(row[owner.primaryKey]) ?? []).map((each) => each[targetKey])
        const keys = [...new Set(joined)].filter((key) => inOrder.has(key))
        keys.sort((a, b) => inOrder.get(a)! - inOrder.get(b)!)
        row[name] = keys.flatMap((key) => targets.get(key)!)
      }
    },
  }
}

/** The target's rows, grouped by the value of `field`, for all keys that the owners hold. */
async function load<U extends string, D extends Columns>(
  target: FwModel<U, D, string>,
  field: Field<D> | string,
  owners: readonly AnyRow[],
  keyField: string,
): Promise<Map<unknown, AnyRow[]>> {
  const keys = [
    ...new Set(owners.map((owner) => owner[keyField]).filter((key) => key !== undefined)),
  ]
  const groups = new Map<unknown, AnyRow[]>()
  if (keys.length === 0) return groups
  for (const row of (await target.findAllByAny(field, keys)) as AnyRow[]) {
    const group = groups.get(row[field])
    if (group) group.push(row)
    else groups.set(row[field], [row])
  }
  return groups
}

/** The relations between models: belongsTo, hasMany, hasOne, hasManyThrough. */
import type { Columns, RowOfColumns } from './column.ts'
import { type Described, runnerOf } from './read-only-model.ts'
import type { RelationParts } from './include.ts'
import { Relation } from './model-query.ts'

/** `belongsTo(Member, 'countryId', Country)`: the row that the field references, or `undefined`. */
export function belongsTo<T extends string, C extends Columns, U extends string, D extends Columns>(
  owner: Described<T, C>,
  foreignKey: keyof C & string,
  target: Described<U, D>,
): Relation<T, RowOfColumns<D> | undefined, U, D> {
  const [from, to] = [runnerOf(owner), runnerOf(target)]
  return new Relation<T, RowOfColumns<D> | undefined, U, D>(owner.table, {
    owner: { runner: from, field: from.table.fieldOf(foreignKey) },
    target: { runner: to, field: target.primaryKey },
    loads: 'first',
  })
}

/** `hasMany(Country, Member, 'countryId')`: the rows whose field references this one, by primary key. */
export function hasMany<T extends string, C extends Columns, U extends string, D extends Columns>(
  owner: Described<T, C>,
  target: Described<U, D>,
  foreignKey: keyof D & string,
): Relation<T, readonly RowOfColumns<D>[], U, D> {
  return new Relation<T, readonly RowOfColumns<D>[], U, D>(
    owner.table,
    pointingParts(owner, target, { foreignKey, loads: 'rows' }),
  )
}

/** `hasOne(Member, Profile, 'memberId')`: the first row, by primary key, whose field references this one, or `undefined`. */
export function hasOne<T extends string, C extends Columns, U extends string, D extends Columns>(
  owner: Described<T, C>,
  target: Described<U, D>,
  foreignKey: keyof D & string,
): Relation<T, RowOfColumns<D> | undefined, U, D> {
  return new Relation<T, RowOfColumns<D> | undefined, U, D>(
    owner.table,
    pointingParts(owner, target, { foreignKey, loads: 'first' }),
  )
}

function pointingParts(
  owner: { readonly primaryKey: string },
  target: object,
  { foreignKey, loads }: { readonly foreignKey: string; readonly loads: 'rows' | 'first' },
): RelationParts {
  const [from, to] = [runnerOf(owner), runnerOf(target)]
  return {
    owner: { runner: from, field: owner.primaryKey },
    target: { runner: to, field: to.table.fieldOf(foreignKey) },
    loads,
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
  owner: Described<T, C>,
  link: Described<L, E>,
  ownerKey: keyof E & string,
  targetKey: keyof E & string,
  target: Described<U, D>,
): Relation<T, readonly RowOfColumns<D>[], U, D> {
  const [from, through, to] = [runnerOf(owner), runnerOf(link), runnerOf(target)]
  return new Relation<T, readonly RowOfColumns<D>[], U, D>(owner.table, {
    owner: { runner: from, field: owner.primaryKey },
    target: { runner: to, field: target.primaryKey },
    link: {
      owner: { runner: through, field: through.table.fieldOf(ownerKey) },
      target: { runner: through, field: through.table.fieldOf(targetKey) },
    },
    loads: 'rows',
  })
}

/** The relations between models: belongsTo, hasMany, hasOne, hasManyThrough. */
import type { Columns, RowOfColumns } from './column.ts'
import { attachRelations } from './compile-query.ts'
import type { Described } from './model-description.ts'
import type { RelationParts } from './include.ts'
import { Relation, type Relations } from './model-query.ts'
import { findRunner, runnerOf } from './statement-runner.ts'

/**
 * Loads relations into rows that `model` found. With the model of one owner's rows, related rows of the same scope are restricted
 * to that owner.
 */
export const loadRelations = (
  relations: Relations<string>,
  rows: readonly object[],
  model: object,
): Promise<unknown> => {
  const runner = findRunner(model)
  return attachRelations(
    { relations, ...(runner && { runner }) },
    rows as Record<string, unknown>[],
  )
}

/** Defines the relation to the row that a field references, or `undefined`: `belongsTo(Member, 'countryId', Country)`. */
export function belongsTo<T extends string, C extends Columns, U extends string, D extends Columns>(
  owner: Described<T, C>,
  foreignKey: keyof C & string,
  target: Described<U, D>,
): Relation<T, RowOfColumns<D> | undefined, U, D> {
  const [from, to] = [runnerOf(owner), runnerOf(target)]
  return new Relation(owner.table, {
    owner: { runner: from, field: from.table.fieldOf(foreignKey) },
    target: { runner: to, field: target.primaryKey },
    loads: 'first',
  })
}

/**
 * Defines the relation to the rows whose field references the owner, ordered by primary key: `hasMany(Country, Member,
 * 'countryId')`.
 */
export function hasMany<T extends string, C extends Columns, U extends string, D extends Columns>(
  owner: Described<T, C>,
  target: Described<U, D>,
  foreignKey: keyof D & string,
): Relation<T, readonly RowOfColumns<D>[], U, D> {
  return new Relation(owner.table, pointingParts(owner, target, { foreignKey, loads: 'rows' }))
}

/**
 * Defines the relation to the first row, by primary key, whose field references the owner, or `undefined`: `hasOne(Member,
 * Profile, 'memberId')`.
 */
export function hasOne<T extends string, C extends Columns, U extends string, D extends Columns>(
  owner: Described<T, C>,
  target: Described<U, D>,
  foreignKey: keyof D & string,
): Relation<T, RowOfColumns<D> | undefined, U, D> {
  return new Relation(owner.table, pointingParts(owner, target, { foreignKey, loads: 'first' }))
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
 * Defines a many-to-many relation through a link table: `hasManyThrough(Film, FilmActor, 'filmId', 'actorId', Actor)`. Each
 * related row occurs once, ordered by primary key. Loading sends two queries, for any number of rows.
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
  return new Relation(owner.table, {
    owner: { runner: from, field: owner.primaryKey },
    target: { runner: to, field: target.primaryKey },
    link: {
      owner: { runner: through, field: through.table.fieldOf(ownerKey) },
      target: { runner: through, field: through.table.fieldOf(targetKey) },
    },
    loads: 'rows',
  })
}

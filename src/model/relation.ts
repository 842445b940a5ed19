/** What a query needs of a relation: to give rows their related rows, all of them with one query. */

export interface Relation<Owner extends object, Value> {
  /** Puts each row's value under `name`. */
  attach(rows: readonly Owner[], name: string): Promise<void>
  /** The type of the value; never there at run time. */
  readonly value?: Value
}

export type Relations = Readonly<Record<string, Relation<never, unknown>>>

/** The members that `include` adds to a row. */
export type Included<R> = { readonly [K in keyof R]: R[K] extends Relation<never, infer Value> ? Value : never }

export async function loadRelations(rows: readonly object[], relations: Relations): Promise<void> {
  if (rows.length === 0) return
  await Promise.all(Object.entries(relations).map(([name, relation]) => relation.attach(rows as readonly never[], name)))
}

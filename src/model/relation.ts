/** What a query needs of a relation: to give rows their related rows, all of them with one query. */

/** `T` is the table of the rows that it belongs to, `Value` what each of them gets. */
export interface Relation<T extends string, Value> {
  readonly owner: T
  /** Puts each row's value under `name`. */
  attach(rows: readonly Record<string, unknown>[], name: string): Promise<void>
  /** The type of the value; never there at run time. */
  readonly value?: Value
}

/** The name that a row's value is to have, and its relation. */
export type Relations<T extends string> = Readonly<Record<string, Relation<T, unknown>>>

/** The members that `include` adds to a row. */
export type Included<R> = {
  readonly [K in keyof R]: R[K] extends Relation<string, infer Value> ? Value : never
}

export async function loadRelations<T extends string>(
  rows: readonly Record<string, unknown>[],
  relations: Relations<T>,
): Promise<void> {
  if (rows.length === 0) return
  await Promise.all(
    Object.entries(relations).map(([name, relation]) => relation.attach(rows, name)),
  )
}

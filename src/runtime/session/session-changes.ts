/** The changes of one request to its session, and how a store merges them with those of concurrent requests. */

/** The changes of one request, which saves only these, so that concurrent requests do not conflict. */
export interface SessionChanges {
  /** The changed attributes as JSON texts, by name; `undefined` removes an attribute. */
  readonly attributes: ReadonlyMap<string, string | undefined>
  /** The new owner; `undefined` keeps the current owner. */
  readonly owner: string | undefined
}

/** Returns a new map of a record's attributes after the changes. */
export function mergeAttributes(
  attributes: ReadonlyMap<string, string>,
  changes: ReadonlyMap<string, string | undefined>,
): ReadonlyMap<string, string> {
  const merged = new Map(attributes)
  for (const [name, text] of changes) {
    if (text === undefined) merged.delete(name)
    else merged.set(name, text)
  }
  return merged
}

/** Splits changes into the attributes to write and the names to remove. */
export function splitChanges({ attributes }: SessionChanges): {
  readonly written: ReadonlyMap<string, string>
  readonly removed: readonly string[]
} {
  const written = new Map<string, string>()
  const removed: string[] = []
  for (const [name, text] of attributes) {
    if (text === undefined) removed.push(name)
    else written.set(name, text)
  }
  return { written, removed }
}

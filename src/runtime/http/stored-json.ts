/** Marks the values of json and jsonb columns, whose keys are data and not names of fields. */

const isStored: unique symbol = Symbol('value of a JSON column')

/** The mark is not enumerable, so that comparisons, copies and JSON ignore it. */
const mark: PropertyDescriptor = { value: true }

/**
 * Marks a parsed value and the objects inside it, and returns it. A `WeakSet` instead of a property would keep each value in
 * memory until a major garbage collection, and takes ten times as long.
 */
export function markStoredJson(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  Object.defineProperty(value, isStored, mark)
  markMembers(value)
  return value
}

/** Lists inside need no mark: they have no keys, and each of their objects has one. */
function markMembers(value: object): void {
  for (const key in value) {
    const member = (value as Record<string, unknown>)[key]
    if (typeof member !== 'object' || member === null) continue
    if (!Array.isArray(member)) Object.defineProperty(member, isStored, mark)
    markMembers(member)
  }
}

/** Whether the object is the value of a JSON column, or an object inside such a value. */
export const isStoredJson = (value: object): boolean => isStored in value

/** Schemas of other libraries, whose references lead into themselves, as parts of a document. */
import type { JsonSchema } from '../validation.ts'
import { schemaName, type SchemaSet } from './schema-set.ts'

const inside = '#/$defs/'

function rewritten(value: unknown, refOf: (ref: string) => string): unknown {
  if (Array.isArray(value)) return value.map((each) => rewritten(each, refOf))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [
      key,
      key === '$ref' && typeof member === 'string' ? refOf(member) : rewritten(member, refOf),
    ]),
  )
}

interface Adopted {
  readonly schema: JsonSchema
  /** What stands in the document by its name. */
  readonly parts: ReadonlyMap<string, JsonSchema>
}

/** A name for each definition, no two alike. */
function partNames(name: string, keys: readonly string[]): ReadonlyMap<string, string> {
  const names = new Map<string, string>()
  const taken = new Set([name])
  for (const key of keys) {
    const wanted = `${name}${schemaName(key) || 'Part'}`
    let own = wanted
    for (let count = 2; taken.has(own); count++) own = `${wanted}${count}`
    taken.add(own)
    names.set(inside + key, own)
  }
  return names
}

function adopted(schemas: SchemaSet, name: string, schema: JsonSchema): Adopted {
  const names = partNames(name, Object.keys(schema.$defs ?? {}))
  let isRecursive = false
  const refOf = (ref: string): string => {
    const own = names.get(ref)
    if (own !== undefined) return schemas.refTo(own)
    if (ref !== '#') return ref
    isRecursive = true
    return schemas.refTo(name)
  }
  const { $defs = {}, ...rest } = rewritten(schema, refOf) as JsonSchema
  const parts = new Map(
    Object.entries($defs).map(([key, part]) => [names.get(inside + key)!, part] as const),
  )
  if (!isRecursive) return { schema: rest, parts }
  return { schema: { $ref: schemas.refTo(name) }, parts: parts.set(name, rest) }
}

/**
 * The schema with its own definitions among the document's, under names that begin with `name`; one that refers to itself as
 * a whole stands there too. Where one of the names is taken by something else, all of them get a number.
 */
export function adoptedSchema(schemas: SchemaSet, name: string, given: JsonSchema): JsonSchema {
  for (let count = 1; ; count++) {
    const { schema, parts } = adopted(schemas, count === 1 ? name : `${name}${count}`, given)
    if (![...parts].every(([own, part]) => schemas.takes(own, part))) continue
    for (const [own, part] of parts) schemas.named(own, part)
    return schema
  }
}

/** The named schemas of a document (`components.schemas`), each stored once. */
import { toUpperCamelCase } from '../../runtime/params.ts'
import type { JsonSchema } from '../../runtime/validation.ts'

const refPrefix = '#/components/schemas/'
const definitionPrefix = '#/$defs/'

/** Converts text to a name for a schema and its TypeScript type. Returns '' if the text has no ASCII letter or digit. */
export function schemaName(text: string): string {
  const words = text.match(/[A-Za-z0-9]+/g) ?? []
  const name = toUpperCamelCase(words.join('_'))
  return /^\d/.test(name) ? `The${name}` : name
}

export const readRefName = (ref: string): string => ref.slice(refPrefix.length)

/** Yields `name`, `name2`, `name3` and so on. */
function* numbered(name: string): Generator<string, never> {
  for (let count = 1; ; count++) yield count === 1 ? name : `${name}${count}`
}

/** Adds `wanted` to `taken`, and returns it. If the name is already taken, appends the first free number. */
export function takeName(wanted: string, taken: Set<string>): string {
  const name = numbered(wanted).find((candidate) => !taken.has(candidate))!
  taken.add(name)
  return name
}

/** Collects schemas by name. If another schema already has the name, appends a number to it: `Member2`. */
export class SchemaSet {
  readonly #byName = new Map<string, JsonSchema>()

  /** Returns a `$ref` to the added schema, or the schema itself when `name` is empty. */
  add(name: string, schema: JsonSchema): JsonSchema {
    if (name === '') return schema
    const free = numbered(name).find((candidate) => this.#accepts(candidate, schema))!
    this.#byName.set(free, schema)
    return { $ref: refPrefix + free }
  }

  /** Reserves a free name for a schema that refers to itself, and returns a `$ref` to it. Call `set` to add the schema. */
  reserve(wanted: string): JsonSchema {
    const ref = { $ref: refPrefix + takeName(wanted, new Set(this.#byName.keys())) }
    this.set(ref, ref)
    return ref
  }

  /** Adds the schema of a reserved name. */
  set({ $ref }: JsonSchema, schema: JsonSchema): void {
    this.#byName.set(readRefName($ref!), schema)
  }

  /** Adds an object schema under its title, and returns a `$ref` to it. Returns any other schema unchanged. */
  addTitled(schema: JsonSchema): JsonSchema {
    const { title, type, $ref } = schema
    if (title === undefined || type !== 'object' || $ref !== undefined) return schema
    return this.add(schemaName(title), schema)
  }

  /**
   * Adds the `$defs` of another library's schema under names that start with `name`, and returns the schema with rewritten
   * references. Also adds the schema itself if it is recursive. If one name is taken, appends a number to all names.
   */
  embed(name: string, schema: JsonSchema): JsonSchema {
    const extracted = numbered(name).map((candidate) => extractDefinitions(schema, candidate))
    const { root, parts } = extracted.find((each) =>
      each.parts.entries().every(([partName, part]) => this.#accepts(partName, part)),
    )!
    for (const [partName, part] of parts) this.add(partName, part)
    return root
  }

  #accepts(name: string, schema: JsonSchema): boolean {
    const known = this.#byName.get(name)
    return known === undefined || JSON.stringify(known) === JSON.stringify(schema)
  }

  /** The schemas, sorted by name. */
  get schemas(): Readonly<Record<string, JsonSchema>> {
    return Object.fromEntries([...this.#byName].sort(([a], [b]) => (a < b ? -1 : 1)))
  }
}

/** Returns the schema without its definitions (`$defs`), and the definitions by their name in the document. */
function extractDefinitions(schema: JsonSchema, name: string) {
  const taken = new Set([name])
  const names = new Map<string, string>()
  for (const key of Object.keys(schema.$defs ?? {}))
    names.set(definitionPrefix + key, takeName(name + (schemaName(key) || 'Part'), taken))
  let isRecursive = false
  const rewriteRef = (ref: string): string => {
    if (ref === '#') isRecursive = true
    const target = ref === '#' ? name : names.get(ref)
    return target === undefined ? ref : refPrefix + target
  }
  const { $defs = {}, ...root } = rewriteRefs(schema, rewriteRef) as JsonSchema
  const parts = new Map(
    Object.entries($defs).map(([key, part]) => [names.get(definitionPrefix + key)!, part]),
  )
  if (!isRecursive) return { root, parts }
  return { root: { $ref: refPrefix + name }, parts: parts.set(name, root) }
}

function rewriteRefs(value: unknown, rewriteRef: (ref: string) => string): unknown {
  if (Array.isArray(value)) return value.map((item) => rewriteRefs(item, rewriteRef))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [
      key,
      key === '$ref' && typeof member === 'string'
        ? rewriteRef(member)
        : rewriteRefs(member, rewriteRef),
    ]),
  )
}

/** The schemas of a document that have a name, each once. */
import { toUpperCamelCase } from '../params.ts'
import type { JsonSchema } from '../validation.ts'

const lead = '#/components/schemas/'

/** A text as the name of a schema and of its type: letters and digits, a letter first; empty where nothing is left. */
export function schemaName(text: string): string {
  const words = text.match(/[A-Za-z0-9]+/g) ?? []
  const name = toUpperCamelCase(words.join('_'))
  return /^\d/.test(name) ? `The${name}` : name
}

/** Gathers named schemas; what is named alike and differs gets a number. */
export class SchemaSet {
  readonly #byName = new Map<string, { readonly text: string; readonly schema: JsonSchema }>()

  /** A reference to the schema under its name; without one, the schema itself. */
  named(name: string, schema: JsonSchema): JsonSchema {
    if (name === '') return schema
    const text = JSON.stringify(schema)
    for (let count = 1; ; count++) {
      const tried = count === 1 ? name : `${name}${count}`
      const known = this.#byName.get(tried)
      if (known === undefined) this.#byName.set(tried, { text, schema })
      if (known === undefined || known.text === text) return { $ref: lead + tried }
    }
  }

  /** Whether the schema can go by this name and no other one. */
  takes(name: string, schema: JsonSchema): boolean {
    const known = this.#byName.get(name)
    return known === undefined || known.text === JSON.stringify(schema)
  }

  /** What a reference to this name is, be it there yet or not. */
  refTo(name: string): string {
    return lead + name
  }

  /** An object with a title goes by that. */
  titled(schema: JsonSchema): JsonSchema {
    const { title, type, $ref } = schema
    if (title === undefined || type !== 'object' || $ref !== undefined) return schema
    return this.named(schemaName(title), schema)
  }

  /** In the order of their names. */
  get schemas(): Readonly<Record<string, JsonSchema>> {
    const entries = [...this.#byName].map(([name, { schema }]) => [name, schema] as const)
    return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)))
  }
}

/** The name in a reference. */
export const referredName = (ref: string): string => ref.slice(lead.length)

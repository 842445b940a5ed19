/** JSON Schema: what rules and validators say of a value, in the words of documents about an application. */
import type { StandardSchema } from './standard-schema.ts'

/** A name of a JSON type. */
export type JsonType = 'array' | 'boolean' | 'integer' | 'null' | 'number' | 'object' | 'string'

/** A schema of JSON Schema 2020-12, as OpenAPI 3.1 has it; an empty one is any value. */
export interface JsonSchema {
  readonly $ref?: string
  readonly $defs?: Readonly<Record<string, JsonSchema>>
  readonly title?: string
  readonly description?: string
  readonly deprecated?: boolean
  readonly default?: unknown
  readonly examples?: readonly unknown[]
  readonly readOnly?: boolean
  readonly type?: JsonType | readonly JsonType[]
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly format?: string
  readonly pattern?: string
  readonly minLength?: number
  readonly maxLength?: number
  readonly contentEncoding?: string
  readonly contentMediaType?: string
  readonly minimum?: number
  readonly maximum?: number
  readonly exclusiveMinimum?: number
  readonly exclusiveMaximum?: number
  readonly multipleOf?: number
  readonly items?: JsonSchema
  readonly prefixItems?: readonly JsonSchema[]
  readonly minItems?: number
  readonly maxItems?: number
  readonly uniqueItems?: boolean
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly required?: readonly string[]
  readonly additionalProperties?: boolean | JsonSchema
  readonly propertyNames?: JsonSchema
  readonly allOf?: readonly JsonSchema[]
  readonly anyOf?: readonly JsonSchema[]
  readonly oneOf?: readonly JsonSchema[]
  readonly not?: JsonSchema
}

const most = (one: number | undefined, other: number | undefined) =>
  one === undefined || other === undefined ? (one ?? other) : Math.max(one, other)
const least = (one: number | undefined, other: number | undefined) =>
  one === undefined || other === undefined ? (one ?? other) : Math.min(one, other)

const narrowed: Readonly<Record<string, typeof most>> = {
  minLength: most,
  minimum: most,
  maxLength: least,
  maximum: least,
}

/** Both at once: of bounds the narrower one, and what cannot stand side by side in `allOf`. */
export function bothSchemas(one: JsonSchema, other: JsonSchema): JsonSchema {
  const both: Record<string, unknown> = { ...one }
  const apart: Record<string, unknown> = {}
  for (const [key, value] of Object.entries(other)) {
    const narrow = narrowed[key]
    if (!Object.hasOwn(both, key)) both[key] = value
    else if (narrow !== undefined) both[key] = narrow(both[key] as number, value as number)
    else if (key === 'allOf') both[key] = [...(both[key] as JsonSchema[]), ...other.allOf!]
    else if (JSON.stringify(both[key]) !== JSON.stringify(value)) apart[key] = value
  }
  if (Object.keys(apart).length === 0) return both
  return { ...both, allOf: [...((both['allOf'] as JsonSchema[] | undefined) ?? []), apart] }
}

interface Converter {
  readonly jsonSchema?: { input(options: { readonly target: string }): Record<string, unknown> }
}

/**
 * What a validator takes, if it says so itself by the standard's `jsonSchema` (zod 4.2 and arktype 2.1.28 do, valibot
 * with `@valibot/to-json-schema`); `undefined` where it does not, or holds what JSON Schema has no words for.
 */
export function jsonSchemaOf(schema: StandardSchema): JsonSchema | undefined {
  try {
    const { $schema: _dialect, ...said } =
      (schema['~standard'] as Converter).jsonSchema?.input({ target: 'draft-2020-12' }) ?? {}
    return Object.keys(said).length === 0 ? undefined : said
  } catch {
    return undefined
  }
}

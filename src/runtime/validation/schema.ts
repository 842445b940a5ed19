/** Merges JSON Schemas, and reads those of Standard Schema (validators of other libraries). */
import type { StandardSchemaV1 } from '@standard-schema/spec'
import type { JsonSchema } from '../params.ts'

export type { JsonSchema, JsonType } from '../params.ts'

const narrowerBound: Readonly<Record<string, (one: number, other: number) => number>> = {
  minLength: Math.max,
  minimum: Math.max,
  maxLength: Math.min,
  maximum: Math.min,
}

/** The pattern of `required`: a character that is not blank. */
export const notBlank = '\\S'

const blanks = [' ', '\t', '\n', '\u3000'].flatMap((blank) =>
  Array.from({ length: 65 }, (_, length) => blank.repeat(length)),
)

/** Returns true if the pattern matches no blank text, so that `notBlank` follows from it. */
function impliesNotBlank(pattern: string): boolean {
  try {
    const compiled = new RegExp(pattern, 'u')
    return !blanks.some((text) => compiled.test(text))
  } catch {
    return false
  }
}

/** Matches digits with an optional sign and optional decimals. */
export const numericText = /^[+-]?\d+(?:\.\d+)?$/
/** The pattern of `numeric`. */
export const anyDecimal = numericText.source

/** Returns the pattern of decimals with at most `digits` digits, `decimals` of them after the point. It implies `anyDecimal`. */
export function decimalPattern(digits: number, decimals: number): string {
  const whole = digits > decimals ? `\\d{1,${digits - decimals}}` : '0'
  const fraction = `${'0'.repeat(Math.max(0, decimals - digits))}\\d{0,${Math.min(digits, decimals)}}0*`
  return `${decimalStart}${whole}(?:\\.${decimals === 0 ? '0+' : fraction})?$`
}
const decimalStart = '^[+-]?0*'

/** Returns true if the pattern matches only texts that `broad` matches, for the patterns that rules have in common. */
function implies(pattern: string, broad: string): boolean {
  if (broad === notBlank) return impliesNotBlank(pattern)
  return broad === anyDecimal && pattern.startsWith(`${decimalStart}\\d{1,`)
}

/** Returns the pattern from which the other one follows; undefined if there is none. */
function narrowerPattern(one: string, other: string): string | undefined {
  if (implies(other, one)) return other
  return implies(one, other) ? one : undefined
}

/**
 * Returns a schema that requires both schemas. It has the narrower of two bounds and patterns, and other conflicting keywords in
 * `allOf`.
 */
export function mergeSchemas(one: JsonSchema, other: JsonSchema): JsonSchema {
  const merged: Record<string, unknown> = { ...one }
  const conflicts: Record<string, unknown> = {}
  for (const [key, value] of Object.entries(other)) {
    const narrower = narrowerBound[key]
    if (!Object.hasOwn(merged, key)) merged[key] = value
    else if (narrower !== undefined) merged[key] = narrower(merged[key] as number, value as number)
    else if (key === 'pattern') {
      const pattern = narrowerPattern(one.pattern!, other.pattern!)
      if (pattern !== undefined) merged[key] = pattern
      else if (one.pattern !== other.pattern) conflicts[key] = value
    } else if (key === 'allOf') merged[key] = [...(merged[key] as JsonSchema[]), ...other.allOf!]
    else if (JSON.stringify(merged[key]) !== JSON.stringify(value)) conflicts[key] = value
  }
  if (Object.keys(conflicts).length === 0) return merged
  return { ...merged, allOf: [...((merged['allOf'] as JsonSchema[] | undefined) ?? []), conflicts] }
}

/** A validator of any library that implements Standard Schema, such as zod 4, valibot and arktype. */
export type StandardSchema = StandardSchemaV1

/** The type of the input of a validator. */
export type SchemaInput<S extends StandardSchema> = StandardSchemaV1.InferInput<S>

/** The type of the output of a validator. */
export type SchemaOutput<S extends StandardSchema> = StandardSchemaV1.InferOutput<S>

type Side = 'input' | 'output'

interface Converter {
  readonly jsonSchema?: {
    readonly [S in Side]: (options: { readonly target: string }) => Record<string, unknown>
  }
}

/**
 * Returns the JSON Schema of a validator's input or output. The validator must implement `jsonSchema` of Standard Schema (zod
 * 4.2, arktype 2.1.28, valibot with `@valibot/to-json-schema`). Returns `undefined` for other validators, and for types
 * that JSON Schema cannot express.
 */
export function toJsonSchema(schema: StandardSchema, side: Side = 'input'): JsonSchema | undefined {
  try {
    const { $schema: _dialect, ...keywords } =
      (schema['~standard'] as Converter).jsonSchema?.[side]({ target: 'draft-2020-12' }) ?? {}
    return Object.keys(keywords).length === 0 ? undefined : keywords
  } catch {
    return undefined
  }
}

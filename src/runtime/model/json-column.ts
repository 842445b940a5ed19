/** The type `json` of json and jsonb columns, with an optional schema for their values. */
import type { StandardSchemaV1 } from '@standard-schema/spec'
import { toUsableNumbers } from '../http.ts'
import { issueKey, jsonDefinition, ParamType, type PermittedValues, runSchema } from '../params.ts'

// The maximum number of reported issues, because a long list can have a hundred thousand invalid items.
const maxIssues = 20

/** The output type of a schema. The brand of a `formSchema` output is removed, because stored values have no brand. */
type JsonOutput<
  S extends StandardSchemaV1,
  T = StandardSchemaV1.InferOutput<S>,
> = T extends PermittedValues ? { [K in keyof T]: T[K] } : T

const formatIssue = (issue: StandardSchemaV1.Issue): string => {
  const key = issueKey(issue)
  return key === '' ? issue.message : `${key}: ${issue.message}`
}

/**
 * A json or jsonb column whose values are not checked against `T`. Conversion fails for a text with a NUL character or a lone
 * surrogate, which PostgreSQL cannot store.
 */
export function json<T>(): ParamType<T>
/**
 * A json or jsonb column whose values a Standard Schema checks in `permit`, in forms and in the writes of a model. Writes store
 * the output of the schema. Rows that are read are not checked.
 */
export function json<S extends StandardSchemaV1>(schema: S): ParamType<JsonOutput<S>>
export function json(schema?: StandardSchemaV1): ParamType<unknown> {
  if (schema === undefined) return storable
  const check = (value: unknown) => {
    const result = runSchema(schema, toUsableNumbers(value))
    return result.issues === undefined
      ? { value: result.value }
      : { issues: result.issues.slice(0, maxIssues).map(formatIssue) }
  }
  const checkStorable = (value: unknown) => (value === undefined ? undefined : check(value))
  const parse = (text: string): unknown => checkStorable(storable.parse(text))?.value
  const fromJson = (value: unknown): unknown =>
    checkStorable(jsonDefinition.fromJson?.(value))?.value
  const explain = (text: string) => checkStorable(storable.parse(text))?.issues
  return Object.assign(ParamType.of({ ...jsonDefinition, parse, fromJson }), {
    schema: { standard: schema, check, explain },
  })
}

const storable = ParamType.of(jsonDefinition)

/** Standard Schema validators (zod, valibot, arktype, …): run at once, their issues keyed by path. */
import type { StandardSchemaV1 } from '@standard-schema/spec'
import { FwError, isPromise } from '../base.ts'

/** A validator of any library that follows Standard Schema: zod 4, valibot, arktype, … */
export type StandardSchema = StandardSchemaV1

/** Runs `schema` on `value`. @throws FwError `validation.async` when the schema answers with a promise. */
export function runSchema<S extends StandardSchemaV1>(
  schema: S,
  value: unknown,
): StandardSchemaV1.Result<StandardSchemaV1.InferOutput<S>> {
  const standard = schema['~standard']
  const result = standard.validate(value)
  if (isPromise(result)) {
    // Nobody awaits it any more; unheard, its rejection would end the process.
    result.then(undefined, () => undefined)
    throw new FwError(
      'validation.async',
      `A schema of ${standard.vendor} validates asynchronously; await what it needs first and give it to a synchronous one.`,
    )
  }
  return result
}

/** The dotted key an issue is about; `''` for the whole value. */
export function keyOfIssue(issue: StandardSchemaV1.Issue): string {
  return (issue.path ?? [])
    .map((segment) => String(typeof segment === 'object' ? segment.key : segment))
    .join('.')
}

/** Runs the validators of other libraries that implement Standard Schema. */
import type { StandardSchemaV1 } from '@standard-schema/spec'
import { FwError, isPromise } from '../base.ts'

/** Validates `value` with `schema`. @throws FwError `validation.async` when the schema returns a promise */
export function runSchema<S extends StandardSchemaV1>(
  schema: S,
  value: unknown,
): StandardSchemaV1.Result<StandardSchemaV1.InferOutput<S>> {
  const standard = schema['~standard']
  const result = standard.validate(value)
  if (isPromise(result)) {
    // Handle a rejection, because nothing awaits this promise: an unhandled rejection would end the process.
    result.then(undefined, () => undefined)
    throw new FwError(
      'validation.async',
      `A schema of ${standard.vendor} validates asynchronously; await its input first and pass the result to a synchronous schema.`,
    )
  }
  return result
}

/** Returns the dotted key of an issue; `''` for an issue about the whole value. */
export const issueKey = ({ path = [] }: StandardSchemaV1.Issue): string =>
  path.map((segment) => String(typeof segment === 'object' ? segment.key : segment)).join('.')

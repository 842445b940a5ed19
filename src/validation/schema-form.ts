/** SchemaForm: a whole form, or a JSON body, judged by a Standard Schema validator. */
import type { StandardSchemaV1 } from '@standard-schema/spec'
import { FwError } from '../base.ts'
import { Params } from '../params.ts'
import { type Failures, Validation, type ValidationOptions } from './create-validation.ts'
import { keyOfIssue, runSchema } from './standard-schema.ts'
import type { ValidationError } from './validation-error.ts'

/** The keys that a schema can complain about: members, members of members by dotted path, `''` for the whole. */
export type SchemaKeys<S extends StandardSchemaV1> =
  | (keyof StandardSchemaV1.InferOutput<S> & string)
  | `${keyof StandardSchemaV1.InferOutput<S> & string}.${string}`
  | ''

/** A validation whose one rule is a schema. */
export interface SchemaForm<S extends StandardSchemaV1> extends Validation<SchemaKeys<S>> {
  /** What it judges by. */
  readonly schema: S
  /** Whether the schema accepts the input; `values` are reachable only behind it. */
  validate(): this is ValidSchemaForm<S>
}

/** A schema form that was found valid. */
export interface ValidSchemaForm<S extends StandardSchemaV1> extends SchemaForm<S> {
  /** What the schema made of the input. Not permitted yet: `permitValues(form.values, 'name', …)` names what may be written. */
  readonly values: StandardSchemaV1.InferOutput<S>
}

// A list of a body can be wrong a hundred thousand times over.
const mostIssues = 100

/** What a schema sees of parameters: the first text of each key; `k[]` is the list `k`. */
function objectOf(params: Params): Record<string, unknown> {
  const object = Object.create(null) as Record<string, unknown>
  for (const key of params.keys()) {
    const texts = params.source.get(key)
    if (texts === undefined || texts.length === 0) continue
    if (key.endsWith('[]')) object[key.slice(0, -2)] ??= texts
    else object[key] = texts[0]
  }
  return object
}

/** The plain members of a JSON body, so that a form can show them again. */
function paramsOf(body: unknown): Params {
  const members = typeof body === 'object' && body !== null ? Object.entries(body) : []
  const texts = members
    .filter(([, value]) => ['string', 'number', 'boolean'].includes(typeof value))
    .map(([key, value]): [string, string[]] => [key, [String(value)]])
  return new Params(new Map(texts))
}

class SchemaValidation<S extends StandardSchemaV1> extends Validation<SchemaKeys<S>> {
  readonly schema: S
  readonly #input: unknown
  #values: StandardSchemaV1.InferOutput<S> | undefined

  constructor(input: unknown, schema: S, options: ValidationOptions) {
    super(input instanceof Params ? input : paramsOf(input), [], options)
    this.schema = schema
    this.#input = input instanceof Params ? objectOf(input) : input
  }

  get values(): StandardSchemaV1.InferOutput<S> {
    if (!this.hasErrors) return this.#values
    throw new FwError(
      'validation.not-valid',
      'The form is not valid, so it has no values; ask validate() first.',
    )
  }

  /** A schema knows by itself what may be absent. */
  override partial(): this {
    return this
  }

  protected override keys(): Iterable<string> {
    return this.params.keys()
  }

  protected override judge(): Failures {
    const result = runSchema(this.schema, this.#input)
    const failures = new Map<string, ValidationError[]>()
    if (result.issues === undefined) {
      this.#values = result.value
      return failures
    }
    for (const issue of result.issues.slice(0, mostIssues)) {
      const key = keyOfIssue(issue)
      const error = { name: 'schema', messageParams: [issue.message] }
      const known = failures.get(key)
      if (known === undefined) failures.set(key, [error])
      else known.push(error)
    }
    return failures
  }
}

/**
 * A form judged by any Standard Schema validator. `input` are parameters, or any value such as a parsed JSON body.
 * The text of an issue is `error.schema`, where `{0}` is the label and `{1}` the validator's own message.
 * @throws FwError `validation.async` when judged by a schema that answers with a promise
 */
export function createSchemaForm<S extends StandardSchemaV1>(
  input: unknown,
  schema: S,
  options: ValidationOptions = {},
): SchemaForm<S> {
  return new SchemaValidation(input, schema, options) as unknown as SchemaForm<S>
}

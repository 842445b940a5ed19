/** `SchemaForm`: validates a whole form or a JSON body with a Standard Schema. */
import type { StandardSchemaV1 } from '@standard-schema/spec'
import { FwError } from '../base.ts'
import { toUsableNumbers } from '../http.ts'
import { issueKey, Params, runSchema } from '../params.ts'
import { type Failures, Validation, type ValidationOptions } from './create-validation.ts'
import { schemaErrors } from './messages.ts'

/** The keys of a schema's issues: the name of a member, the dotted path of a nested member, or `''` for the whole value. */
export type SchemaKeys<S extends StandardSchemaV1> =
  | (keyof StandardSchemaV1.InferOutput<S> & string)
  | `${keyof StandardSchemaV1.InferOutput<S> & string}.${string}`
  | ''

/** A validation by a schema instead of rules. */
export interface SchemaForm<S extends StandardSchemaV1> extends Validation<SchemaKeys<S>> {
  readonly schema: S
  /** Returns true if the schema accepts the input. Only then does the form have `values`. */
  validate(): this is ValidSchemaForm<S>
}

/** A schema form for which `validate()` returned true. */
export interface ValidSchemaForm<S extends StandardSchemaV1> extends SchemaForm<S> {
  /** The output of the schema. To write it to a model, permit its members: `permitValues(form.values, 'name', …)`. */
  readonly values: StandardSchemaV1.InferOutput<S>
}

// The maximum number of reported issues. A list in a body can have a hundred thousand invalid items.
const mostIssues = 100

/**
 * Converts parameters to an object: the first text of each key, and a list `k` for `k[]`. The members of a JSON body
 * keep their types and structure.
 */
function toObject({ source }: Params): Record<string, unknown> {
  const body = toUsableNumbers(source.json?.())
  const object = Object.assign(
    Object.create(null) as Record<string, unknown>,
    Array.isArray(body) ? undefined : body,
  )
  for (const key of source.keys()) {
    const texts = source.get(key)
    if (texts === undefined || texts.length === 0 || source.json?.(key) !== undefined) continue
    if (key.endsWith('[]')) object[key.slice(0, -2)] ??= texts
    else object[key] = texts[0]
  }
  return object
}

/** Converts the scalar members of a JSON body to parameters, so that a form can show them again. */
function toParams(body: unknown): Params {
  const members = typeof body === 'object' && body !== null ? Object.entries(body) : []
  const texts = members
    .filter(([, value]) => ['string', 'number', 'boolean'].includes(typeof value))
    .map(([key, value]): [string, string[]] => [key, [String(value)]])
  return new Params(new Map(texts))
}

class SchemaValidation<S extends StandardSchemaV1> extends Validation<SchemaKeys<S>> {
  readonly schema: S
  readonly #source: unknown
  readonly #input: unknown
  #values: StandardSchemaV1.InferOutput<S> | undefined

  constructor(input: unknown, schema: S, options: ValidationOptions) {
    super(input instanceof Params ? input : toParams(input), [], options)
    this.schema = schema
    this.#source = input
    this.#input = input instanceof Params ? toObject(input) : input
  }

  get values(): StandardSchemaV1.InferOutput<S> {
    if (!this.hasErrors) return this.#values
    throw new FwError(
      'validation.not-valid',
      'The form is not valid, so it has no values: call validate() first.',
    )
  }

  /** Returns the form itself, because the schema defines which members may be absent. */
  override partial(): this {
    return this
  }

  protected override copy(options: ValidationOptions): this {
    return new SchemaValidation(this.#source, this.schema, options) as this
  }

  protected override keys(): Iterable<string> {
    return this.params.keys()
  }

  protected override evaluate(): Failures {
    const result = runSchema(this.schema, this.#input)
    if (result.issues === undefined) this.#values = result.value
    const byKey = Map.groupBy(result.issues?.slice(0, mostIssues) ?? [], issueKey)
    const errorsOf = (issues: readonly StandardSchemaV1.Issue[]) =>
      schemaErrors(issues.map(({ message }) => message))
    return new Map([...byKey].map(([key, issues]) => [key, errorsOf(issues)]))
  }
}

/**
 * Creates a form that a Standard Schema validates. `input` is a `Params`, or any value such as a parsed JSON body. The
 * message key of an issue is `error.schema`, whose `{0}` is the label and `{1}` the schema's message.
 * @throws FwError `validation.async` on `validate()` when the schema returns a promise
 */
export function createSchemaForm<S extends StandardSchemaV1>(
  input: unknown,
  schema: S,
  options: ValidationOptions = {},
): SchemaForm<S> {
  return new SchemaValidation(input, schema, options) as unknown as SchemaForm<S>
}

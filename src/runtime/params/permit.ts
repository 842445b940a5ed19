/** `permit`: converts the listed fields of a request, and marks the result with a type that models require. */
import { HttpError } from '../base.ts'
import {
  type OptionalParamType,
  type ParamType,
  type ParamTypes,
  type ParamValueOf,
  absent,
  invalid,
  omitted,
  permitJson,
} from './param-type.ts'
import { jsonOf, numberExamples, numberKind, type ParamSource, textsFor } from './source.ts'

/**
 * The type of values that models accept for writes. Only `permit` and `permitValues` create it. A copy by spreading is
 * a plain object without this type.
 */
export class PermittedValues {
  // Exists only for the type. When a caller passes other values to a model, TypeScript's error message contains this
  // name.
  declare private readonly returnedByPermitOrPermitValues: true
}

/** Returns true for a result of `permit` or `permitValues`. */
export const isPermitted = (value: unknown): value is PermittedValues =>
  typeof value === 'object' &&
  value !== null &&
  Object.getPrototypeOf(value) === PermittedValues.prototype

type Flat<T> = { [K in keyof T]: T[K] } & {}
type OptionalKeys<S> = {
  [K in keyof S]: S[K] extends OptionalParamType<unknown> ? K : never
}[keyof S]

/**
 * The permitted values of the listed fields. A missing optional field has no key. A blank optional field is
 * `undefined`, which sets the column to null. A copy by spreading is a plain object that models reject.
 */
export type Permitted<S extends ParamTypes = ParamTypes> = string extends keyof S
  ? PermittedValues
  : PermittedValues &
      Flat<
        { readonly [K in Exclude<keyof S, OptionalKeys<S>>]: ParamValueOf<S[K]> } & {
          readonly [K in OptionalKeys<S>]?: ParamValueOf<S[K]> | undefined
        }
      >

/** Permitted values in which every field is optional, for PATCH. */
export type PermittedPartial<S extends ParamTypes> = PermittedValues &
  Flat<{ readonly [K in keyof S]?: ParamValueOf<S[K]> | undefined }>

/** Sets a member. An assignment to `__proto__` would replace the prototype instead. */
function setMember(target: object, key: string, value: unknown): void {
  if (key !== '__proto__') (target as Record<string, unknown>)[key] = value
  else {
    const writable = { enumerable: true, configurable: true, writable: true }
    Object.defineProperty(target, key, { value, ...writable })
  }
}

/** A key without a permitted value, the reason, and the type that `permit` expects. */
export interface PermitFailure {
  readonly key: string
  readonly reason: 'absent' | 'invalid'
  readonly type: ParamType<unknown>
  /** The messages of the type's schema. */
  readonly issues?: readonly string[] | undefined
  /** How to write the number, such as `1234 or 1,234`, if its text can be read in two ways or has the marks of another language. */
  readonly examples?: string | undefined
}

/** Returns the permitted values of `types`, or all failures. With `partial`, missing keys are omitted. */
export function readPermitted<S extends ParamTypes>(
  source: ParamSource,
  types: S,
  partial = false,
): Permitted<S> | PermitFailure[] {
  const values = new PermittedValues()
  let failures: PermitFailure[] | undefined
  const keys = Object.keys(types)
  for (let i = 0; i < keys.length; i++) {
    const key = keys[i]!
    const type = types[key]!
    const json = source.json === undefined ? undefined : jsonOf(source, key)
    const texts = json === undefined ? textsFor(source, key, type) : undefined
    if (partial && texts === undefined && json === undefined) continue
    const value = json === undefined ? type.permit(texts) : permitJson(type, json)
    if (value === absent || value === invalid) {
      const reason = value === absent ? 'absent' : 'invalid'
      const issues = explain(type, json, texts)
      const kind = texts === undefined ? undefined : numberKind(type)
      const examples = kind === undefined ? undefined : numberExamples(source, key, kind)
      failures = [...(failures ?? []), { key, type, reason, issues, examples }]
    } else if (value !== omitted) setMember(values, key, value)
  }
  return failures ?? (values as Permitted<S>)
}

/** Returns the messages of a type's schema about a value. */
function explain(
  { schema }: ParamType<unknown>,
  json: unknown,
  texts: readonly string[] | undefined,
): readonly string[] | undefined {
  if (schema === undefined) return undefined
  if (json === undefined) return schema.explain(String(texts?.[0]))
  const result = schema.check(json)
  return 'issues' in result ? result.issues : undefined
}

/** Returns the permitted values of `types`. @throws `params.invalid` (400), which names every failing key */
export function permit<S extends ParamTypes>(
  source: ParamSource,
  types: S,
  partial = false,
): Permitted<S> {
  const result = readPermitted(source, types, partial)
  if (!Array.isArray(result)) return result
  source.rejectUnread?.()
  throw new PermitError(result)
}

/** The error for parameters that are missing or do not convert: 400 `params.invalid` with the messages of each field. */
export class PermitError extends HttpError {
  readonly failures: readonly PermitFailure[]

  constructor(failures: readonly PermitFailure[]) {
    const errors = Object.create(null) as Record<string, readonly string[]>
    for (const failure of failures) errors[failure.key] = failureMessages(failure)
    const keys = failures.map(({ key }) => key).join(', ')
    const message = `Parameters missing or of the wrong type: ${keys}.`
    super(400, 'params.invalid', message, { details: { errors } })
    this.failures = failures
  }
}

function failureMessages({
  key,
  type,
  reason,
  issues,
  examples,
}: PermitFailure): readonly string[] {
  if (reason === 'absent') return [`${key} is required`]
  const written = examples === undefined ? '' : `, written like ${examples}`
  return issues ?? [`${key} must be ${type.expected}${written}`]
}

/** The type if its members are known; never for parsed JSON, records of any keys, and `any`, which need a list of names. */
type KnownMembers<T> = string extends keyof T ? never : T

/**
 * Marks typed values as permitted, such as the output of a schema or values that the application computed:
 * `permitValues({ title: 'First' })`. Without names all members are permitted, so never call it so with what a client has sent; with
 * names, or one list of names, only those. Omits missing members.
 */
export function permitValues<T extends object>(values: T & KnownMembers<T>): PermittedValues & T
export function permitValues<T extends object, const K extends keyof T & string>(
  values: T,
  ...keys: readonly [K, ...K[]] | readonly [readonly K[]]
): PermittedValues & Pick<T, K>
export function permitValues(
  values: object,
  ...keys: readonly (string | readonly string[])[]
): PermittedValues {
  const permitted = new PermittedValues()
  const given = values as Readonly<Record<string, unknown>>
  for (const key of keys.length === 0 ? Object.keys(given) : keys.flat())
    if (Object.hasOwn(given, key)) setMember(permitted, key, given[key])
  return permitted
}

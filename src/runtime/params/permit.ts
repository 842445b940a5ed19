/** `permit`: converts the listed fields of a request and brands the result, so that models accept nothing else. */
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
import { jsonOf, type ParamSource, textsOf } from './source.ts'

/** The type that models require for writes. Only `permit` and `permitValues` create it; a spread copy is a plain object. */
export class PermittedValues {
  // Only a type: TypeScript names this member when values of another origin are passed to a model.
  declare private readonly returnedByPermitOrPermitValues: true
}

/** Whether `value` is a result of `permit` or `permitValues`, at run time. */
export const isPermitted = (value: unknown): value is PermittedValues =>
  typeof value === 'object' &&
  value !== null &&
  Object.getPrototypeOf(value) === PermittedValues.prototype

type Flat<T> = { [K in keyof T]: T[K] } & {}
type OptionalKeys<S> = {
  [K in keyof S]: S[K] extends OptionalParamType<unknown> ? K : never
}[keyof S]

/**
 * The values of the listed fields. An optional field that was absent has no key; one that was sent blank is `undefined`,
 * which clears the column. A copy made by spreading loses the brand.
 */
export type Permitted<S extends ParamTypes = ParamTypes> = string extends keyof S
  ? PermittedValues
  : PermittedValues &
      Flat<
        { readonly [K in Exclude<keyof S, OptionalKeys<S>>]: ParamValueOf<S[K]> } & {
          readonly [K in OptionalKeys<S>]?: ParamValueOf<S[K]> | undefined
        }
      >

/** `Permitted` with every field optional, for PATCH. */
export type PermittedPartial<S extends ParamTypes> = PermittedValues &
  Flat<{ readonly [K in keyof S]?: ParamValueOf<S[K]> | undefined }>

/** An assignment to `__proto__` would replace the prototype instead of adding a member. */
function setMember(target: object, key: string, value: unknown): void {
  if (key !== '__proto__') (target as Record<string, unknown>)[key] = value
  else {
    const writable = { enumerable: true, configurable: true, writable: true }
    Object.defineProperty(target, key, { value, ...writable })
  }
}

/** A key without a permitted value: why, and the type that the caller of `permit` expects. */
export interface PermitFailure {
  readonly key: string
  readonly reason: 'absent' | 'invalid'
  readonly type: ParamType<unknown>
  /** The messages of the type's schema. */
  readonly issues?: readonly string[] | undefined
}

/** The permitted values of `types`, or every failure. `partial` leaves absent keys out. */
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
    const texts = json === undefined ? textsOf(source, key) : undefined
    if (partial && texts === undefined && json === undefined) continue
    const value = json === undefined ? type.permit(texts) : permitJson(type, json)
    if (value === absent || value === invalid) {
      const reason = value === absent ? 'absent' : 'invalid'
      const issues = type.schema?.explain(String(json ?? texts?.[0]))
      failures = [...(failures ?? []), { key, type, reason, issues }]
    } else if (value !== omitted) setMember(values, key, value)
  }
  return failures ?? (values as Permitted<S>)
}

/** The permitted values of `types`. @throws `params.invalid` (400) naming every failing key. */
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

/** Values that a client sent and that no field accepts: 400 `params.invalid` with the messages of each field. */
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

function failureMessages({ key, type, reason, issues }: PermitFailure): readonly string[] {
  if (reason === 'absent') return [`${key} is required`]
  return issues ?? [`${key} must be ${type.expected}`]
}

/**
 * Permits the listed members of typed values, such as the output of a schema or values that the application computed. An
 * absent member stays absent.
 */
export function permitValues<T extends object, const K extends keyof T & string>(
  values: T,
  ...keys: readonly K[]
): PermittedValues & Pick<T, K> {
  const permitted = new PermittedValues()
  for (const key of keys) if (Object.hasOwn(values, key)) setMember(permitted, key, values[key])
  return permitted as PermittedValues & Pick<T, K>
}

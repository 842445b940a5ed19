/** Permitted fields: the listed keys of a request, converted, and branded so that nothing else passes for them. */
import { HttpError } from '../base.ts'
import {
  type OptionalParamType,
  type ParamType,
  type ParamTypes,
  type ParamValueOf,
  type Refusal,
  absent,
  omitted,
  unfit,
} from './param-type.ts'
import { type ParamSource, textsOf } from './source.ts'

/** The brand of permitted values: no literal, cast-free copy or client input has it. */
export class PermittedValues {
  readonly #permitted = true

  /** Whether `value` came out of `permit`, at run time. */
  static has(value: unknown): value is PermittedValues {
    return typeof value === 'object' && value !== null && #permitted in value && value.#permitted
  }
}

type Flat<T> = { [K in keyof T]: T[K] } & {}
type OptionalKeys<S> = {
  [K in keyof S]: S[K] extends OptionalParamType<unknown> ? K : never
}[keyof S]

/**
 * The values of the listed fields. An optional field that was absent is no own key; one that was sent blank is an own
 * key holding `undefined`: the column is to be cleared. A copy made by spreading loses the brand.
 */
export type Permitted<S extends ParamTypes = ParamTypes> = string extends keyof S
  ? PermittedValues
  : PermittedValues &
      Flat<
        { readonly [K in Exclude<keyof S, OptionalKeys<S>>]: ParamValueOf<S[K]> } & {
          readonly [K in OptionalKeys<S>]?: ParamValueOf<S[K]> | undefined
        }
      >

/** `Permitted` with every field optional: what a PATCH sent. */
export type PermittedPartial<S extends ParamTypes> = PermittedValues &
  Flat<{ readonly [K in keyof S]?: ParamValueOf<S[K]> | undefined }>

/** Whether `value` came out of `permit` or `permitValues`; a copy of such a value did not. */
export function isPermitted(value: unknown): value is PermittedValues {
  return PermittedValues.has(value)
}

function put(target: object, key: string, value: unknown): void {
  if (key === '__proto__') {
    Object.defineProperty(target, key, {
      value,
      enumerable: true,
      configurable: true,
      writable: true,
    })
  } else (target as Record<string, unknown>)[key] = value
}

/** Why a key has no permitted value, and the type it was to have. */
export interface PermitFailure {
  readonly key: string
  readonly reason: Refusal
  readonly type: ParamType<unknown>
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
    const texts = textsOf(source, key)
    if (partial && texts === undefined) continue
    const value = type.admit(texts)
    if (value === absent || value === unfit) {
      failures = [...(failures ?? []), { key, type, reason: value === absent ? 'absent' : 'unfit' }]
    } else if (value !== omitted) put(values, key, value)
  }
  return failures ?? (values as Permitted<S>)
}

/** The permitted values of `types`. @throws `params.invalid` (400) naming every failing key. */
export function permit<S extends ParamTypes>(
  source: ParamSource,
  types: S,
  partial = false,
): Permitted<S> {
  const read = readPermitted(source, types, partial)
  if (Array.isArray(read)) throw refused(read)
  return read
}

function refused(failures: readonly PermitFailure[]): HttpError {
  const errors = Object.create(null) as Record<string, readonly string[]>
  for (const { key, type, reason } of failures) {
    errors[key] = [reason === 'absent' ? `${key} is required` : `${key} must be ${type.expected}`]
  }
  const keys = failures.map(({ key }) => key).join(', ')
  return new HttpError(400, 'params.invalid', `Parameters missing or of the wrong type: ${keys}.`, {
    details: { errors },
  })
}

/**
 * Permits the named members of values that are typed already, such as the output of a schema or a server's own;
 * naming them is the whitelist. A member that is absent stays absent.
 */
export function permitValues<T extends object, const K extends keyof T & string>(
  values: T,
  ...keys: readonly K[]
): PermittedValues & Pick<T, K> {
  const permitted = new PermittedValues()
  for (const key of keys) if (Object.hasOwn(values, key)) put(permitted, key, values[key])
  return permitted as PermittedValues & Pick<T, K>
}

/** Converts the arguments of jobs to JSON and back, by the types that the job declares. */
import { FwError } from '../base.ts'
import { stringifyJson } from '../http.ts'
import {
  isOptionalType,
  programType,
  readPermitted,
  type OptionalParamType,
  type ParamTypes,
  type ParamValueOf,
} from '../params.ts'

type OptionalKeys<S> = {
  [K in keyof S]: S[K] extends OptionalParamType<unknown> ? K : never
}[keyof S]

/** The arguments of a job whose types are `S`. A missing optional argument has no key. */
export type JobArguments<S extends ParamTypes> = {
  readonly [K in Exclude<keyof S, OptionalKeys<S>>]: ParamValueOf<S[K]>
} & { readonly [K in OptionalKeys<S>]?: ParamValueOf<S[K]> | undefined }

/** The maximum length of the arguments in JSON, and of the results of all steps of a job. */
export const longestJson: number = 256 * 1024

/** Returns the types in JSON, which differ from those in forms for bytes. */
export const jsonTypes = <S extends ParamTypes>(types: S): S =>
  Object.fromEntries(
    Object.entries(types).map(([key, type]) => [key, programType(type)]),
  ) as unknown as S

/** Returns the value of a type in JSON. Dates and times have `toJSON`. */
function toJson(value: unknown): unknown {
  if (typeof value === 'bigint') return String(value)
  if (typeof value === 'number') return Number.isFinite(value) ? value : String(value)
  if (value instanceof Uint8Array) return Buffer.from(value).toString('base64')
  if (Array.isArray(value)) return value.map(toJson)
  const isDated = typeof value === 'object' && value !== null && 'toJSON' in value
  return isDated ? (value as { toJSON(): unknown }).toJSON() : value
}

/** Converts arguments to JSON. @throws FwError `jobs.argument-invalid` */
export function encodeArguments(name: string, types: ParamTypes, values: object): string {
  const members: Record<string, unknown> = {}
  for (const key of Object.keys(values))
    if (!Object.hasOwn(types, key)) throw invalid(name, `has no argument '${key}'`)
  for (const [key, type] of Object.entries(types)) {
    const value = (values as Record<string, unknown>)[key]
    if (value !== undefined) members[key] = toJson(value)
    else if (!isOptionalType(type)) throw invalid(name, `needs the argument '${key}'`)
  }
  checkMembers(name, types, members)
  const text = stringifyJson(members)
  if (text.length <= longestJson) return text
  const limit = `has arguments of ${text.length} characters in JSON; the limit is ${longestJson}. Pass the key of a row`
  throw invalid(name, limit)
}

/** Converts the JSON of `encodeArguments` back. @throws FwError `jobs.argument-invalid` if the types have changed since */
export const decodeArguments = (name: string, types: ParamTypes, text: string): object => ({
  ...checkMembers(name, types, JSON.parse(text) as Record<string, unknown>),
})

function checkMembers(name: string, types: ParamTypes, members: Record<string, unknown>): object {
  const values = readPermitted(
    {
      get: () => undefined,
      keys: () => Object.keys(members),
      json: (key) => (key === undefined ? members : members[key]),
    },
    types,
  )
  if (!Array.isArray(values)) return values
  const [{ key, reason, type }] = values as [(typeof values)[number]]
  const fault = reason === 'absent' ? 'is missing' : `must be ${type.expected}`
  throw invalid(name, `got a wrong argument: '${key}' ${fault}`)
}

const invalid = (name: string, fault: string): FwError =>
  new FwError('jobs.argument-invalid', `The job '${name}' ${fault}.`)

/** The types of requests and responses for the actions that `FwResource` and `FwApiResource` provide. */
import type { ViewParts } from '../model.ts'
import type { ParamTypes } from '../params.ts'
import type { FieldsInput, JsonOf } from './shape-types.ts'

type IsUpper<C extends string> = C extends Lowercase<C> ? false : true
type IsLower<C extends string> = C extends Uppercase<C> ? false : true
type IsLowerOrDigit<C extends string> =
  IsLower<C> extends true ? true : C extends `${number}` ? true : false
type First<S extends string> = S extends `${infer C}${string}` ? C : ''

/** `S` in snake case. Like `toSnakeCase`, it treats a run of capitals as one word. */
type SnakeCase<
  S extends string,
  Before extends string = '',
  All extends string = '',
> = S extends `${infer C}${infer R}`
  ? SnakeCase<R, C, `${All}${Separator<C, Before, R>}${Lowercase<C>}`>
  : All

type Separator<C extends string, Before extends string, After extends string> =
  IsUpper<C> extends false
    ? ''
    : IsLowerOrDigit<Before> extends true
      ? '_'
      : [IsUpper<Before>, IsLower<First<After>>] extends [true, true]
        ? '_'
        : ''

type SnakeKeys<T> = { readonly [K in keyof T as K extends string ? SnakeCase<K> : never]: T[K] }

type StoredValue<V> = V extends undefined ? null : V extends Uint8Array ? string : V

/** The columns `T` in the JSON of a resource: SQL's NULL is `null`, and bytes are base64 text. */
type Stored<T> = { readonly [K in keyof T]-?: StoredValue<T[K]> }

/** The JSON of a model's view. Column names are in snake case; the keys inside a JSON column stay unchanged. */
type ViewJson<P> =
  P extends ViewParts<infer Own, infer Related>
    ? JsonOf<Stored<SnakeKeys<Own>>> &
        SnakeKeys<{ readonly [K in keyof Related]: RelatedJson<Related[K]> }>
    : unknown

type RelatedJson<R> = R extends readonly [infer Value, infer P]
  ? Value extends readonly unknown[]
    ? readonly ViewJson<P>[]
    : ViewJson<P> | Extract<Value, null>
  : never

/** The JSON of a record: in the view `output` if the resource has one, else without the model's hidden fields. */
type RecordOf<C> = C extends { output: { readonly parts?: infer P } | undefined }
  ? P extends ViewParts
    ? ViewJson<P>
    : ShownRow<C>
  : ShownRow<C>

type ShownRow<C> = C extends { findResource(id: never): Promise<infer R> }
  ? JsonOf<Stored<SnakeKeys<Omit<Exclude<R, undefined>, HiddenOf<C>>>>>
  : unknown

type HiddenOf<C> = C extends {
  model: { readonly hiddenFields?: ReadonlySet<infer H> | undefined }
}
  ? string extends H
    ? never
    : H
  : never

type FieldErrors = Readonly<Record<string, readonly string[]>>

interface Outcomes<C> {
  readonly showResources: readonly [200, readonly RecordOf<C>[]]
  readonly showResource: readonly [200, RecordOf<C>]
  readonly createResource: readonly [201, RecordOf<C>] | readonly [400 | 422, FieldErrors]
  readonly updateResource: readonly [200, RecordOf<C>] | readonly [400 | 422, FieldErrors]
  readonly destroyResource: readonly [204, undefined]
}

/** The statuses and bodies of the resource action `A`; `never` for another action. */
export type ResourceOutcome<C, A> = A extends keyof Outcomes<C> ? Outcomes<C>[A] : never

type Fields<C, A> = C extends {
  readonly createFormStrongParameters: infer S extends ParamTypes
  readonly updateFormStrongParameters: infer U extends ParamTypes
}
  ? A extends 'createResource'
    ? FieldsInput<S>
    : UpdateFields<S, U>
  : unknown

/** The fields of an update. If the controller does not override them, their names are unknown, so any names are accepted. */
type UpdateFields<S, U> = string extends keyof U
  ? FieldsInput<S> | Readonly<Record<string, unknown>>
  : FieldsInput<U>

/** The request body of creation and of updates; with `PATCH`, every field is optional. */
export type ResourceBody<C, A, M> = M extends 'PATCH' ? Partial<Fields<C, A>> : Fields<C, A>

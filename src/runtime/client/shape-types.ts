/** The types of JSON, and of the bodies and fields that the `describe` options of a route declare. */
import type { RowOf } from '../model.ts'
import type { OptionalParamType, ParamType, ParamTypes, ParamValueOf } from '../params.ts'
import type { SchemaInput, SchemaOutput, StandardSchema } from '../validation.ts'

type AnyFunction = (...args: never) => unknown

/** The key `K`, or `never` if JSON omits its member because of the member's type `T`. */
type WrittenKey<K, T> = K extends symbol ? never : T extends AnyFunction | symbol ? never : K

type JsonMembers<T> = { readonly [K in keyof T as WrittenKey<K, T[K]>]: JsonOf<T[K]> }

/** An item of a list. A value that JSON omits from objects is `null` in a list. */
type JsonItem<T> = T extends undefined | symbol | AnyFunction ? null : JsonOf<T>

/** The JSON type of `T`: dates and a `bigint` become strings, a `Map` becomes an object, and a `Set` becomes a list. */
export type JsonOf<T> = unknown extends T
  ? unknown
  : T extends string | number | boolean | null | undefined
    ? T
    : T extends readonly unknown[]
      ? { readonly [I in keyof T]: JsonItem<T[I]> }
      : T extends bigint
        ? string
        : T extends symbol | AnyFunction
          ? undefined
          : T extends object
            ? // Checks keys instead of classes, which takes the compiler fewer steps.
              keyof T & ('toJSON' | 'forEach') extends never
              ? JsonMembers<T>
              : JsonOfClass<T>
            : never

type JsonOfClass<T> = T extends { toJSON(...args: never): infer J }
  ? JsonOf<J>
  : T extends ReadonlyMap<unknown, infer V>
    ? Readonly<Record<string, JsonOf<V>>>
    : T extends ReadonlySet<infer V>
      ? readonly JsonItem<V>[]
      : JsonMembers<T>

export type Flat<T> = { [K in keyof T]: T[K] } & {}

/** The keys that a request may omit: those of optional fields, checkboxes and lists. */
export type OmittableKeys<S> = {
  [K in keyof S]: S[K] extends
    | OptionalParamType<unknown>
    | ParamType<boolean>
    | ParamType<readonly unknown[]>
    ? K
    : never
}[keyof S]

type OptionalKeys<S> = {
  [K in keyof S]: S[K] extends OptionalParamType<unknown> ? K : never
}[keyof S]

type FieldInput<T> =
  ParamValueOf<T> extends Uint8Array
    ? string
    : JsonOf<ParamValueOf<T>> | (T extends OptionalParamType<unknown> ? null : never)

/** The JSON body of a request, for the fields of `permit` or of a form. */
export type FieldsInput<S> = Flat<
  { readonly [K in Exclude<keyof S, OmittableKeys<S>>]: FieldInput<S[K]> } & {
    readonly [K in OmittableKeys<S>]?: FieldInput<S[K]> | undefined
  }
>

type FieldsOutput<S> = Flat<
  { readonly [K in Exclude<keyof S, OptionalKeys<S>>]: JsonOf<ParamValueOf<S[K]>> } & {
    readonly [K in OptionalKeys<S>]?: JsonOf<ParamValueOf<S[K]>> | undefined
  }
>

interface PlainTypes {
  readonly string: string
  readonly integer: number
  readonly number: number
  readonly boolean: boolean
  readonly null: null
}

type SchemaMembers<S, R> = S extends { readonly properties: infer P }
  ? Flat<
      { readonly [K in keyof P & R]: FromJsonSchema<P[K]> } & {
        readonly [K in Exclude<keyof P, R>]?: FromJsonSchema<P[K]> | undefined
      }
    >
  : S extends { readonly additionalProperties: infer V extends object }
    ? Readonly<Record<string, FromJsonSchema<V>>>
    : Readonly<Record<string, unknown>>

type FromType<T, S> = T extends keyof PlainTypes
  ? PlainTypes[T]
  : T extends 'array'
    ? readonly (S extends { readonly items: infer I } ? FromJsonSchema<I> : unknown)[]
    : T extends 'object'
      ? SchemaMembers<S, S extends { readonly required: readonly (infer R)[] } ? R : never>
      : unknown

/** The type of the values that match a JSON Schema. The schema must be written as a literal. */
type FromJsonSchema<S> = S extends { readonly const: infer V }
  ? V
  : S extends { readonly enum: readonly (infer V)[] }
    ? V
    : S extends { readonly anyOf: readonly (infer O)[] } | { readonly oneOf: readonly (infer O)[] }
      ? FromJsonSchema<O>
      : S extends { readonly type: infer T }
        ? FromType<T extends readonly (infer E)[] ? E : T, S>
        : unknown

/** The type of a response body, from its description. */
export type ShapeOutput<B> = {} extends B
  ? unknown
  : B extends readonly [infer X]
    ? readonly ShapeOutput<X>[]
    : B extends { readonly output: infer O; readonly related: unknown }
      ? JsonOf<O>
      : B extends { readonly columns: unknown; readonly idType: unknown }
        ? JsonOf<RowOf<B>>
        : B extends StandardSchema
          ? JsonOf<SchemaOutput<B>>
          : B extends ParamTypes
            ? FieldsOutput<B>
            : FromJsonSchema<B>

/** The type of a request body, from its description. */
export type ShapeInput<B> = {} extends B
  ? unknown
  : B extends readonly [infer X]
    ? readonly ShapeInput<X>[]
    : B extends StandardSchema
      ? SchemaInput<B>
      : B extends ParamTypes
        ? FieldsInput<B>
        : ShapeOutput<B>

/** The type of a query parameter or path parameter, from its description. */
export type FieldOutput<F> =
  F extends ParamType<infer T> ? JsonOf<T> : F extends object ? FromJsonSchema<F> : unknown

/** The columns of a model: ParamTypes, and what a form has no type for. */
import { ParamType, type OptionalParamType, type ParamTypes, type ParamValueOf } from '../params.ts'

declare const defaultMark: unique symbol

/** A column that the database fills when a new row leaves it out. */
export interface DefaultedType<T> extends ParamType<T> {
  readonly [defaultMark]: true
}

/** A field's name in camel case to its type; the column is the name in snake case. */
export type Columns = ParamTypes

type Flat<T> = { [K in keyof T]: T[K] } & {}
type OptionalKeys<C> = {
  [K in keyof C]: C[K] extends OptionalParamType<unknown> ? K : never
}[keyof C]
type DefaultedKeys<C> = { [K in keyof C]: C[K] extends DefaultedType<unknown> ? K : never }[keyof C]
/** Filled by the model or the database. */
type OwnKeys = 'id' | 'createdAt' | 'updatedAt' | 'lockVersion' | 'deletedAt'

/** A row as the finders give it: a NULL is `undefined`. */
export type RowOfColumns<C> = Flat<
  { readonly [K in Exclude<keyof C, OptionalKeys<C>>]: ParamValueOf<C[K]> } & {
    readonly [K in OptionalKeys<C>]?: ParamValueOf<C[K]> | undefined
  }
>

/** What a new row needs: all but optional columns, columns with a default, and those the model fills. */
export type NewRow<C> = Flat<
  {
    readonly [K in Exclude<keyof C, OptionalKeys<C> | DefaultedKeys<C> | OwnKeys>]: ParamValueOf<
      C[K]
    >
  } & {
    readonly [K in OptionalKeys<C> | DefaultedKeys<C> | (OwnKeys & keyof C)]?:
      | ParamValueOf<C[K]>
      | undefined
  }
>

/** Some fields and their values; `undefined` means NULL. */
export type SomeFields<C> = { readonly [K in keyof C]?: ParamValueOf<C[K]> | undefined }

/** Marks a column that has a DEFAULT in the database: a new row may leave it out. */
export function defaulted<T>(type: ParamType<T>): DefaultedType<T> {
  return type as DefaultedType<T>
}

// `\u0000` and half a surrogate pair, which jsonb refuses; a backslash before the `\u` makes it plain text.
const unstorable = /(?<!\\)(?:\\\\)*\\u(?:0000|d[89a-f])/

/**
 * A json or jsonb column whose values are `T`; what the column holds is trusted to be one. A text that PostgreSQL has
 * no JSON for, with a NUL or half a surrogate pair inside, does not convert.
 */
export function json<T>(): ParamType<T> {
  const parse = (text: string): T | undefined => {
    const value = JSON.parse(text) as T
    return unstorable.test(JSON.stringify(value)) ? undefined : value
  }
  return ParamType.of<T>('Json', parse, 'a JSON text')
}

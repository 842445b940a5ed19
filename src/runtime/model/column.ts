/** The column types of a model, and the types of its rows, new rows and conditions. */
import type {
  BigDecimal,
  ParamType,
  OptionalParamType,
  ParamTypes,
  ParamValueOf,
} from '../params.ts'

declare const defaultMark: unique symbol

/** A column with a DEFAULT in the database. */
export interface DefaultedType<T> extends ParamType<T> {
  readonly [defaultMark]: true
}

/** Maps each field name in camel case to its type; the column has the same name in snake case. */
export type Columns = ParamTypes

type Flat<T> = { [K in keyof T]: T[K] } & {}
type OptionalKeys<C> = {
  [K in keyof C]: C[K] extends OptionalParamType<unknown> ? K : never
}[keyof C]
type DefaultedKeys<C> = { [K in keyof C]: C[K] extends DefaultedType<unknown> ? K : never }[keyof C]
/** The fields that the model or the database fills. */
type OwnKeys = 'id' | 'createdAt' | 'updatedAt' | 'lockVersion' | 'deletedAt'

// TypeScript links a field to its column only in a mapped type over a parameter `K extends keyof C`. Through this link editors
// find the column of a field, and rename both.
type RequiredFields<C, K extends keyof C> = { readonly [P in K]: ParamValueOf<C[P]> }
type OptionalFields<C, K extends keyof C> = {
  readonly [P in K]?: ParamValueOf<C[P]> | undefined
}

/** The type of a row that a finder returns; the value of a NULL column is `undefined`. */
export type RowOfColumns<C> = Flat<
  RequiredFields<C, Exclude<keyof C, OptionalKeys<C>>> & OptionalFields<C, OptionalKeys<C>>
>

/** The fields that an insert may omit, because the database or the model fills them. */
export type FilledKeys<C> = DefaultedKeys<C> | (OwnKeys & keyof C)

/** The values of a new row. A column may be absent if it is optional, has a default, or is filled by the model. */
export type NewRow<C> = Flat<
  RequiredFields<C, Exclude<keyof C, OptionalKeys<C> | FilledKeys<C>>> &
    OptionalFields<C, OptionalKeys<C> | FilledKeys<C>>
>

/** Some fields and their values; `undefined` is NULL. */
export type SomeFields<C> = { readonly [K in keyof C]?: ParamValueOf<C[K]> | undefined }

/** The fields whose values have the type `V`. */
type FieldsWith<C, V> = {
  [K in keyof C & string]: ParamValueOf<C[K]> extends V ? K : never
}[keyof C & string]

/** The fields that `increment` can change. */
export type NumberFields<C> = FieldsWith<C, number | bigint>
/** The fields that `sum` and `average` can compute with. */
export type NumericFields<C> = FieldsWith<C, number | bigint | BigDecimal>

/** The columns of a relation's rows. */
type ColumnsOf<Rel> = Rel extends { readonly targetColumns: infer D } ? D : never

/** The table of a relation's rows. */
type TableOf<Rel> = Rel extends { readonly targetTable: infer U } ? U : never

/** Conditions by field name; `null` matches NULL. `R` maps names to relations, so that conditions on them can be nested. */
export type Conditions<C, R = object> = {
  // These types accept `undefined`, so that `CheckedConditions` can reject it with the names of table and field.
  readonly [K in keyof C]?:
    | ParamValueOf<C[K]>
    | (C[K] extends OptionalParamType<unknown> ? null | undefined : undefined)
} & { readonly [K in Exclude<keyof R, keyof C>]?: Conditions<ColumnsOf<R[K]>> }

/** The compiler's error shows this type with its arguments, the names of the table and the field. */
interface NoSuchField<_Table, _Field> {
  readonly message: 'The model has no such field.'
}
interface PassNullInsteadOfUndefined<_Table, _Field> {
  readonly message: 'undefined is no condition: pass null to find NULL.'
}

/** Rejects unknown fields, and values that may be `undefined`, even without the option `exactOptionalPropertyTypes`. */
export type CheckedConditions<C, V, R = object, T = string> = {
  readonly [
    K in keyof V as K extends keyof C
      ? undefined extends V[K]
        ? object extends Pick<V, K>
          ? never
          : K
        : never
      : K
  ]: K extends keyof C
    ? PassNullInsteadOfUndefined<T, K>
    : K extends keyof R
      ? CheckedConditions<ColumnsOf<R[K]>, V[K], object, TableOf<R[K]>>
      : NoSuchField<T, K>
}

/** Marks a column with a DEFAULT in the database: a new row may leave it out. */
export function defaulted<T>(type: ParamType<T>): DefaultedType<T> {
  return type as DefaultedType<T>
}

/** The types of values after `stringifyJson` and `JSON.parse`. */

type AnyFunction = (...args: never) => unknown

/** Whether JSON omits members of the type; `undefined` beside other types makes a member optional. */
type WrittenKey<K, T> = K extends symbol ? never : T extends AnyFunction | symbol ? never : K

type JsonMembers<T> = { readonly [K in keyof T as WrittenKey<K, T[K]>]: JsonOf<T[K]> }

/** A list has `null` for values that JSON omits. */
type JsonItem<T> = T extends undefined | symbol | AnyFunction ? null : JsonOf<T>

/** Dates are texts, a `bigint` is a text, a `Map` is an object and a `Set` is a list. */
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
            ? // The compiler compares keys with fewer steps than classes.
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

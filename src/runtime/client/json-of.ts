/** `JsonOf`: the type that a value has after `stringifyJson` and `JSON.parse`. */

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

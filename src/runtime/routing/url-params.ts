/** The types of a URL's parameters, inferred from the text of the pattern. */
import type { Route } from './route.ts'

type Chars<S extends string, All = never> = S extends `${infer C}${infer R}`
  ? Chars<R, All | C>
  : All
type NameChar = Chars<'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_'>

/** `'id.json'` to `['id', '.json']`. */
type TakeName<S extends string, N extends string = ''> = S extends `${infer C}${infer R}`
  ? C extends NameChar
    ? TakeName<R, `${N}${C}`>
    : [N, S]
  : [N, '']

/** The names of a pattern without groups; an optional name ends with `?`. */
type Names<S extends string> = S extends `${string}:${infer R}`
  ? TakeName<R> extends [infer N extends string, infer Z extends string]
    ? (N extends '' ? never : Z extends `?${string}` ? `${N}?` : N) | Names<Z>
    : never
  : never

/** The names of a pattern; the names in groups are optional. */
type AllNames<S extends string> = S extends `${infer A}(${infer G})?${infer R}`
  ? Names<A> | Optional<Names<G>> | AllNames<R>
  : Names<S>

type Optional<N extends string> = N extends `${string}?` ? N : `${N}?`
type Splats<S extends string, A extends unknown[] = []> = S extends `${string}*${infer R}`
  ? Splats<R, [...A, string]>
  : A
type WithSplat<S extends string> =
  Splats<S> extends [] ? {} : { readonly splat: Readonly<Splats<S>> }
type Flat<T> = { readonly [K in keyof T]: T[K] } & {}

/** A value of a parameter: converted to text and percent-encoded. */
export type UrlValue = string | number | bigint

/** A query: an array repeats its key, `undefined` is omitted. */
export type UrlQuery = Readonly<
  Record<string, UrlValue | boolean | undefined | readonly (UrlValue | boolean)[]>
>

/** The parameters of a route's URL: each name of the pattern, and `splat` with a text for each `*`. */
export type UrlParams<P extends string> = string extends P
  ? Readonly<Record<string, UrlValue | undefined | readonly string[]>>
  : Flat<
      { [K in AllNames<P> as K extends `${string}?` ? never : K]: UrlValue } & {
        [K in AllNames<P> as K extends `${infer N}?` ? N : never]?: UrlValue | undefined
      } & WithSplat<P>
    >

declare const noName: unique symbol

/** The parameters of a pattern without names. */
type NoPathParameters = { readonly [noName]?: never }

/** The arguments of `url` after the route. A regular expression (`never`) has no URL. */
export type UrlArgs<P extends string> = [P] extends [never]
  ? [aRegularExpressionHasNoUrl: never]
  : [keyof UrlParams<P>] extends [never]
    ? [params?: NoPathParameters, query?: UrlQuery]
    : {} extends UrlParams<P>
      ? [params?: UrlParams<P>, query?: UrlQuery]
      : [params: UrlParams<P>, query?: UrlQuery]

/** What `url` links to: a route, or the text of a path. */
export type UrlTarget = Route<never> | Route | string

/** The arguments of `url` after its target. */
export type UrlTargetArgs<T> = T extends string
  ? [query?: UrlQuery]
  : T extends Route<infer P>
    ? UrlArgs<P>
    : UrlArgs<never>

type RequiredNames<P extends string> =
  | Exclude<AllNames<P>, `${string}?`>
  | (Splats<P> extends [] ? never : 'splat')

/** The error message that TypeScript shows for a route whose URL needs parameters, when `url` gets none. */
export type IncompleteTarget<T> = T extends string
  ? T
  : T extends Route<infer P>
    ? [P] extends [never]
      ? 'a regular expression has no URL'
      : `missing path parameter: ${RequiredNames<P>}`
    : never

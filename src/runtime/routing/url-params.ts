/** The types of a URL's parameters, inferred from the text of the pattern. */
import type { Route } from './route.ts'

type Chars<S extends string, All = never> = S extends `${infer C}${infer R}`
  ? Chars<R, All | C>
  : All
type NameChar = Chars<'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_'>

/** Splits the name from the following text: `'id.json'` becomes `['id', '.json']`. */
type TakeName<S extends string, N extends string = ''> = S extends `${infer C}${infer R}`
  ? C extends NameChar
    ? TakeName<R, `${N}${C}`>
    : [N, S]
  : [N, '']

/** The names in a segment's text after its first `:`. A separate type, which the compiler caches: many routes have `:id`. */
type SegmentNames<S extends string> =
  TakeName<S> extends [infer N extends string, infer Z extends string]
    ? (N extends '' ? never : Z extends `?${string}` ? `${N}?` : N) | Names<Z>
    : never

/** The names of the parameters of a pattern without groups. An optional name ends with `?`. */
type Names<S extends string> = S extends `${string}:${infer R}`
  ? R extends `${infer N}/${infer Z}`
    ? SegmentNames<N> | Names<Z>
    : SegmentNames<R>
  : never

/** The names of the parameters of a pattern. Names in groups are optional. */
type AllNames<S extends string> = S extends `${infer A}(${infer G})?${infer R}`
  ? Names<A> | Optional<Names<G>> | AllNames<R>
  : Names<S>

type Optional<N extends string> = N extends `${string}?` ? N : `${N}?`
type Splats<
  S extends string,
  A extends readonly unknown[] = readonly [],
> = S extends `${string}*${infer R}` ? Splats<R, readonly [...A, string]> : A
type WithSplat<L> = [L] extends [readonly []] ? {} : { readonly splat: L }
type Flat<T> = { readonly [K in keyof T]: T[K] } & {}

/** The value of a parameter. It is converted to text and percent-encoded. */
export type UrlValue = string | number | bigint

/** The query of a URL. An array repeats its key, and `undefined` omits the key. */
export type UrlQuery = Readonly<
  Record<string, UrlValue | boolean | undefined | readonly (UrlValue | boolean)[]>
>

/** The parameters `N` and the splats `L`. TypeScript computes it once for all routes with the same names. */
type NamedParams<N extends string, L> = Flat<
  { [K in N as K extends `${string}?` ? never : K]: UrlValue } & {
    [K in N as K extends `${infer O}?` ? O : never]?: UrlValue | undefined
  } & WithSplat<L>
>

/** The parameters of a route's URL: each name of the pattern, and `splat` with a text for each `*`. */
export type UrlParams<P extends string> = string extends P
  ? Readonly<Record<string, UrlValue | undefined | readonly string[]>>
  : NamedParams<AllNames<P>, Splats<P>>

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

/** The target of `url`: a route, or the text of a path. */
export type UrlTarget = Route<never> | Route | string

/** The arguments of `url` after the target. */
export type UrlTargetArgs<T> = T extends string
  ? [query?: UrlQuery]
  : T extends Route<infer P>
    ? UrlArgs<P>
    : UrlArgs<never>

type RequiredNames<P extends string> =
  | Exclude<AllNames<P>, `${string}?`>
  | (Splats<P> extends readonly [] ? never : 'splat')

/** The error message that TypeScript shows when the URL of a route needs parameters and the caller of `url` passes none. */
export type IncompleteTarget<T> = T extends string
  ? T
  : T extends Route<infer P>
    ? [P] extends [never]
      ? 'a regular expression has no URL'
      : `missing path parameter: ${RequiredNames<P>}`
    : never

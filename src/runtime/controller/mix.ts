/** Composes a controller base from traits. */
import type { Ctor } from '../action.ts'

/** A function from a controller class to a subclass with more members or filters. */
export type Trait = (base: never) => Ctor

type Intersection<U> = (U extends unknown ? (value: U) => void : never) extends (
  value: infer I,
) => void
  ? I
  : never
// oxlint-disable-next-line typescript/no-explicit-any
type Added<T> = T extends (base: any) => infer R ? (R extends Ctor<infer A> ? A : never) : never

/**
 * `class ApplicationController extends mix(FwController, ErrorPageFilter, TxPerRequestFilter) {}`: the traits are
 * applied from left to right, and so are their filters.
 * @spec Filters › 4
 */
export function mix<B extends Ctor, T extends readonly Trait[]>(
  base: B,
  ...traits: T
): B & Ctor<Intersection<Added<T[number]>>> {
  return traits.reduce<Ctor>((mixed, trait) => trait(mixed as never), base) as B &
    Ctor<Intersection<Added<T[number]>>>
}

/** `mix`: composes the base class of a controller from traits. */
import type { Ctor } from '../action.ts'

/** A trait: a function that takes a controller class and returns a subclass with more members or filters. */
export type Trait = (base: never) => Ctor

type Intersection<U> = (U extends unknown ? (value: U) => void : never) extends (
  value: infer I,
) => void
  ? I
  : never
// oxlint-disable-next-line typescript/no-explicit-any
type Added<T> = T extends (base: any) => infer R ? (R extends Ctor<infer A> ? A : never) : never

/**
 * Applies traits to a base class, from left to right; filters run in the same order: `class ApplicationController extends
 * mix(FwController, ErrorPageFilter, TxPerRequestFilter) {}`.
 * @spec Filters › 4
 */
export function mix<B extends Ctor, T extends readonly Trait[]>(
  base: B,
  ...traits: T
): B & Ctor<Intersection<Added<T[number]>>> {
  return traits.reduce<Ctor>((mixed, trait) => trait(mixed as never), base) as B &
    Ctor<Intersection<Added<T[number]>>>
}

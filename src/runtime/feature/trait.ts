/** `mix`, which composes the base class of a controller from traits, and `filterTrait`, which creates a trait from filters. */
import {
  registrationsOf,
  type ControllerClass,
  type Ctor,
  type FwControllerBase,
  type Registrations,
} from '../action.ts'

/** A trait: a function that takes a controller class and returns a subclass with more members or filters. */
export type Trait = (base: never) => Ctor

type Intersection<U> = (U extends unknown ? (value: U) => void : never) extends (
  value: infer I,
) => void
  ? I
  : never
/** The members that a trait adds; `never` if it adds none. */
// oxlint-disable-next-line typescript/no-explicit-any
type Added<T> = T extends (base: any) => infer R
  ? R extends Ctor<infer A>
    ? WithoutBase<A>
    : never
  : never
/** Omits empty parts of an intersection: the compiler stores the members of each part for every subclass. */
type WithoutBase<A> = A extends FwControllerBase & (infer Rest) ? NotEmpty<Rest> : NotEmpty<A>
/** `never` for a type without members. `object extends A` is also true if all members of `A` are optional, so count them, too. */
type NotEmpty<A> = object extends A ? ([keyof A] extends [never] ? never : A) : A
/** The class `B` with the members of `A`. */
type Mixed<B, A> = [A] extends [never] ? B : B & Ctor<Intersection<A>>

/**
 * Applies traits to a base class, from left to right; filters run in the same order: `class ApplicationController extends
 * mix(FwController, ErrorPageFilter, TxPerRequestFilter) {}`.
 * @spec Filters › 4
 */
export function mix<B extends Ctor, T extends readonly Trait[]>(
  base: B,
  ...traits: T
): Mixed<B, Added<T[number]>> {
  const mixed: unknown = traits.reduce<Ctor>((one, trait) => trait(one as never), base)
  return mixed as Mixed<B, Added<T[number]>>
}

/** A trait that adds no members to its base. */
export type FilterTrait = <B extends ControllerClass>(Base: B) => B & Ctor

/** Creates a trait that calls `register` for each class that mixes it in. Listings of filters show `name`. */
export function filterTrait(
  name: string,
  register: (own: Registrations, controllerClass: ControllerClass) => void,
): FilterTrait {
  return <B extends ControllerClass>(Base: B): B & Ctor => {
    abstract class Filtered extends Base {}
    Object.defineProperty(Filtered, 'name', { value: name })
    register(registrationsOf(Filtered), Filtered)
    return Filtered
  }
}

/** Traits that register filters and add no members. */
import { registrationsOf, type ControllerClass, type Ctor, type Registrations } from '../action.ts'

/** A trait that adds no members to its base. */
export type FilterTrait = <B extends ControllerClass>(Base: B) => B & Ctor

/**
 * A trait that calls `register` for each class that mixes it in.
 * @param name the owner of the filters in listings of routes
 */
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

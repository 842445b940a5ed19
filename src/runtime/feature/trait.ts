/** Creates traits that register filters but add no members. */
import { registrationsOf, type ControllerClass, type Ctor, type Registrations } from '../action.ts'

/** A trait that adds no members to its base. */
export type FilterTrait = <B extends ControllerClass>(Base: B) => B & Ctor

/**
 * Creates a trait that calls `register` for each class that mixes it in.
 * @param name the name that listings of routes show for the filters of this trait
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

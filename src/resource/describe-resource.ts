/** What the actions of a resource read and answer, told for documents. */
import type { Ctor } from '../action.ts'
import type { ParamTypes } from '../params.ts'
import type { JsonSchema } from '../validation.ts'
import type { ResolvedOptions } from './resource-options.ts'
import {
  errors,
  ResourceTeller,
  told,
  type ResourceRouteAsked,
  type Told,
} from './resource-teller.ts'

/** A route of a resource; what it says of a body's fields, its forms say too. */
export interface DescribedResourceRoute extends Told {
  /** Singular. */
  readonly resourceName: string
  /** A record as JSON has it; absent where the model does not tell its columns. */
  readonly entity: ParamTypes | undefined
  /** What is wrong with the fields that were sent. */
  readonly errors: JsonSchema
}

/** The prototype that the trait made, which holds the options. */
function traitOf(controllerClass: Ctor): (ResolvedOptions & object) | undefined {
  let at = controllerClass.prototype as object | null
  while (at !== null && !Object.hasOwn(at, 'createFormStrongParameters'))
    at = Object.getPrototypeOf(at) as object | null
  return (at as (ResolvedOptions & object) | null) ?? undefined
}

/**
 * What a route of `FwResource` or `FwApiResource` does; `undefined` for other controllers and actions of the application's
 * own. An action that was overridden may answer anything, so its answers are not told.
 */
export function describeResource(
  controllerClass: Ctor,
  asked: ResourceRouteAsked,
): DescribedResourceRoute | undefined {
  const trait = traitOf(controllerClass)
  const tell = Object.hasOwn(told, asked.action) ? told[asked.action] : undefined
  if (trait === undefined || tell === undefined) return undefined
  const teller = new ResourceTeller(trait, asked)
  const said = tell(teller)
  const { resourceName } = trait
  const route = { ...said, path: teller.path, resourceName, entity: teller.entity, errors }
  return isOwn(controllerClass, trait, asked.action) ? { ...route, responses: {} } : route
}

/** Whether the application has put an action of its own in the place of the traits': FwResource stands on FwApiResource. */
function isOwn(controllerClass: Ctor, trait: object, action: string): boolean {
  let owner = controllerClass.prototype as object
  while (!Object.hasOwn(owner, action)) owner = Object.getPrototypeOf(owner) as object
  const isPages = owner.constructor.name === 'FwResource' && Object.getPrototypeOf(owner) === trait
  return owner !== trait && !isPages
}

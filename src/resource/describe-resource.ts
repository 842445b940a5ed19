/** What the actions of a resource read and answer, told for documents. */
import type { Ctor } from '../action.ts'
import type { ParamTypes } from '../params.ts'
import type { JsonSchema } from '../validation.ts'
import { optionsOfTrait, type ResolvedOptions } from './resource-options.ts'
import {
  errors,
  ResourceTeller,
  told,
  type ResourceRouteAsked,
  type Told,
} from './resource-teller.ts'

interface Marked {
  readonly [optionsOfTrait]?: ResolvedOptions
}

/** A route of a resource; what it says of a body's fields, its forms say too. */
export interface DescribedResourceRoute extends Told {
  /** Singular. */
  readonly resourceName: string
  /** A record as JSON has it; absent where the model does not tell its columns. */
  readonly entity: ParamTypes | undefined
  /** What is wrong with the fields that were sent. */
  readonly errors: JsonSchema
}

/**
 * What a route of `FwResource` or `FwApiResource` does; `undefined` for other controllers and actions of the application's
 * own. An action that was overridden may answer anything, so its answers are not told.
 */
export function describeResource(
  controllerClass: Ctor,
  asked: ResourceRouteAsked,
): DescribedResourceRoute | undefined {
  const { [optionsOfTrait]: options } = controllerClass.prototype as Marked
  const tell = Object.hasOwn(told, asked.action) ? told[asked.action] : undefined
  if (options === undefined || tell === undefined) return undefined
  const teller = new ResourceTeller(options, asked)
  const said = tell(teller)
  const { resourceName } = options
  const route = { ...said, path: teller.path, resourceName, entity: teller.entity, errors }
  return isOwn(controllerClass, asked.action) ? { ...route, responses: {} } : route
}

/** Whether the application has put an action of its own in the place of a trait's. */
function isOwn(controllerClass: Ctor, action: string): boolean {
  let owner = controllerClass.prototype as object
  while (!Object.hasOwn(owner, action)) owner = Object.getPrototypeOf(owner) as object
  return !Object.hasOwn(owner, optionsOfTrait)
}

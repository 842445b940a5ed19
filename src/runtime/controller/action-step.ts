/** Creates the step of a route's plan that calls a named action of a controller. */
import type { Ctor, FwContext, Step } from '../action.ts'
import { didYouMean, FwError } from '../base.ts'
import { AsyncFwController } from './fw-controller.ts'

function methodNames(prototype: object): string[] {
  const names: string[] = []
  for (let at = prototype; at !== Object.prototype; at = Object.getPrototypeOf(at)) {
    names.push(...Object.getOwnPropertyNames(at))
  }
  return names
}

/** The names of members that traits add to controllers; `AsyncFwController` itself lacks them. */
const traitMembers = ['bearer', 'fileParams', 'fwSession', 'transaction']

let frameworkMembers: ReadonlySet<string> | undefined

/** Returns the names that an action cannot have, because they are members of controllers. */
const reservedNames = (): ReadonlySet<string> =>
  (frameworkMembers ??= new Set([
    ...methodNames(AsyncFwController.prototype),
    ...traitMembers,
    'ctx',
  ]))

/**
 * Creates the step that calls the action. The method is looked up once and not at each request.
 * @throws FwError `controller.unknown-action`, `controller.action-name-taken`
 */
export function actionStep(controllerClass: Ctor, action: string): Step {
  if (reservedNames().has(action))
    throw new FwError(
      'controller.action-name-taken',
      `${controllerClass.name} has an action named '${action}', which is a member of every controller: give the action another name.`,
    )
  const method: unknown = (controllerClass.prototype as Record<string, unknown>)[action]
  if (typeof method === 'function') {
    return function (_controller, ctx) {
      return (method as (ctx: FwContext) => unknown).call(this, ctx)
    }
  }
  const near = didYouMean(action, methodNames(controllerClass.prototype as object))
  throw new FwError(
    'controller.unknown-action',
    `${controllerClass.name} has no method '${action}' for its route.${near === undefined ? '' : ` Did you mean '${near}'?`}`,
  )
}

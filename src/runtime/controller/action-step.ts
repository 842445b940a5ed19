/** The step that calls a named action of a controller. */
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

/** Members of traits that `AsyncFwController` does not have. */
const traitMembers = ['bearer', 'fileParams', 'fwSession', 'transaction']

let frameworkMembers: ReadonlySet<string> | undefined

/** The names that an action cannot have, because controllers have a member of that name. */
const reservedNames = (): ReadonlySet<string> =>
  (frameworkMembers ??= new Set([
    ...methodNames(AsyncFwController.prototype),
    ...traitMembers,
    'ctx',
  ]))

/**
 * The step that calls the action. It looks the method up once, not at each request.
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

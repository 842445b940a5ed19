/** The step after an action that lets a trap replace the answer of its status. */
import { isPromise } from '../base.ts'
import type { FwContext } from './context.ts'
import { applyResult, dropBody } from './result.ts'
import { Pass } from './signals.ts'

/** The value takes the place of body and type; the status and the other headers stay. */
function replaceAnswer(ctx: FwContext, value: unknown): void {
  if (value === undefined) return
  dropBody(ctx)
  applyResult(ctx, value)
}

function keepOnPass(error: unknown): void {
  if (!(error instanceof Pass)) throw error
}

/**
 * Asks the trap of the response's status; a fault has handlers of its own. A trap that gives nothing, or passes, leaves
 * the answer as it is; one that halts answers itself.
 */
export function askTrap(controller: never, ctx: FwContext): unknown {
  const trap = ctx.fault === undefined ? ctx.plan?.traps.get(ctx.response.status) : undefined
  if (trap === undefined) return undefined
  try {
    const value = trap.call(controller, controller, ctx as never)
    if (!isPromise(value)) return replaceAnswer(ctx, value)
    return Promise.resolve(value)
      .then((settled) => replaceAnswer(ctx, settled))
      .catch(keepOnPass)
  } catch (error) {
    return keepOnPass(error)
  }
}

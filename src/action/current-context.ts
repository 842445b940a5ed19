/** The context of the request under way, for code that was handed none. */
import { AsyncLocalStorage } from 'node:async_hooks'

// The context's class would close a loop of imports.
const current = new AsyncLocalStorage<object>()

/** Runs `work`, and all that it starts, with `ctx` as the context of `FwContext.current()`. */
export const runWithContext = <T>(ctx: object, work: () => T): T => current.run(ctx, work)

/** The context of the request under way; `undefined` outside of one that offers it. */
export const contextUnderWay = (): object | undefined => current.getStore()

/** Runs a generator that yields its promises: synchronously, until there is a promise to wait for. */
import type { MaybePromise } from './plan.ts'

/** Code that yields promises like an async function awaits them. Without a promise, it runs synchronously. */
export type Steps<R> = Generator<PromiseLike<unknown> | undefined, R, unknown>

/** Returns the result of the generator; a promise only if the generator yields a promise. */
export function drive<R>(steps: Steps<R>): MaybePromise<R> {
  const step = steps.next()
  return step.done === true ? step.value : driveAsync(steps, step.value)
}

async function driveAsync<R>(steps: Steps<R>, first: PromiseLike<unknown> | undefined): Promise<R> {
  let pending = first
  while (true) {
    let failed = false
    let settled: unknown
    try {
      settled = await pending
    } catch (error) {
      failed = true
      settled = error
    }
    const { done, value } = failed ? steps.throw(settled) : steps.next(settled)
    if (done === true) return value
    pending = value
  }
}

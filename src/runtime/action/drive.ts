/** Runs a generator that yields its promises: synchronously, until there is a promise to wait for. */
import type { MaybePromise } from '../base.ts'

/** Code that yields promises like an async function awaits them. Without a promise, it runs synchronously. */
export type Steps<R> = Generator<PromiseLike<unknown> | undefined, R, unknown>

/** Returns the result of the generator; a promise only if the generator yields a promise. */
export function drive<R>(steps: Steps<R>): MaybePromise<R> {
  const step = steps.next()
  return step.done === true ? step.value : resume(steps, step.value)
}

/** Continues a generator, which has yielded its first promise. */
async function resume<R>(steps: Steps<R>, first: PromiseLike<unknown> | undefined): Promise<R> {
  let step: IteratorResult<PromiseLike<unknown> | undefined, R> = { done: false, value: first }
  while (step.done !== true) {
    let value: unknown
    try {
      value = await step.value
    } catch (error) {
      step = steps.throw(error)
      continue
    }
    step = steps.next(value)
  }
  return step.value
}

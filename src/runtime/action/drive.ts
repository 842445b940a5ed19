/** Runs a generator that yields its promises: synchronously, until there is a promise to wait for. */
import type { MaybePromise } from './plan.ts'

/** Code that yields promises like an async function awaits them. Without a promise, it runs synchronously. */
export type Steps<R> = Generator<PromiseLike<unknown> | undefined, R, unknown>

/** Returns the result of the generator; a promise only if the generator yields a promise. */
export function drive<R>(steps: Steps<R>): MaybePromise<R> {
  const step = steps.next()
  return step.done === true ? step.value : new Driver(steps, step.value).result
}

/** Resumes a generator with the outcome of each promise that it yields. */
class Driver<R> {
  readonly #steps: Steps<R>
  readonly #outcome = Promise.withResolvers<R>()

  constructor(steps: Steps<R>, first: PromiseLike<unknown> | undefined) {
    this.#steps = steps
    this.#wait(first)
  }

  get result(): Promise<R> {
    return this.#outcome.promise
  }

  #wait(pending: PromiseLike<unknown> | undefined): void {
    Promise.resolve(pending).then(this.#fulfilled, this.#rejected)
  }

  readonly #fulfilled = (value: unknown): void => this.#resume('next', value)
  readonly #rejected = (error: unknown): void => this.#resume('throw', error)

  #resume(how: 'next' | 'throw', value: unknown): void {
    try {
      const step = this.#steps[how](value)
      if (step.done === true) this.#outcome.resolve(step.value)
      else this.#wait(step.value)
    } catch (error) {
      this.#outcome.reject(error)
    }
  }
}

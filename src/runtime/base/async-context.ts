/** `AsyncContext`: runs work later in the async context of now. */
import { AsyncResource } from 'node:async_hooks'

/**
 * The async context of its creation. `AsyncResource.bind` and `AsyncLocalStorage.snapshot` do the same, but each of their functions
 * stays in memory until a major garbage collection.
 */
export class AsyncContext extends AsyncResource {
  constructor() {
    super('fw.AsyncContext')
  }

  /** Runs `work` in this context. */
  run<T>(work: () => T): T {
    return this.runInAsyncScope(work)
  }
}

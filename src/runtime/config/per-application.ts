/** `PerApplication`: one value for each application that runs in this process. */
import { ApplicationScope } from './application-scope.ts'

/** Stores one value for each running application, such as its messages, for code that has no request to read it from. */
export class PerApplication<T> {
  readonly #values = new Map<ApplicationScope, T>()

  /** Registers the value of an application. Returns a function that removes it. */
  open(scope: ApplicationScope, value: T): () => void {
    this.#values.set(scope, value)
    return () => void this.#values.delete(scope)
  }

  /**
   * The value of the application whose scope the calling code runs in; outside a scope, the value that was registered last.
   * Returns `undefined` while no value is registered for it.
   */
  get current(): T | undefined {
    const scope = ApplicationScope.current
    return scope === undefined ? [...this.#values.values()].at(-1) : this.#values.get(scope)
  }
}

/** Values that belong to running applications. */
import { ApplicationScope } from './application-scope.ts'

/** A value of each running application, for code without a request. */
export class PerApplication<T> {
  readonly #values = new Map<ApplicationScope, T>()

  /** Registers the value of an application. Returns a function that removes it. */
  open(scope: ApplicationScope, value: T): () => void {
    this.#values.set(scope, value)
    return () => void this.#values.delete(scope)
  }

  /** The value of the current application, else of the one that started last; undefined if none runs. */
  get current(): T | undefined {
    const scope = ApplicationScope.current
    return scope === undefined ? [...this.#values.values()].at(-1) : this.#values.get(scope)
  }
}

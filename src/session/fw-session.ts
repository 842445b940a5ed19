/** The specification's words for the attributes of a session. */
import type { TextType } from './attributes.ts'
import type { Session } from './request-session.ts'

/** What `fwSession` offers in a controller: the same record as `session`. @spec Session filter and mounting */
export class FwSession {
  readonly #session: Session

  constructor(session: Session) {
    this.#session = session
  }

  /** The value; `undefined` when absent. */
  getAttribute(name: string): unknown {
    return this.#session.get(name)
  }

  /** The value converted by way of its text; `undefined` when absent or not convertible. */
  getAs<T>(name: string, type: TextType<T>): T | undefined {
    return this.#session.getAs(name, type)
  }

  /** The value, or when absent what `make` gives, which is then kept. */
  getAttributeOrElseUpdate(name: string, make: () => unknown): unknown {
    const value = this.#session.get(name)
    if (value !== undefined) return value
    this.#session.set(name, make())
    return this.#session.get(name)
  }

  /** @throws FwError as `Session.set` does */
  setAttribute(name: string, value: unknown): void {
    this.#session.set(name, value)
  }

  removeAttribute(name: string): void {
    this.#session.delete(name)
  }

  invalidate(): void {
    this.#session.invalidate()
  }
}

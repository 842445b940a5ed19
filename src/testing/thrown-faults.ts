/** Faults of the application under test, thrown to the test that met them. */
import { AsyncLocalStorage } from 'node:async_hooks'
import type { FetchHandler } from '../server.ts'

interface Slot {
  fault?: unknown
}

/** One for an application: each fault reaches the request that it belongs to. */
export class ThrownFaults {
  readonly #slots = new AsyncLocalStorage<Slot>()

  /** Called by the application. */
  readonly note = (fault: unknown): void => {
    const slot = this.#slots.getStore()
    if (slot !== undefined) slot.fault = fault
  }

  /** As `fetch`, but rejects with the fault in place of its answer. */
  throwing(fetch: FetchHandler): FetchHandler {
    return async (request, info) => {
      const slot: Slot = {}
      const response = await this.#slots.run(slot, () => fetch(request, info))
      if ('fault' in slot) throw slot.fault
      return response
    }
  }
}

/** What development adds to a fault; elsewhere there is no such desk. */

import type { Handler } from '../http.ts'

/** A fault as its developer is shown it. */
export interface ShownFault {
  /** A whole page, its style under the nonce. */
  html(nonce: string): string
  /** Members for problem details. */
  readonly problem: Readonly<Record<string, unknown>>
}

/** No call throws. A context is given as what it is; the type would lead back to it. */
export interface FaultDesk {
  /** Wraps the application's handler, to see what a request does. */
  watch?(handle: Handler): Handler
  /** Called once for each request that failed, before what it began is undone. */
  noted(ctx: never, fault: unknown): void
  /** `undefined` for a client that is not told. */
  shown(ctx: never, fault: unknown): ShownFault | undefined
}

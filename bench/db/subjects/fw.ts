/** Fw with the bare controller; only the updates have a transaction. */
import { FwController, TxPerRequestFilter } from 'fwjs'
import { serveFw } from '../fw-app.ts'

export const serve = (url: string): Promise<number> =>
  serveFw(url, { reads: FwController, writes: TxPerRequestFilter(FwController) })

/** The error of code that outlives its request. */
import { FwError } from '../base.ts'

/** The error of using `what` of a request whose response has left. */
export function requestEndedError(what: string): FwError {
  return new FwError(
    'action.request-ended',
    `The ${what} of a request was used after its response had left: await the work before the action returns, ` +
      'or read the values that it needs before.',
  )
}

/** Creates the error for code that uses a request after its end. */
import { FwError } from '../base.ts'

/** Creates the error for code that uses `what` (such as the session) after the response has been sent. */
export function requestEndedError(what: string): FwError {
  return new FwError(
    'action.request-ended',
    `The ${what} of a request was used after its response had left: await the work before the action returns, ` +
      'or read the values that it needs before.',
  )
}

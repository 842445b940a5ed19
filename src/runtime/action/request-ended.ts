/** The error for code that uses the session or cookies of a request whose response has left. */
import { FwError } from '../base.ts'

/** Creates the error for code that uses `what` (such as the session) after the response has been sent. */
export const requestEndedError = (what: string): FwError =>
  new FwError(
    'action.request-ended',
    `The ${what} of a request was used after its response had left: await the work before the action returns, ` +
      'or read the values that it needs before.',
  )

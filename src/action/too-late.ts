/** What a request says to work that outlived it. */
import { FwError } from '../base.ts'

/** The error of using `what` of a request whose response has left. */
export function tooLate(what: string): FwError {
  return new FwError(
    'action.request-ended',
    `The ${what} of a request was used after its response had left: await the work before the action returns, ` +
      'or take what it needs out of it before.',
  )
}

/** The error for a stored value that its JavaScript type cannot represent. */
import { FwError } from '../base.ts'

/** Returns the error for a stored value that has no JavaScript value of its type. */
export const outOfRangeError = (text: string, kind: string): FwError =>
  new FwError(
    'db.value-out-of-range',
    `The database holds '${text.slice(0, 60)}', which no ${kind} can represent; select it as text (cast(… as text)).`,
  )

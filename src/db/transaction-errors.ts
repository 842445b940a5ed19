/** What goes wrong with a transaction, told so that the reader knows what was kept. */
import { FwError } from '../base.ts'

export function transactionEnded(rolledBack: boolean): FwError {
  return new FwError(
    'db.transaction-ended',
    `This query came after its transaction was ${rolledBack ? 'rolled back' : 'committed'}: work was ` +
      'started and not awaited. Await it, or run it with outsideTransaction.',
  )
}

export function commitFailed(cause: unknown): FwError {
  const reason = cause instanceof Error ? cause.message : 'the database rolled back'
  return new FwError('db.commit-failed', `Nothing was committed: ${reason}`, { cause })
}

export function outcomeUnknown(cause: unknown): FwError {
  return new FwError(
    'db.commit-outcome-unknown',
    'The connection was lost during COMMIT: whether it was carried out is unknown. Look before you repeat it.',
    { cause },
  )
}

/** A value that could not be written or read as JavaScript failed on this side: the server's transaction is sound. */
export function spoils(error: unknown): boolean {
  const code = error instanceof FwError ? error.code : undefined
  return code !== 'db.value-out-of-range' && code !== 'db.parameter-invalid'
}

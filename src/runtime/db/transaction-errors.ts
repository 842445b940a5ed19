/** The errors of transactions. */
import { FwError } from '../base.ts'

export function transactionEndedError(state: string): FwError {
  return new FwError(
    'db.transaction-ended',
    `This query came after its transaction was ${state === 'rolled back' ? state : 'committed'}: work was ` +
      'started and not awaited. Await it, or run it with outsideTransaction.',
  )
}

export function commitFailedError(cause: unknown): FwError {
  const reason = cause instanceof Error ? cause.message : 'the database rolled back'
  return new FwError('db.commit-failed', `Nothing was committed: ${reason}`, { cause })
}

export function commitOutcomeUnknownError(cause: unknown): FwError {
  return new FwError(
    'db.commit-outcome-unknown',
    'The connection was lost during COMMIT: whether it was carried out is unknown. Look before you repeat it.',
    { cause },
  )
}

/** Whether the error makes the transaction unusable. False for values that JavaScript cannot represent: no statement failed. */
export function abortsTransaction(error: unknown): boolean {
  const code = error instanceof FwError ? error.code : undefined
  return code !== 'db.value-out-of-range' && code !== 'db.parameter-invalid'
}

/** Status codes: their reason phrases, their validation, and the statuses without a body. */
import { FwError } from '../base.ts'

// `getBuiltinModule` does not load the Fetch classes of Node, which an import of `node:http` loads.
const phrases: Readonly<Record<number, string | undefined>> = {
  ...process.getBuiltinModule('node:http').STATUS_CODES,
  // Node's phrases of these codes are older than RFC 9110. 509 is not registered.
  413: 'Content Too Large',
  422: 'Unprocessable Content',
  509: undefined,
}

/** Returns the standard reason phrase (RFC 9110, IANA); '' for an unregistered code. */
export function reasonPhrase(status: number): string {
  return phrases[status] ?? ''
}

/**
 * Returns `status` if it is an integer from 200 to 599.
 * @throws FwError `http.status-invalid`
 */
export function checkStatus(status: number): number {
  if (Number.isInteger(status) && status >= 200 && status <= 599) return status
  throw new FwError(
    'http.status-invalid',
    `${String(status)} is not a valid response status: use an integer from 200 to 599.`,
  )
}

/** Returns true for the statuses 204, 205 and 304. */
export function hasNoBody(status: number): boolean {
  return status === 204 || status === 304 || status === 205
}

/** `isBreachedPassword`: looks a password up in a public list of breached passwords, without revealing it. */
import { createHash } from 'node:crypto'
import { toMilliseconds, type Duration } from '../base.ts'

interface BreachOptions {
  /** The service, to which the first five characters of the hash are added. @default that of Have I Been Pwned */
  readonly url?: string
  /** How long the service may take. @default '2s' */
  readonly timeout?: Duration
}

const prefixLength = 5

/**
 * Returns true if the password is in the list of Have I Been Pwned, and false if it is not or the service does not answer in time.
 * Sends only the first 5 of 40 characters of its SHA-1, which thousands of passwords share (k-anonymity).
 */
export async function isBreachedPassword(
  password: string,
  { url = 'https://api.pwnedpasswords.com/range/', timeout = '2s' }: BreachOptions = {},
): Promise<boolean> {
  const hash = createHash('sha1').update(password.normalize('NFKC')).digest('hex').toUpperCase()
  const suffix = hash.slice(prefixLength)
  try {
    const response = await fetch(url + hash.slice(0, prefixLength), {
      // The service adds entries with the count 0, so that the size of the response does not reveal the prefix.
      headers: { 'Add-Padding': 'true' },
      signal: AbortSignal.timeout(toMilliseconds(timeout)),
    })
    if (!response.ok) return false
    const lines = (await response.text()).split(/\r?\n/)
    return lines.some((line) => line.startsWith(`${suffix}:`) && !line.endsWith(':0'))
  } catch {
    return false
  }
}

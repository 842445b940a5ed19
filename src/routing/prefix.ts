/** The text before all paths of a mounted controller. */
import { FwError } from '../base.ts'

/**
 * A prefix without a slash at its end, '' for the root.
 *
 * @throws FwError `routing.pattern-invalid`
 */
export function normalPrefix(prefix = ''): string {
  if (prefix !== '' && !prefix.startsWith('/')) {
    throw new FwError(
      'routing.pattern-invalid',
      `The mount path "${prefix}" must begin with "/", as in "/${prefix}".`,
    )
  }
  let end = prefix.length
  while (end > 0 && prefix[end - 1] === '/') end -= 1
  return prefix.slice(0, end)
}

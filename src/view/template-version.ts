/** Tells by a short text whether a generated module belongs to a template as it is now. */
import { createHash } from 'node:crypto'

/** Raised when the compiler writes other code for the same template, or the engine needs other code. */
const compilerRevision = '2'

/** Over the texts of a template and of all that it includes, in this order. */
export function versionOf(...texts: readonly string[]): string {
  const hash = createHash('sha256').update(compilerRevision)
  for (const text of texts) hash.update('\0').update(String(text.length)).update('\0').update(text)
  return hash.digest('hex').slice(0, 12)
}

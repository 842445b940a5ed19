/** The version of the running fwjs. */
import { createRequire } from 'node:module'

export function version(): string {
  return (createRequire(import.meta.url)('fwjs/package.json') as { version: string }).version
}

/** The version of the package that runs. */
import { readFileSync } from 'node:fs'

/** As in package.json, which stands two folders above this file in the sources and in `dist`. */
export function version(): string {
  const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8')
  return (JSON.parse(text) as { version: string }).version
}

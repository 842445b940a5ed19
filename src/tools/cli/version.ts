/** The version of the running fwjs. */
import { readFileSync } from 'node:fs'

/** Reads package.json, three folders above this file in the sources and in `dist`. */
export function version(): string {
  const text = readFileSync(new URL('../../../package.json', import.meta.url), 'utf8')
  return (JSON.parse(text) as { version: string }).version
}

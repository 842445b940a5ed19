/** Tells caches which request headers an answer depends on. */
import type { ResponseHeaders } from './response-headers.ts'

/** Adds `name` to `Vary`; nothing when it is there, or `*` is. */
export function addVary(headers: ResponseHeaders, name: string): void {
  const known = headers.get('vary')
  if (known === undefined) return headers.append('Vary', name)
  const listed = known.split(',').map((one) => one.trim().toLowerCase())
  if (!listed.includes('*') && !listed.includes(name.toLowerCase()))
    headers.set('Vary', `${known}, ${name}`)
}

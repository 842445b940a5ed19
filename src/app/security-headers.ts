/** The headers that every response carries unless it set them itself. */
import type { HttpResponse } from '../http.ts'

const policyName = 'Content-Security-Policy'
const policy = (nonce: string): string =>
  `default-src 'self'; script-src 'self'${nonce}; style-src 'self'${nonce}; object-src 'none'; base-uri 'none'; ` +
  `form-action 'self'; frame-ancestors 'self'`

const defaults: readonly (readonly [string, string])[] = [
  [policyName, policy('')],
  ['X-Content-Type-Options', 'nosniff'],
  ['Referrer-Policy', 'strict-origin-when-cross-origin'],
  ['Cross-Origin-Opener-Policy', 'same-origin'],
  ['Cross-Origin-Resource-Policy', 'same-origin'],
  ['X-Frame-Options', 'SAMEORIGIN'],
  ['X-Permitted-Cross-Domain-Policies', 'none'],
  ['Permissions-Policy', 'camera=(), microphone=(), geolocation=()'],
]

const prebuilt: readonly string[] = defaults.flat()
const names: ReadonlySet<string> = new Set(defaults.map(([name]) => name.toLowerCase()))

/** Adds the defaults; `nonce` is let into the policy for a page with inline scripts or styles of its own. */
export function addSecurityHeaders({ headers }: HttpResponse, nonce?: string): void {
  const { raw } = headers
  if (nonce !== undefined && !headers.has(policyName))
    raw.push(policyName, policy(` 'nonce-${nonce}'`))
  // Most responses set none of them: those take the prebuilt list as it is.
  if (setsNone(raw)) raw.push(...prebuilt)
  else for (const [name, value] of defaults) if (!headers.has(name)) raw.push(name, value)
}

function setsNone(raw: readonly string[]): boolean {
  for (let i = 0; i < raw.length; i += 2) if (names.has(raw[i]!.toLowerCase())) return false
  return true
}

/** What responses say for the visitor's safety unless told otherwise, and what may be said in its place. */

/** Takes a header or directive away. */
const off = 'off'

const defaultDirectives: ReadonlyMap<string, string> = new Map([
  ['default-src', "'self'"],
  ['script-src', "'self'"],
  ['style-src', "'self'"],
  ['object-src', "'none'"],
  ['base-uri', "'none'"],
  ['form-action', "'self'"],
  ['frame-ancestors', "'self'"],
])

const defaultHeaders: ReadonlyMap<string, string> = new Map([
  ['X-Content-Type-Options', 'nosniff'],
  ['Referrer-Policy', 'strict-origin-when-cross-origin'],
  ['Cross-Origin-Opener-Policy', 'same-origin'],
  ['Cross-Origin-Resource-Policy', 'same-origin'],
  ['X-Frame-Options', 'SAMEORIGIN'],
  ['X-Permitted-Cross-Domain-Policies', 'none'],
  ['Permissions-Policy', 'camera=(), microphone=(), geolocation=()'],
])

/** Sent on https in production only. */
const strictTransport = [
  'Strict-Transport-Security',
  'max-age=63072000; includeSubDomains',
] as const

const headerName = /^[A-Za-z][A-Za-z0-9-]*$/
const headerValue = /^[\x20-\x7e]*$/
const directiveName = /^[a-z]+(-[a-z]+)*$/
const directiveValue = /^[\x21-\x2b\x2d-\x3a\x3c-\x7e]*( +[\x21-\x2b\x2d-\x3a\x3c-\x7e]+)*$/

/** What is wrong with `security.headers`; completes its name. */
export function headersProblem(headers: ReadonlyMap<string, string>): string | undefined {
  for (const [name, value] of headers) {
    if (!headerName.test(name)) return `names ${JSON.stringify(name)}, which is no header`
    if (!headerValue.test(value)) return `has a value of ${name} that no header can have`
    if (name.toLowerCase() === 'content-security-policy')
      return 'must not name Content-Security-Policy: use security.contentSecurityPolicy'
  }
  return undefined
}

/** What is wrong with `security.contentSecurityPolicy`; completes its name. */
export function policyProblem(directives: ReadonlyMap<string, string>): string | undefined {
  for (const [name, value] of directives) {
    if (!directiveName.test(name)) return `names ${JSON.stringify(name)}, which is no directive`
    if (!directiveValue.test(value))
      return `has sources of ${name} that hold a comma, a semicolon or a control character`
  }
  return undefined
}

/** Header names and values that responses get, alternating, without the policy; names are those of the defaults. */
export function headersOf(given: ReadonlyMap<string, string>, https: boolean): string[] {
  const base = https ? [...defaultHeaders, strictTransport] : [...defaultHeaders]
  const chosen = new Map(base.map(([name, value]) => [name.toLowerCase(), [name, value] as const]))
  for (const [name, value] of given) {
    const key = name.toLowerCase()
    if (!https && key === 'strict-transport-security') continue
    if (value === off) chosen.delete(key)
    else chosen.set(key, [chosen.get(key)?.[0] ?? name, value])
  }
  return [...chosen.values()].flat()
}

/** The policy; `nonce` lets a page's own inline scripts and styles in. */
export function policyOf(given: ReadonlyMap<string, string>, nonce?: string): string {
  const directives = new Map([...defaultDirectives, ...given].filter(([, value]) => value !== off))
  for (const [name, value] of given) if (value === off) directives.delete(name)
  if (nonce !== undefined) {
    for (const name of ['script-src', 'style-src']) {
      const sources = directives.get(name) ?? directives.get('default-src')
      if (sources !== undefined) directives.set(name, withNonce(sources, nonce))
    }
  }
  return [...directives].map(([name, value]) => `${name} ${value}`.trim()).join('; ')
}

const withNonce = (sources: string, nonce: string): string =>
  sources === "'none'" ? `'nonce-${nonce}'` : `${sources} 'nonce-${nonce}'`

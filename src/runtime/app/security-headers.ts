/** Adds the default headers of every response, for caching and security, and the settings that replace them. */
import { isSafeMethod } from '../action.ts'
import { SharedHeaders, type HttpRequest, type HttpResponse } from '../http.ts'
import { off, Policy, type PolicyAdditions, type Texts } from './content-security-policy.ts'

/** The settings `security.*`, which change the defaults. */
interface SecuritySettings {
  readonly headers: Texts
  readonly contentSecurityPolicy: Texts
  readonly contentSecurityPolicyReportOnly: Texts
  /** False never removes prefetched pages. */
  readonly speculationRules?: boolean | undefined
}

/** Removes prefetched pages, which Chromium otherwise shows after a write in spite of `no-store`. */
const clearPrefetched = ['Clear-Site-Data', '"prefetchCache", "prerenderCache"'] as const

const defaultHeaders: Texts = new Map([
  ['Cache-Control', 'private, no-cache'],
  ['X-Content-Type-Options', 'nosniff'],
  ['Referrer-Policy', 'strict-origin-when-cross-origin'],
  ['Cross-Origin-Opener-Policy', 'same-origin'],
  ['Cross-Origin-Resource-Policy', 'same-origin'],
  ['X-Frame-Options', 'SAMEORIGIN'],
  ['X-Permitted-Cross-Domain-Policies', 'none'],
  ['Permissions-Policy', 'camera=(), microphone=(), geolocation=()'],
])

const strictTransport = [
  'Strict-Transport-Security',
  'max-age=63072000; includeSubDomains',
] as const

/** The name of the path that receives reports, in a header that browsers read only on https. */
const reportGroup = 'policy'

const policyName = 'Content-Security-Policy'
const reportName = 'Content-Security-Policy-Report-Only'

const headerName = /^[A-Za-z][A-Za-z0-9-]*$/
const headerValue = /^[\x20-\x7e]*$/

/** Returns the problem of the setting `security.headers`, as text that follows "security.headers" in the error message. */
export function findHeadersProblem(headers: Texts): string | undefined {
  for (const [name, value] of headers) {
    if (!headerName.test(name)) return `names ${JSON.stringify(name)}, which is not a header`
    if (!headerValue.test(value)) return `has a value of ${name} that a header cannot have`
    if (/^content-security-policy(?:-report-only)?$/i.test(name))
      return `must not name ${name}: use security.contentSecurityPolicy or contentSecurityPolicyReportOnly`
  }
  return undefined
}

/** The headers that are sent only in production, on https. */
const httpsHeaders = (reportPath: string | undefined): readonly (readonly [string, string])[] =>
  reportPath === undefined
    ? [strictTransport]
    : [strictTransport, ['Reporting-Endpoints', `${reportGroup}="${reportPath}"`]]

/** Merges the default headers with the settings, without the Content-Security-Policy. Returns names and values in turn. */
function mergeHeaders(changes: Texts, https: boolean, reportPath?: string): string[] {
  const defaults = https ? [...defaultHeaders, ...httpsHeaders(reportPath)] : [...defaultHeaders]
  const merged = new Map(defaults.map(([name, value]) => [name.toLowerCase(), [name, value]]))
  for (const [name, value] of changes) {
    const key = name.toLowerCase()
    if (!https && key === 'strict-transport-security') continue
    if (value === off) merged.delete(key)
    else merged.set(key, [merged.get(key)?.[0] ?? name, value])
  }
  return [...merged.values()].flat()
}

const hasName = (changes: Texts, header: string): boolean =>
  [...changes.keys()].some((name) => name.toLowerCase() === header)

const turnsOff = (changes: Texts, header: string): boolean =>
  [...changes].some(([name, value]) => value === off && name.toLowerCase() === header)

/** Completes the caching headers of a response that has its own. Returns false if it has none. */
function addPrivate({ headers }: HttpResponse): boolean {
  if (headers.has('cache-control')) return true
  if (!headers.has('expires')) return false
  // `Expires` alone would allow shared caches to store the response.
  headers.raw.push('Cache-Control', 'private')
  return true
}

/** The headers of one scheme: all of them, and those for a response with its own caching headers. */
interface HeaderLists {
  readonly all: SharedHeaders
  readonly withoutCaching: SharedHeaders
}

/** The headers of one scheme. Those of a 304 must not replace the policy of the page that the client has stored. */
interface SchemeHeaders extends HeaderLists {
  readonly unchanged: HeaderLists
  readonly policies: readonly Policy[]
}

function createHeaders(policies: readonly Policy[], others: readonly string[]): SchemeHeaders {
  const at = others.findIndex((name, i) => i % 2 === 0 && name.toLowerCase() === 'cache-control')
  const withoutCaching = at === -1 ? others : others.toSpliced(at, 2)
  const create = (first: readonly string[]): HeaderLists => ({
    all: new SharedHeaders([...first, ...others]),
    withoutCaching: new SharedHeaders([...first, ...withoutCaching]),
  })
  const first = policies.flatMap(({ name, plain }) => [name, plain])
  return { ...create(first), unchanged: create([]), policies }
}

/** Creates the enforced policy, and the one that only reports. */
function createPolicies(
  { contentSecurityPolicy, contentSecurityPolicyReportOnly: reported }: SecuritySettings,
  additions: PolicyAdditions,
): readonly Policy[] {
  const policies = [new Policy(policyName, contentSecurityPolicy, additions)]
  if (reported.size > 0) policies.push(new Policy(reportName, reported, additions))
  return policies.filter(({ plain }) => plain !== '')
}

/** The properties of a request by which the headers are chosen. */
type RequestKind = Pick<HttpRequest, 'scheme' | 'method'>

/** Adds the default headers. The lists for http and https are built at the start; most responses share one. */
export class SecurityHeaders {
  readonly #http: SchemeHeaders
  readonly #https: SchemeHeaders
  readonly #names: ReadonlySet<string>
  /** True if the settings permit `Clear-Site-Data`, which is sent once browsers have prefetched pages of the application. */
  readonly #clearsPrefetched: boolean
  readonly #prefetches: { readonly seen: boolean }

  /** `production` adds `Strict-Transport-Security` on https. */
  constructor(
    settings: SecuritySettings,
    production: boolean,
    prefetches: { readonly seen: boolean },
    additions: PolicyAdditions = { redirectHosts: [] },
  ) {
    const { headers } = settings
    this.#prefetches = prefetches
    this.#clearsPrefetched =
      settings.speculationRules !== false && !turnsOff(headers, 'clear-site-data')
    // Then the header of the application does not have the group, so that `report-to` would keep Chromium from sending reports.
    const namesEndpoints = hasName(headers, 'reporting-endpoints')
    this.#http = createHeaders(createPolicies(settings, additions), mergeHeaders(headers, false))
    this.#https = production
      ? createHeaders(
          createPolicies(settings, namesEndpoints ? additions : { ...additions, reportGroup }),
          mergeHeaders(headers, true, additions.reportPath),
        )
      : this.#http
    const names = this.#https.withoutCaching.raw.filter((_, at) => at % 2 === 0)
    this.#names = new Set(names.map((name) => name.toLowerCase()))
  }

  /**
   * Adds the headers that the response does not set itself. `nonce` permits the inline scripts and styles of the page,
   * `styles` are the hashes of its style attributes.
   */
  addTo(
    response: HttpResponse,
    { scheme: schemeName, method }: RequestKind,
    nonce?: string,
    styles?: string,
  ): void {
    const { headers } = response
    const { raw } = headers
    const scheme = schemeName === 'https' ? this.#https : this.#http
    // A browser may display a download as a page although its type and content may come from a client.
    if (headers.get('content-disposition')?.startsWith('attachment') === true)
      if (!headers.has(policyName)) raw.push(policyName, 'sandbox')
    if (nonce !== undefined || styles !== undefined)
      for (const policy of scheme.policies) {
        const value = policy.ofPage(nonce, styles)
        if (value !== policy.plain && !headers.has(policy.name)) raw.push(policy.name, value)
      }
    if (
      this.#clearsPrefetched &&
      this.#prefetches.seen &&
      !isSafeMethod(method) &&
      !headers.has(clearPrefetched[0])
    )
      raw.push(...clearPrefetched)
    let lists: HeaderLists = scheme
    if (response.status === 304) {
      headers.delete(policyName)
      headers.delete(reportName)
      lists = scheme.unchanged
    }
    const list = addPrivate(response) ? lists.withoutCaching : lists.all
    if (!headers.hasAny(this.#names)) {
      response.shared = list
      return
    }
    for (let at = 0; at < list.raw.length; at += 2)
      if (!headers.has(list.raw[at]!)) raw.push(list.raw[at]!, list.raw[at + 1]!)
  }
}

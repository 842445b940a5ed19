/** Builds the Content-Security-Policy from the defaults, the settings, and what a page contains. */

export type Texts = ReadonlyMap<string, string>

/** The value of a setting that removes a header or directive. */
export const off = 'off'

const defaultDirectives: Texts = new Map([
  ['default-src', "'self'"],
  ['script-src', "'self'"],
  ['style-src', "'self'"],
  ['object-src', "'none'"],
  ['base-uri', "'none'"],
  ['form-action', "'self'"],
  ['frame-ancestors', "'self'"],
])

const directiveName = /^[a-z]+(-[a-z]+)*$/
const directiveValue = /^[\x21-\x2b\x2d-\x3a\x3c-\x7e]*( +[\x21-\x2b\x2d-\x3a\x3c-\x7e]+)*$/

/** Returns the problem of the setting `security.contentSecurityPolicy`, as text that follows the key in the error message. */
export function findPolicyProblem(directives: Texts): string | undefined {
  for (const [name, value] of directives) {
    if (!directiveName.test(name)) return `names ${JSON.stringify(name)}, which is not a directive`
    if (!directiveValue.test(value))
      return `has sources of ${name} with a comma, a semicolon or a control character`
  }
  return undefined
}

function addSource(directives: Map<string, string>, name: string, source: string): void {
  const sources = directives.get(name) ?? directives.get('default-src')
  if (sources !== undefined)
    directives.set(name, sources === "'none'" ? source : `${sources} ${source}`)
}

/** What the application adds to the directives of its policies. */
export interface PolicyAdditions {
  /** Vite's development server, whose modules, styles, images, fonts and WebSocket the policy permits. */
  readonly assetServer?: string | undefined
  /** The hosts to which a form may lead by a redirect; browsers apply `form-action` to redirects too. */
  readonly redirectHosts: readonly string[]
  /** The path that receives reports; undefined if none does. */
  readonly reportPath?: string | undefined
  /** The name of that path in the header `Reporting-Endpoints`; undefined if the response does not have it. */
  readonly reportGroup?: string | undefined
}

/** Returns the directives of pages without inline scripts and styles. */
export function policyDirectives(
  changes: Texts,
  additions: PolicyAdditions = { redirectHosts: [] },
): Map<string, string> {
  const { assetServer: server, redirectHosts, reportPath, reportGroup } = additions
  const directives = new Map([...defaultDirectives, ...changes])
  if (!changes.has('form-action'))
    for (const host of redirectHosts) addSource(directives, 'form-action', host)
  if (reportPath !== undefined && !changes.has('report-uri') && !changes.has('report-to')) {
    directives.set('report-uri', reportPath)
    if (reportGroup !== undefined) directives.set('report-to', reportGroup)
  }
  for (const [name, value] of changes) if (value === off) directives.delete(name)
  if (server !== undefined) {
    for (const name of ['script-src', 'style-src', 'img-src', 'font-src'])
      addSource(directives, name, server)
    addSource(directives, 'connect-src', `${server} ${server.replace(/^http/, 'ws')}`)
  }
  return directives
}

const format = (directives: Texts): string =>
  [...directives].map(([name, value]) => `${name} ${value}`.trim()).join('; ')

/** A placeholder that is replaced by the nonce, so that the policy is built only once. */
const nonceMark = '\0'

/**
 * Adds the nonce to the directives of scripts and styles. Not to a directive with `'unsafe-inline'`, which browsers would
 * then ignore. Scripts with `'strict-dynamic'` need both, for old browsers.
 */
function addNonce(directives: Map<string, string>): void {
  for (const name of ['script-src', 'style-src']) {
    const sources = directives.get(name) ?? directives.get('default-src') ?? ''
    if (!sources.includes("'unsafe-inline'") || sources.includes("'strict-dynamic'"))
      addSource(directives, name, `'nonce-${nonceMark}'`)
  }
}

/**
 * Returns the directive to which the hashes of style attributes are added; '' if the settings permit or forbid all style
 * attributes. It replaces `style-src` for attributes, so that it needs the hashes of that directive.
 */
function styleDirective(directives: Texts): string {
  const sources = directives.get('style-src') ?? directives.get('default-src')
  const isOpen = sources === undefined || sources.includes("'unsafe-inline'")
  if (isOpen || directives.has('style-src-attr')) return ''
  const hashes = sources.match(/'sha\d+-[^']*'/g) ?? []
  return ["; style-src-attr 'unsafe-hashes'", ...hashes].join(' ')
}

/** A policy, which is enforced or only reports. */
export class Policy {
  readonly name: string
  /** The policy of pages without inline scripts and styles. */
  readonly plain: string
  /** The parts of the policy between which a page's nonce belongs. */
  readonly #aroundNonce: readonly string[]
  readonly #styles: string

  constructor(name: string, changes: Texts, additions: PolicyAdditions) {
    const directives = policyDirectives(changes, additions)
    this.name = name
    this.plain = format(directives)
    this.#styles = styleDirective(directives)
    addNonce(directives)
    this.#aroundNonce = format(directives).split(nonceMark)
  }

  /** Returns the policy of a page with a nonce, and with the hashes of style attributes. */
  ofPage(nonce: string | undefined, styles: string | undefined): string {
    const policy = nonce === undefined ? this.plain : this.#aroundNonce.join(nonce)
    return styles === undefined || this.#styles === ''
      ? policy
      : `${policy}${this.#styles} ${styles}`
  }
}

/** Receives browsers' reports of violations of the Content-Security-Policy, and logs each kind of violation once a day. */
import { redactPath } from '../action.ts'
import { HttpError, redacted, redactText, type Logger } from '../base.ts'
import {
  HttpResponse,
  parseJson,
  parsePath,
  RequestBody,
  type Handler,
  type HttpRequest,
} from '../http.ts'
import { plainResponse } from '../server.ts'
import type { LiveRoutes } from './mount-table.ts'

/** The bytes of the largest body. */
const maxBody = 64 * 1024
/** The number of bodies that are read in a minute. */
const maxRequests = 60
const minute = 60_000
/** The number of reports of one body that are read. */
const maxReports = 20
/** The number of kinds of violations that a process logs in a day. */
const maxKinds = 1_000
const day = 24 * 60 * minute
/** The longest logged text in characters. */
const maxText = 200
/** The longest logged path in characters. Longer ones would take long to redact. */
const maxPath = 2_000
/** The methods of the routes that determine which parts of a path are secret: forms can name all of them. */
const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']

/** The properties that are logged, with their names in `application/csp-report` and in `application/reports+json`. */
const properties = {
  disposition: ['disposition', 'disposition'],
  directive: ['effective-directive', 'effectiveDirective'],
  blocked: ['blocked-uri', 'blockedURL'],
  page: ['document-uri', 'documentURL'],
  source: ['source-file', 'sourceFile'],
  line: ['line-number', 'lineNumber'],
} as const

type Violation = Partial<Record<keyof typeof properties, string | number>>

/** The application that receives the reports. */
interface Receiver {
  readonly logger: Logger
  /** Its routes, whose parameters with secret names are redacted. */
  readonly live: LiveRoutes
  /** Completes a response that no route has created. */
  readonly finish: (response: HttpResponse) => HttpResponse
}

/** Returns a handler that responds to the reports at `path`, and passes all other requests on. */
export function withPolicyReports(handler: Handler, path: string, receiver: Receiver): Handler {
  const reports = new PolicyReports(receiver)
  return (request) =>
    request.target === path ? reports.respond(request).then(receiver.finish) : handler(request)
}

/** A span of time that begins again with the first use after its end. */
class Period {
  readonly #millis: number
  #start = -Infinity

  constructor(millis: number) {
    this.#millis = millis
  }

  /** Returns true if a new period has begun. */
  begins(): boolean {
    const now = performance.now()
    if (now - this.#start < this.#millis) return false
    this.#start = now
    return true
  }
}

class PolicyReports {
  readonly #receiver: Receiver
  readonly #logged = new Set<string>()
  readonly #minute = new Period(minute)
  readonly #day = new Period(day)
  #requests = 0

  constructor(receiver: Receiver) {
    this.#receiver = receiver
  }

  /** Responds with 204, or refuses the request. Never rejects. */
  async respond(request: HttpRequest): Promise<HttpResponse> {
    if (request.method !== 'POST') return refuse(405, 'Allow', 'POST')
    if (!this.#mayRead()) return refuse(429, 'Retry-After', minute / 1000)
    try {
      for (const violation of await readViolations(request, this.#receiver.live))
        this.#log(violation)
      return new HttpResponse(204)
    } catch (error) {
      if (error instanceof HttpError) return plainResponse(error.status, error.message)
      this.#receiver.logger.error({ err: error }, 'a report about the policy cannot be read')
      return plainResponse(500)
    }
  }

  #mayRead(): boolean {
    if (this.#minute.begins()) this.#requests = 0
    return ++this.#requests <= maxRequests
  }

  #log(violation: Violation): void {
    const { logger } = this.#receiver
    const logged = this.#logged
    if (this.#day.begins()) logged.clear()
    const kind = describeKind(violation)
    if (kind === '{}' || logged.has(kind) || logged.size === maxKinds) return
    logged.add(kind)
    logger.warn(violation, 'a page violates the Content-Security-Policy')
    if (logged.size === maxKinds)
      logger.warn({ maxKinds }, 'further violations of the policy are not logged for up to a day')
  }
}

/** Returns the violation as text, without the page. The source of an inline script is the page too. */
function describeKind({ page, source, ...others }: Violation): string {
  return JSON.stringify(source === page ? others : { source, ...others })
}

function refuse(status: number, header: string, value: string | number): HttpResponse {
  const response = plainResponse(status)
  response.headers.set(header, value)
  return response
}

/** @throws HttpError 400, 413 or 415 */
async function readViolations(request: HttpRequest, live: LiveRoutes): Promise<Violation[]> {
  const body = new RequestBody(request, maxBody)
  const type = body.contentType?.essence
  if (type === 'application/csp-report')
    return [readViolation(member(parseJson(await body.text()), 'csp-report'), 0, live)]
  if (type !== 'application/reports+json')
    throw new HttpError(415, 'http.content-type-invalid', 'The body must be a report.')
  const reports = parseJson(await body.text())
  return (Array.isArray(reports) ? reports.slice(0, maxReports) : [])
    .filter((report) => member(report, 'type') === 'csp-violation')
    .map((report) => readViolation(member(report, 'body'), 1, live))
}

function readViolation(report: unknown, format: 0 | 1, live: LiveRoutes): Violation {
  const violation: Violation = {}
  for (const [name, names] of Object.entries(properties)) {
    const value = member(report, names[format])
    if (typeof value === 'string')
      violation[name as keyof Violation] = redactUrl(value, live).slice(0, maxText)
    else if (typeof value === 'number') violation[name as keyof Violation] = value
  }
  return violation
}

const member = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? (value as Readonly<Record<string, unknown>>)[name]
    : undefined

/**
 * Removes the query, which may contain secrets and would make each violation a different one. Redacts the path as in the access
 * log. Texts such as `inline` remain.
 */
function redactUrl(text: string, live: LiveRoutes): string {
  const url = text.split(/[?#]/, 1)[0]!
  const [origin] = /^[a-z]+:\/\/[^/]*(?=\/)/i.exec(url) ?? [url]
  return redactText(origin + redactUrlPath(url.slice(origin.length), live))
}

function redactUrlPath(text: string, { current: { table } }: LiveRoutes): string {
  if (text === '') return ''
  if (text.length > maxPath) return `/${redacted}`
  try {
    const path = parsePath(text)
    return methods.reduce(
      (left, method) =>
        redactPath(left, { firstMatch: table.lookup(method, path), match: undefined }),
      text,
    )
  } catch {
    // No route has a malformed path, so any part may be secret.
    return `/${redacted}`
  }
}

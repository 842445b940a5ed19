/** A status with body and headers as one value, and a builder for each status an action may return. */
import type { Cookie } from './cookies.ts'
import { checkedStatus } from './status.ts'

/** What a builder takes beside body and headers. */
export interface ActionResultOptions {
  /** Sent in place of the standard phrase on HTTP/1.x. */
  readonly reason?: string
  /** Wins over a Content-Type inferred from the body; a Content-Type among the headers wins over this. */
  readonly contentType?: string
  /** In place of utf-8 in the Content-Type. */
  readonly charset?: string
  readonly cookies?: readonly Cookie[]
}

/** Header names to values; each replaces what the response had. */
export type ActionHeaders = Readonly<Record<string, string>>

/** A finished answer that an action, a filter or `halt` may give. */
export class ActionResult {
  readonly status: number
  /** Undefined: no body. Else any result value, rendered as if the action had returned it. */
  readonly body: unknown
  readonly headers: ActionHeaders
  readonly reason: string | undefined
  readonly contentType: string | undefined
  readonly charset: string | undefined
  readonly cookies: readonly Cookie[]

  /** @throws FwError `http.status-invalid` */
  constructor(
    status: number,
    body?: unknown,
    headers: ActionHeaders = {},
    options: ActionResultOptions = {},
  ) {
    this.status = checkedStatus(status)
    this.body = body
    this.headers = headers
    this.reason = options.reason
    this.contentType = options.contentType
    this.charset = options.charset
    this.cookies = options.cookies ?? []
  }
}

/** Makes a result with a body. */
export type BodyResult = (
  body?: unknown,
  headers?: ActionHeaders,
  options?: ActionResultOptions,
) => ActionResult
/** Makes a result that never has a body. */
export type EmptyResult = (headers?: ActionHeaders, options?: ActionResultOptions) => ActionResult
/** Makes a redirect; `location` is sent as it is, without any check: `redirect` is the safe way. */
export type LocationResult = (
  location: string,
  headers?: ActionHeaders,
  options?: ActionResultOptions,
) => ActionResult

function withBody(status: number): BodyResult {
  return (body, headers, options) => new ActionResult(status, body, headers, options)
}

function withoutBody(status: number): EmptyResult {
  return (headers, options) => new ActionResult(status, undefined, headers, options)
}

function withLocation(status: number): LocationResult {
  return (location, headers, options) =>
    new ActionResult(status, undefined, { Location: location, ...headers }, options)
}

/** 200. */
export const Ok = withBody(200)
/** 201. */
export const Created = withBody(201)
/** 202. */
export const Accepted = withBody(202)
/** 203. */
export const NonAuthoritativeInformation = withBody(203)
/** 206. */
export const PartialContent = withBody(206)
/** 207. */
export const MultiStatus = withBody(207)
/** 208. */
export const AlreadyReported = withBody(208)
/** 226. */
export const IMUsed = withBody(226)
/** 300. */
export const MultipleChoices = withBody(300)
/** 400. */
export const BadRequest = withBody(400)
/** 401. */
export const Unauthorized = withBody(401)
/** 402. */
export const PaymentRequired = withBody(402)
/** 403. */
export const Forbidden = withBody(403)
/** 404. */
export const NotFound = withBody(404)
/** 405. */
export const MethodNotAllowed = withBody(405)
/** 406. */
export const NotAcceptable = withBody(406)
/** 407. */
export const ProxyAuthenticationRequired = withBody(407)
/** 408. */
export const RequestTimeout = withBody(408)
/** 409. */
export const Conflict = withBody(409)
/** 410. */
export const Gone = withBody(410)
/** 411. */
export const LengthRequired = withBody(411)
/** 412. */
export const PreconditionFailed = withBody(412)
/** 413. */
export const RequestEntityTooLarge = withBody(413)
/** 414. */
export const RequestURITooLong = withBody(414)
/** 415. */
export const UnsupportedMediaType = withBody(415)
/** 416. */
export const RequestedRangeNotSatisfiable = withBody(416)
/** 417. */
export const ExpectationFailed = withBody(417)
/** 422. */
export const UnprocessableEntity = withBody(422)
/** 423. */
export const Locked = withBody(423)
/** 424. */
export const FailedDependency = withBody(424)
/** 426. */
export const UpgradeRequired = withBody(426)
/** 428. */
export const PreconditionRequired = withBody(428)
/** 429. */
export const TooManyRequests = withBody(429)
/** 431. */
export const RequestHeaderFieldsTooLarge = withBody(431)
/** 500. */
export const InternalServerError = withBody(500)
/** 501. */
export const NotImplemented = withBody(501)
/** 502. */
export const BadGateway = withBody(502)
/** 503. */
export const ServiceUnavailable = withBody(503)
/** 504. */
export const GatewayTimeout = withBody(504)
/** 505. */
export const HTTPVersionNotSupported = withBody(505)
/** 506. */
export const VariantAlsoNegotiates = withBody(506)
/** 507. */
export const InsufficientStorage = withBody(507)
/** 508. */
export const LoopDetected = withBody(508)
/** 510. */
export const NotExtended = withBody(510)
/** 511. */
export const NetworkAuthenticationRequired = withBody(511)
/** 204, without body. */
export const NoContent = withoutBody(204)
/** 205, without body. */
export const ResetContent = withoutBody(205)
/** 304, without body. */
export const NotModified = withoutBody(304)
/** 301 to the given location. */
export const MovedPermanently = withLocation(301)
/** 302 to the given location. */
export const Found = withLocation(302)
/** 303 to the given location. */
export const SeeOther = withLocation(303)
/** 305 to the given location. */
export const UseProxy = withLocation(305)
/** 307 to the given location. */
export const TemporaryRedirect = withLocation(307)
/** 308 to the given location. */
export const PermanentRedirect = withLocation(308)

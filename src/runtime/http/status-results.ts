/** Functions that build the result for each status, such as `NotFound(body)`. */
import { ActionResult, type ActionHeaders, type ActionResultOptions } from './action-result.ts'

/** Builds a result with a body. */
export type BodyResult<S extends number = number> = <B = undefined>(
  body?: B,
  headers?: ActionHeaders,
  options?: ActionResultOptions,
) => ActionResult<S, B>
/** Builds a result without a body. */
export type EmptyResult<S extends number = number> = (
  headers?: ActionHeaders,
  options?: ActionResultOptions,
) => ActionResult<S, undefined>
/** Builds a redirect without checking `location`. For a location from user input use `redirect`, which rejects other hosts. */
export type LocationResult<S extends number = number> = (
  location: string,
  headers?: ActionHeaders,
  options?: ActionResultOptions,
) => ActionResult<S, undefined>

function withBody<const S extends number>(status: S): BodyResult<S> {
  return (body, headers, options) => new ActionResult(status, body, headers, options)
}

function withoutBody<const S extends number>(status: S): EmptyResult<S> {
  return (headers, options) => new ActionResult(status, undefined, headers, options)
}

function withLocation<const S extends number>(status: S): LocationResult<S> {
  return (location, headers, options) =>
    new ActionResult(status, undefined, { Location: location, ...headers }, options)
}

/** Builds a result with the status of this name and a body. */
export const Ok = withBody(200),
  Created = withBody(201),
  Accepted = withBody(202),
  NonAuthoritativeInformation = withBody(203),
  PartialContent = withBody(206),
  MultiStatus = withBody(207),
  AlreadyReported = withBody(208),
  IMUsed = withBody(226),
  MultipleChoices = withBody(300),
  BadRequest = withBody(400),
  Unauthorized = withBody(401),
  PaymentRequired = withBody(402),
  Forbidden = withBody(403),
  NotFound = withBody(404),
  MethodNotAllowed = withBody(405),
  NotAcceptable = withBody(406),
  ProxyAuthenticationRequired = withBody(407),
  RequestTimeout = withBody(408),
  Conflict = withBody(409),
  Gone = withBody(410),
  LengthRequired = withBody(411),
  PreconditionFailed = withBody(412),
  RequestEntityTooLarge = withBody(413),
  RequestURITooLong = withBody(414),
  UnsupportedMediaType = withBody(415),
  RequestedRangeNotSatisfiable = withBody(416),
  ExpectationFailed = withBody(417),
  UnprocessableEntity = withBody(422),
  Locked = withBody(423),
  FailedDependency = withBody(424),
  UpgradeRequired = withBody(426),
  PreconditionRequired = withBody(428),
  TooManyRequests = withBody(429),
  RequestHeaderFieldsTooLarge = withBody(431),
  InternalServerError = withBody(500),
  NotImplemented = withBody(501),
  BadGateway = withBody(502),
  ServiceUnavailable = withBody(503),
  GatewayTimeout = withBody(504),
  HTTPVersionNotSupported = withBody(505),
  VariantAlsoNegotiates = withBody(506),
  InsufficientStorage = withBody(507),
  LoopDetected = withBody(508),
  NotExtended = withBody(510),
  NetworkAuthenticationRequired = withBody(511)

/** Builds a result with the status of this name and without a body. */
export const NoContent = withoutBody(204),
  ResetContent = withoutBody(205),
  NotModified = withoutBody(304)

/** Builds a redirect with the status of this name. */
export const MovedPermanently = withLocation(301),
  Found = withLocation(302),
  SeeOther = withLocation(303),
  UseProxy = withLocation(305),
  TemporaryRedirect = withLocation(307),
  PermanentRedirect = withLocation(308)

/** Rejects malformed requests, and requests for unknown hosts, before they reach the application. */
import type { IncomingMessage } from 'node:http'
import { FwError, HttpError } from '../base.ts'
import type { ResolvedSettings } from './server-settings.ts'

const hostSyntax = /^(?:[A-Za-z0-9._-]{1,253}|\[[0-9A-Fa-f:.]{2,45}\])(?::(\d{1,5}))?$/

/** Returns true for `name`, `name:port`, `[ipv6]` and `[ipv6]:port`, with a port up to 65535. */
export function isHost(host: string): boolean {
  const match = hostSyntax.exec(host)
  return match !== null && Number(match[1] ?? 0) <= 65_535
}

/**
 * Returns a function that checks whether the setting `hosts` contains a host, which must be valid (`isHost`) or ''.
 * @throws FwError `server.setting-invalid`
 */
function hostMatcher(hosts: readonly string[]): (host: string) => boolean {
  const names = new Set<string>()
  const suffixes: string[] = []
  for (const host of hosts) {
    if (host === '*') continue
    const bare = host.startsWith('*.') ? host.slice(2) : host
    if (!isHost(bare) || withoutPort(bare) !== bare) {
      throw new FwError(
        'server.setting-invalid',
        `The host ${JSON.stringify(host)} in the setting server.hosts is not a name: write example.com, *.example.com, [::1] or *, without a port.`,
      )
    }
    if (host.startsWith('*.')) suffixes.push('.' + bare.toLowerCase())
    else names.add(bare.toLowerCase())
  }
  if (hosts.includes('*')) return () => true
  return (host) => {
    const name = withoutPort(host).toLowerCase()
    return names.has(name) || suffixes.some((suffix) => name.endsWith(suffix))
  }
}

function withoutPort(host: string): string {
  const colon = host.lastIndexOf(':')
  return colon === -1 || host.endsWith(']') ? host : host.slice(0, colon)
}

/** The methods that an application may route, in the format of the header `Allow`. */
export const servedMethods = 'GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS, QUERY'
const served: ReadonlySet<string> = new Set(servedMethods.split(', '))

export function requestRefused(status: number, message: string): HttpError {
  return new HttpError(status, 'server.request-refused', message)
}

/** Returns whether a health probe may get its response. A wrong host is allowed, because probes use the node's address as host. */
export const mayBeProbe = (problem: HttpError | undefined): boolean =>
  problem === undefined || problem.code === 'server.host-refused'

/** Validates the requests of one container. */
export class RequestValidator {
  readonly #serves: (host: string) => boolean
  readonly #maxTargetLength: number
  readonly #maxHeaders: number
  // The last accepted host. Most requests have the same host as the previous request, which needs no second check.
  #lastServed: string | undefined

  /** @throws FwError `server.setting-invalid` */
  constructor(settings: Pick<ResolvedSettings, 'hosts' | 'maxTargetLength' | 'maxHeaders'>) {
    this.#serves = hostMatcher(settings.hosts)
    this.#maxTargetLength = settings.maxTargetLength
    this.#maxHeaders = settings.maxHeaders
  }

  /** Returns the error; undefined for a valid request. The caller must close the connection after an error. */
  validate(request: IncomingMessage): HttpError | undefined {
    const { httpVersion, method = '', url = '' } = request
    if (httpVersion !== '1.1' && httpVersion !== '1.0')
      return requestRefused(505, 'Only HTTP/1.0 and HTTP/1.1 are supported.')
    return (
      this.validateMethod(method) ??
      this.validateTarget(method, url) ??
      this.#validateHeaders(request)
    )
  }

  validateMethod(method: string): HttpError | undefined {
    if (served.has(method)) return undefined
    return method === 'TRACE' || method === 'CONNECT'
      ? requestRefused(405, 'The method is not allowed.')
      : requestRefused(501, 'The method is not implemented.')
  }

  validateTarget(method: string, target: string): HttpError | undefined {
    if (target.length > this.#maxTargetLength)
      return requestRefused(414, 'The request target is too long.')
    if (target.includes('#')) return requestRefused(400, 'The request target contains a fragment.')
    if (target.charCodeAt(0) === 0x2f || (target === '*' && method === 'OPTIONS')) return undefined
    return splitAbsolute(target) === undefined
      ? requestRefused(400, 'The request target is malformed.')
      : undefined
  }

  /** Returns the error; undefined for a valid host. `host` is the value of the header, or '' if the request has none. */
  validateHost(host: string, header = 'Host'): HttpError | undefined {
    if (host === this.#lastServed) return undefined
    if (host !== '' && !isHost(host))
      return requestRefused(400, `The ${header} header is malformed.`)
    if (!this.#serves(host))
      return new HttpError(
        400,
        'server.host-refused',
        `The host of the ${header} header is not served here: it is not in the setting server.hosts.`,
      )
    this.#lastServed = host
    return undefined
  }

  #validateHeaders({ rawHeaders, httpVersion, url = '' }: IncomingMessage): HttpError | undefined {
    if (rawHeaders.length > this.#maxHeaders * 2)
      return requestRefused(431, 'The request has too many headers.')
    let host: string | undefined
    let seen = 0
    for (let i = 0; i < rawHeaders.length; i += 2) {
      const bit = singleHeaderBit(rawHeaders[i]!)
      if (bit === 0) continue
      const value = rawHeaders[i + 1]!
      if (bit === expectBit) {
        // HTTP/1.0 does not define the header `Expect`, so it is ignored.
        if (httpVersion !== '1.1' || value.toLowerCase() === '100-continue') continue
        return requestRefused(417, 'The only supported expectation is 100-continue.')
      }
      if ((seen & bit) !== 0)
        return requestRefused(400, `The header ${rawHeaders[i]!.toLowerCase()} was sent twice.`)
      seen |= bit
      if (bit === hostBit) host = value
      else if (bit === transferEncodingBit) {
        if (httpVersion === '1.1' && value.toLowerCase() === 'chunked') continue
        return requestRefused(400, 'The only supported transfer coding is chunked, in HTTP/1.1.')
      }
    }
    if (host === '' || (host === undefined && httpVersion === '1.1'))
      return requestRefused(400, 'The Host header is missing.')
    return this.validateHost(host ?? '') ?? validateAuthority(url, host)
  }
}

const hostBit = 1
const transferEncodingBit = 2
const contentLengthBit = 4
const contentTypeBit = 8
const authorizationBit = 16
const expectBit = 32

// Returns 0 for a header that may be repeated. Compares lengths first, because most names then need no comparison.
function singleHeaderBit(name: string): number {
  switch (name.length) {
    case 4:
      return name.toLowerCase() === 'host' ? hostBit : 0
    case 6:
      return name.toLowerCase() === 'expect' ? expectBit : 0
    case 12:
      return name.toLowerCase() === 'content-type' ? contentTypeBit : 0
    case 13:
      return name.toLowerCase() === 'authorization' ? authorizationBit : 0
    case 14:
      return name.toLowerCase() === 'content-length' ? contentLengthBit : 0
    case 17:
      return name.toLowerCase() === 'transfer-encoding' ? transferEncodingBit : 0
    default:
      return 0
  }
}

function validateAuthority(url: string, host: string | undefined): HttpError | undefined {
  if (url.charCodeAt(0) === 0x2f) return undefined
  const absolute = splitAbsolute(url)
  return absolute !== undefined && absolute.host.toLowerCase() !== host?.toLowerCase()
    ? requestRefused(400, 'The request target names another host than the Host header.')
    : undefined
}

const absoluteForm = /^https?:\/\/([^/?#@]+)/i

/** Splits `http://host/path?query` into the host and the target `/path?query`; undefined for a text of another form. */
export function splitAbsolute(url: string): { host: string; target: string } | undefined {
  const match = absoluteForm.exec(url)
  if (match === null || !isHost(match[1]!)) return undefined
  const rest = url.slice(match[0].length)
  if (rest !== '' && rest[0] !== '/' && rest[0] !== '?') return undefined
  return { host: match[1]!, target: rest[0] === '/' ? rest : '/' + rest }
}

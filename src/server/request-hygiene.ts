/** Refuses what a request must not be, before the application sees it. */
import { HttpError } from '../base.ts'
import { HostList, isHost } from './host-list.ts'
import type { ResolvedSettings } from './server-settings.ts'

/** The parts of Node's request that are looked at. */
export interface RawRequest {
  readonly method?: string | undefined
  readonly url?: string | undefined
  readonly httpVersion: string
  readonly rawHeaders: readonly string[]
}

/** The methods an application may route, as `Allow` lists them. */
export const servedMethods = 'GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS, QUERY'
const served: ReadonlySet<string> = new Set(servedMethods.split(', '))

function refused(status: number, message: string): HttpError {
  return new HttpError(status, 'server.request-refused', message)
}

/** The rules of one container, ready to be asked for each request. */
export class RequestHygiene {
  readonly #hosts: HostList
  readonly #maxTargetLength: number
  readonly #maxHeaders: number

  /** @throws FwError `server.setting-invalid` */
  constructor(settings: Pick<ResolvedSettings, 'hosts' | 'maxTargetLength' | 'maxHeaders'>) {
    this.#hosts = new HostList(settings.hosts)
    this.#maxTargetLength = settings.maxTargetLength
    this.#maxHeaders = settings.maxHeaders
  }

  /** What is wrong with the request; undefined when it may go on. The connection must be closed after a refusal. */
  refusal(request: RawRequest): HttpError | undefined {
    const { httpVersion } = request
    if (httpVersion !== '1.1' && httpVersion !== '1.0') {
      return refused(505, 'Only HTTP/1.0 and HTTP/1.1 are spoken here.')
    }
    return (
      this.refusedMethod(request.method ?? '') ??
      this.refusedTarget(request.method ?? '', request.url ?? '') ??
      this.#refusedHeaders(request)
    )
  }

  refusedMethod(method: string): HttpError | undefined {
    if (served.has(method)) return undefined
    return method === 'TRACE' || method === 'CONNECT'
      ? refused(405, 'The method is not allowed.')
      : refused(501, 'The method is not implemented.')
  }

  refusedTarget(method: string, target: string): HttpError | undefined {
    if (target.length > this.#maxTargetLength)
      return refused(414, 'The request target is too long.')
    if (target.includes('#')) return refused(400, 'The request target holds a fragment.')
    if (target.charCodeAt(0) === 0x2f || (target === '*' && method === 'OPTIONS')) return undefined
    return splitAbsolute(target) === undefined
      ? refused(400, 'The request target is malformed.')
      : undefined
  }

  /** `host` is what the client addressed, '' when it named none. */
  refusedHost(host: string): HttpError | undefined {
    if (this.#hosts.servedLast(host)) return undefined
    if (host !== '' && !isHost(host)) return refused(400, 'The Host header is malformed.')
    if (this.#hosts.serves(host)) return undefined
    return new HttpError(
      400,
      'server.host-refused',
      'This host is not served here: it is not in the setting server.hosts.',
    )
  }

  #refusedHeaders({ rawHeaders, httpVersion, url = '' }: RawRequest): HttpError | undefined {
    if (rawHeaders.length > this.#maxHeaders * 2)
      return refused(431, 'The request has too many headers.')
    let host: string | undefined
    let seen = 0
    for (let i = 0; i < rawHeaders.length; i += 2) {
      const single = singleHeader(rawHeaders[i]!)
      if (single === 0) continue
      if (single === expectBit) {
        if (isContinue(rawHeaders[i + 1]!, httpVersion)) continue
        return refused(417, 'The only expectation that is met is 100-continue.')
      }
      if ((seen & single) !== 0)
        return refused(400, `The header ${rawHeaders[i]!.toLowerCase()} was sent twice.`)
      seen |= single
      if (single === hostBit) host = rawHeaders[i + 1]!
      else if (single === transferEncodingBit && !isChunked(rawHeaders[i + 1]!, httpVersion)) {
        return refused(400, 'The only transfer coding is chunked, in HTTP/1.1.')
      }
    }
    if (host === undefined || host === '') {
      if (host === '' || httpVersion === '1.1') return refused(400, 'The Host header is missing.')
    }
    return this.refusedHost(host ?? '') ?? otherAuthority(url, host)
  }
}

const hostBit = 1
const transferEncodingBit = 2
const contentLengthBit = 4
const contentTypeBit = 8
const authorizationBit = 16
const expectBit = 32

// By length first: most headers are told apart without reading them.
function singleHeader(name: string): number {
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

function isChunked(value: string, httpVersion: string): boolean {
  return httpVersion === '1.1' && value.toLowerCase() === 'chunked'
}

// HTTP/1.0 has no expectations.
function isContinue(value: string, httpVersion: string): boolean {
  return httpVersion !== '1.1' || value.toLowerCase() === '100-continue'
}

function otherAuthority(url: string, host: string | undefined): HttpError | undefined {
  if (url.charCodeAt(0) === 0x2f) return undefined
  const absolute = splitAbsolute(url)
  return absolute !== undefined && absolute.host.toLowerCase() !== host?.toLowerCase()
    ? refused(400, 'The request target names another host than the Host header.')
    : undefined
}

const absoluteForm = /^https?:\/\/([^/?#@]+)/i

/** Authority and origin-form target of `http://host/path?query`; undefined for anything else. */
export function splitAbsolute(url: string): { host: string; target: string } | undefined {
  const match = absoluteForm.exec(url)
  if (match === null || !isHost(match[1]!)) return undefined
  const rest = url.slice(match[0].length)
  if (rest !== '' && rest[0] !== '/' && rest[0] !== '?') return undefined
  return { host: match[1]!, target: rest[0] === '/' ? rest : '/' + rest }
}

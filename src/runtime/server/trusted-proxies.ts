/** Reads the client's address, scheme and host from the `X-Forwarded-*` headers of trusted proxies. */
import { BlockList, isIP } from 'node:net'
import { FwError } from '../base.ts'
import { isHost } from './request-validator.ts'

/** The client's connection, with the values of trusted `X-Forwarded-*` headers in place of the socket's. */
export interface ClientConnection {
  readonly remoteAddress: string
  readonly scheme: 'http' | 'https'
  readonly host: string
  /** True if a configured proxy sent the request. */
  readonly isProxied?: boolean
}

type HeaderReader = (name: string) => string | undefined

// Characters. A longer `X-Forwarded-*` header is ignored.
const maxForwardedLength = 2048

/** Reads X-Forwarded-For from right to left, and the last entries of -Proto and -Host. Ignores the header `Forwarded`. */
export class TrustedProxies {
  readonly #hops: number
  readonly #ranges: BlockList | undefined

  /** @throws FwError `server.setting-invalid` */
  constructor(trusted: readonly string[] | number) {
    this.#hops = typeof trusted === 'number' ? trusted : 0
    if (typeof trusted !== 'number' && trusted.length > 0) this.#ranges = parseRanges(trusted)
  }

  /** True if a proxy is configured. */
  get active(): boolean {
    return this.#hops > 0 || this.#ranges !== undefined
  }

  /** Returns the client's connection. `direct` has the values of the socket and the Host header. */
  resolve(direct: ClientConnection, header: HeaderReader): ClientConnection {
    const peer = plainAddress(direct.remoteAddress)
    if (!this.active || !this.#trusts(peer, 0)) return direct
    const chain = parseForwarded(header('x-forwarded-for'))
    let remoteAddress = peer
    let hops = 1
    for (let at = chain.length - 1; at >= 0; at--, hops++) {
      const address = plainAddress(chain[at]!)
      if (isIP(address) === 0) break
      remoteAddress = address
      if (!this.#trusts(address, hops)) break
    }
    return { remoteAddress, isProxied: true, ...this.#addressed(direct, header) }
  }

  #addressed(direct: ClientConnection, header: HeaderReader) {
    const scheme = parseForwarded(header('x-forwarded-proto')).at(-1)?.toLowerCase()
    const host = parseForwarded(header('x-forwarded-host')).at(-1)
    return {
      scheme: scheme === 'https' || scheme === 'http' ? scheme : direct.scheme,
      host: host !== undefined && isHost(host) ? host : direct.host,
    }
  }

  #trusts(address: string, hops: number): boolean {
    if (this.#ranges === undefined) return hops < this.#hops
    const family = isIP(address)
    return family !== 0 && this.#ranges.check(address, family === 6 ? 'ipv6' : 'ipv4')
  }
}

function parseRanges(trusted: readonly string[]): BlockList {
  const ranges = new BlockList()
  for (const range of trusted) {
    const [address = '', prefix] = range.split('/')
    const family = isIP(address)
    const widest = family === 6 ? 128 : 32
    const bits = prefix === undefined ? widest : /^\d{1,3}$/.test(prefix) ? Number(prefix) : -1
    if (family === 0 || bits < 0 || bits > widest) {
      throw new FwError(
        'server.setting-invalid',
        `${JSON.stringify(range)} in the setting server.trustedProxies is not an address or CIDR range: write 10.0.0.0/8 or ::1, or how many proxies there are, alone.`,
      )
    }
    ranges.addSubnet(address, bits, family === 6 ? 'ipv6' : 'ipv4')
  }
  return ranges
}

function parseForwarded(header: string | undefined): string[] {
  if (header === undefined || header.length > maxForwardedLength) return []
  return header.split(',').map((entry) => entry.trim())
}

// Removes the prefix `::ffff:`, with which a dual-stack socket reports IPv4 addresses, and the port that some proxies append.
function plainAddress(address: string): string {
  if (address.startsWith('::ffff:') && address.includes('.')) return address.slice(7)
  if (address.startsWith('[')) return address.slice(1, Math.max(address.indexOf(']'), 1))
  const colon = address.indexOf(':')
  return colon !== -1 && colon === address.lastIndexOf(':') ? address.slice(0, colon) : address
}

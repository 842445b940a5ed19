/** Reads the client's address, scheme and host from the `X-Forwarded-*` headers of trusted proxies. */
import { BlockList, isIP } from 'node:net'
import { FwError } from '../base.ts'
import type { ResolvedSettings } from './server-settings.ts'

/** The client's connection, with the values of trusted `X-Forwarded-*` headers in place of the socket's. */
export interface ClientConnection {
  readonly remoteAddress: string
  readonly scheme: 'http' | 'https'
  readonly host: string
  /** True if a configured proxy sent the request. */
  readonly isProxied?: boolean
}

type ForwardingSettings = Pick<ResolvedSettings, 'trustedProxies' | 'forwardedHost'>

type HeaderReader = (name: string) => string | undefined

/**
 * Reads the `X-Forwarded-*` headers of trusted proxies. The client is the right-most address of `X-Forwarded-For` that is
 * not a proxy's. Its scheme and host are the entries at the same position from the right, because a proxy that appends to
 * one header appends to all. A header with fewer entries was replaced or passed on, so its first entry counts. Ignores the
 * header `Forwarded`.
 */
export class TrustedProxies {
  readonly #ranges: BlockList | undefined
  readonly #readsHost: boolean

  /** @throws FwError `server.setting-invalid` */
  constructor({ trustedProxies, forwardedHost }: ForwardingSettings) {
    if (trustedProxies.length > 0) this.#ranges = parseRanges(trustedProxies)
    this.#readsHost = forwardedHost
  }

  /** True if a proxy is configured. */
  get active(): boolean {
    return this.#ranges !== undefined
  }

  /**
   * Returns the client's connection. `direct` has the values of the socket and the Host header. The returned host is not
   * validated.
   */
  resolve(direct: ClientConnection, header: HeaderReader): ClientConnection {
    let remoteAddress = plainAddress(direct.remoteAddress)
    if (!this.#trusts(remoteAddress)) return direct
    const addresses = header('x-forwarded-for') ?? ''
    let position = 0
    for (let end = addresses.length; end > 0 && this.#trusts(remoteAddress);) {
      const comma = addresses.lastIndexOf(',', end - 1)
      const address = plainAddress(addresses.slice(comma + 1, end).trim())
      if (isIP(address) === 0) break
      remoteAddress = address
      position++
      end = comma
    }
    const scheme = readEntry(header('x-forwarded-proto'), position).toLowerCase()
    const host = this.#readsHost ? readEntry(header('x-forwarded-host'), position) : ''
    return {
      remoteAddress,
      scheme: scheme === 'https' || scheme === 'http' ? scheme : direct.scheme,
      host: host === '' ? direct.host : host,
      isProxied: true,
    }
  }

  #trusts(address: string): boolean {
    if (this.#ranges === undefined) return false
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
        `${JSON.stringify(range)} in the setting server.trustedProxies is not an address or CIDR range: write 10.0.0.0/8 or ::1. A number of proxies is not enough, because it would also trust a client that connects directly.`,
      )
    }
    ranges.addSubnet(address, bits, family === 6 ? 'ipv6' : 'ipv4')
  }
  return ranges
}

/** Returns the entry at `position` from the right, 0 and 1 being the last one, else the first entry; '' without the header. */
function readEntry(list: string | undefined, position: number): string {
  if (list === undefined) return ''
  let end = list.length
  let comma = list.lastIndexOf(',')
  for (let at = 1; at < position && comma > 0; at++) {
    end = comma
    comma = list.lastIndexOf(',', end - 1)
  }
  return list.slice(comma + 1, end).trim()
}

// Removes the prefix `::ffff:`, with which a dual-stack socket reports IPv4 addresses, and the port that some proxies append.
function plainAddress(address: string): string {
  if (address.startsWith('::ffff:') && address.includes('.')) return address.slice(7)
  if (address.startsWith('[')) return address.slice(1, Math.max(address.indexOf(']'), 1))
  const colon = address.indexOf(':')
  return colon !== -1 && colon === address.lastIndexOf(':') ? address.slice(0, colon) : address
}

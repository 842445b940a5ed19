/** Which host names a container answers to. */
import { FwError } from '../base.ts'

const hostSyntax = /^(?:[A-Za-z0-9._-]{1,253}|\[[0-9A-Fa-f:.]{2,45}\])(?::\d{1,5})?$/

/** True for `name`, `name:port`, `[ipv6]` and `[ipv6]:port`; userinfo, paths and blanks are refused. */
export function isHost(host: string): boolean {
  return hostSyntax.test(host)
}

/** The names given in the settings, and the question whether a host is among them. */
export class HostList {
  readonly #names = new Set<string>()
  readonly #suffixes: string[] = []
  readonly #any: boolean
  // Nearly every request asks for the same host.
  #lastServed: string | undefined

  /** @throws FwError `server.setting-invalid` */
  constructor(hosts: readonly string[]) {
    this.#any = hosts.includes('*')
    for (const host of hosts) {
      if (host === '*') continue
      const bare = host.startsWith('*.') ? host.slice(2) : host
      if (!isHost(bare) || withoutPort(bare) !== bare) {
        throw new FwError(
          'server.setting-invalid',
          `The host ${JSON.stringify(host)} in the setting server.hosts is no name: write example.com, *.example.com, [::1] or *, without a port.`,
        )
      }
      if (host.startsWith('*.')) this.#suffixes.push('.' + bare.toLowerCase())
      else this.#names.add(bare.toLowerCase())
    }
  }

  /** True for what was served just before, without a closer look. */
  servedLast(host: string): boolean {
    return host === this.#lastServed
  }

  /** `host` is well-formed (`isHost`) or ''. */
  serves(host: string): boolean {
    if (this.#any) {
      this.#lastServed = host
      return true
    }
    const name = withoutPort(host).toLowerCase()
    if (!this.#names.has(name) && !this.#suffixes.some((suffix) => name.endsWith(suffix)))
      return false
    this.#lastServed = host
    return true
  }
}

function withoutPort(host: string): string {
  const colon = host.lastIndexOf(':')
  return colon === -1 || host.endsWith(']') ? host : host.slice(0, colon)
}

/** Where a server listens, and why it cannot. */
import type { AddressInfo } from 'node:net'
import { FwError } from '../base.ts'

/** Where a server listens. */
export interface ListenAddress {
  readonly host: string
  readonly port: number
  /** `http://host:port`, ready for a browser. */
  readonly url: string
}

/** What the system says of a server that listens. */
export function addressOf({ address, port, family }: AddressInfo): ListenAddress {
  const host = family === 'IPv6' ? `[${address}]` : address
  return { host: address, port, url: `http://${host}:${port}` }
}

const listenProblems: Readonly<Record<string, string>> = {
  EADDRINUSE: 'another process listens there: stop it, or choose another port',
  EACCES: 'ports below 1024 need a privilege: choose a higher one',
  EADDRNOTAVAIL: 'this machine has no such address',
}

/** Why it does not listen, in words that say what to do. */
export function listenError(port: number, host: string, cause: Error): FwError {
  const problem = listenProblems[(cause as NodeJS.ErrnoException).code ?? ''] ?? cause.message
  return new FwError('server.listen-failed', `Cannot listen on ${host}:${port}: ${problem}.`, {
    cause,
  })
}

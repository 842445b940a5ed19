/** Where a server listens, and why it cannot. */
import type { AddressInfo, Server } from 'node:net'
import { FwError, type Logger } from '../base.ts'
import { report } from './container-error.ts'

/** Where a server listens. */
export interface ListenAddress {
  readonly host: string
  readonly port: number
  /** `http://host:port`, ready for a browser. */
  readonly url: string
}

/**
 * Port 0 takes a free one. Errors after the start are logged.
 * @throws FwError `server.listen-failed`
 */
export function listenOn(
  server: Server,
  { port, host }: { readonly port: number; readonly host: string },
  logger: Logger,
): Promise<ListenAddress> {
  return new Promise((resolve, reject) => {
    const onError = (cause: Error): void => reject(listenError(port, host, cause))
    server.once('error', onError)
    server.listen({ port, host }, () => {
      server.off('error', onError)
      // Running out of descriptors shows here: the server goes on accepting when some are free again.
      server.on('error', (error) => report(logger, error, 'server error'))
      resolve(addressOf(server.address() as AddressInfo))
    })
  })
}

// What the system says of a server that listens.
function addressOf({ address, port, family }: AddressInfo): ListenAddress {
  const host = family === 'IPv6' ? `[${address}]` : address
  return { host: address, port, url: `http://${host}:${port}` }
}

const listenProblems: Readonly<Record<string, string>> = {
  EADDRINUSE: 'another process listens there: stop it, or choose another port',
  EACCES: 'ports below 1024 need a privilege: choose a higher one',
  EADDRNOTAVAIL: 'this machine has no such address',
}

// Why it does not listen, in words that say what to do.
function listenError(port: number, host: string, cause: Error): FwError {
  const problem = listenProblems[(cause as NodeJS.ErrnoException).code ?? ''] ?? cause.message
  return new FwError('server.listen-failed', `Cannot listen on ${host}:${port}: ${problem}.`, {
    cause,
  })
}

/** Listening on a port: the address, and readable errors. */
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net'
import { FwError, type Logger } from '../base.ts'
import { logError } from './error-response.ts'
import { stderrLogger } from './server-settings.ts'

/** The address of a listening server. */
export interface ListenAddress {
  readonly host: string
  readonly port: number
  /** `http://host:port`, for a browser. */
  readonly url: string
}

/** A port of this machine, or a TCP socket that the parent process has opened, such as one of systemd. */
export type ListenTarget =
  | { readonly port: number; readonly host: string }
  | { readonly fd: number }

/**
 * Port 0 takes a free one. Errors after the start are logged.
 * @throws FwError `server.listen-failed`
 */
export function listenOn(
  server: Server,
  target: ListenTarget,
  logger: Logger,
): Promise<ListenAddress> {
  return new Promise((resolve, reject) => {
    const onError = (cause: Error): void => reject(listenError(target, cause))
    server.once('error', onError)
    server.listen(target, () => {
      server.off('error', onError)
      const address: AddressInfo | string | null | undefined = server.address()
      // A socket of the file system has no address.
      if (typeof address !== 'object' || address?.address === undefined) {
        server.close()
        return onError(new Error('it is not a TCP socket'))
      }
      // For example no free file descriptors: the server accepts again when some are free.
      server.on('error', (error) => logError(logger, error, 'server error'))
      resolve(listenAddress(address))
    })
  })
}

function listenAddress({ address, port, family }: AddressInfo): ListenAddress {
  const host = family === 'IPv6' ? `[${address}]` : address
  return { host: address, port, url: `http://${host}:${port}` }
}

const listenProblems: Readonly<Record<string, string>> = {
  EADDRINUSE: 'another process listens there. Stop it, or choose another port with --port or PORT',
  EACCES: 'ports below 1024 need a privilege. Choose a higher one with --port or PORT',
  EADDRNOTAVAIL: 'this machine has no such address',
}

function listenError(target: ListenTarget, cause: Error): FwError {
  const problem = listenProblems[(cause as NodeJS.ErrnoException).code ?? ''] ?? cause.message
  const place = 'fd' in target ? `file descriptor ${target.fd}` : `${target.host}:${target.port}`
  return new FwError('server.listen-failed', `Cannot listen on ${place}: ${problem}.`, { cause })
}

/** Accepts connections and passes them on unread, to another process or to `HttpServer.handleSocket`. */
export class SocketListener {
  readonly #server: Server
  readonly #logger: Logger

  /** `logger` writes JSON to standard error by default. */
  constructor(onSocket: (socket: Socket) => void, logger: Logger = stderrLogger()) {
    this.#logger = logger
    this.#server = createServer({ pauseOnConnect: true, noDelay: true }, onSocket)
  }

  /** As `HttpServer.listen`. @throws FwError `server.listen-failed` */
  listen(port: number, host = '127.0.0.1'): Promise<ListenAddress> {
    return listenOn(this.#server, { port, host }, this.#logger)
  }

  /** Stops accepting. Connections passed on stay open. */
  close(): void {
    this.#server.close()
  }
}

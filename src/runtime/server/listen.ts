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
      // For example no free file descriptors: the server accepts again when some are free.
      server.on('error', (error) => logError(logger, error, 'server error'))
      resolve(listenAddress(server.address() as AddressInfo))
    })
  })
}

function listenAddress({ address, port, family }: AddressInfo): ListenAddress {
  const host = family === 'IPv6' ? `[${address}]` : address
  return { host: address, port, url: `http://${host}:${port}` }
}

const listenProblems: Readonly<Record<string, string>> = {
  EADDRINUSE: 'another process listens there: stop it, or choose another port',
  EACCES: 'ports below 1024 need a privilege: choose a higher one',
  EADDRNOTAVAIL: 'this machine has no such address',
}

function listenError(port: number, host: string, cause: Error): FwError {
  const problem = listenProblems[(cause as NodeJS.ErrnoException).code ?? ''] ?? cause.message
  return new FwError('server.listen-failed', `Cannot listen on ${host}:${port}: ${problem}.`, {
    cause,
  })
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
